// What report.html is made of beside its figures, embedded at build time from the files in this folder.
#ifndef CREST_RESULTS_WEB_ASSETS_H_
#define CREST_RESULTS_WEB_ASSETS_H_

#include "absl/strings/string_view.h"

namespace crest {

absl::string_view ReportCss();
absl::string_view ReportScript();
/// Apache ECharts, with its licence header.
absl::string_view ChartLibrary();

}  // namespace crest

#endif  // CREST_RESULTS_WEB_ASSETS_H_
