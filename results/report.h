// Reports: a result for people's eyes. Pure functions of the result.
#ifndef CREST_RESULTS_REPORT_H_
#define CREST_RESULTS_REPORT_H_

#include <string>

#include "crest/v1/result.pb.h"

namespace crest {

/// report.html: one file that works offline.
std::string HtmlReport(const v1::RunResult& result);

/// The summary for a terminal or a mail: a table of the load points, then findings, peak and ORT as the last lines.
/// `colour` adds ANSI colours.
std::string TextReport(const v1::RunResult& result, bool colour);

}  // namespace crest

#endif  // CREST_RESULTS_REPORT_H_
