// Figures of the system under test beside those of the load: of a Prometheus and of observers.
#ifndef CREST_RESULTS_OBSERVED_H_
#define CREST_RESULTS_OBSERVED_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "crest/v1/result.pb.h"

namespace crest {

/// All that was seen of the system under test in one window: by queries, then by observers, "ADDRESS FIGURE".
void FillObserved(const v1::PointData& data, v1::LoadPoint* point);

/// The names of all figures of all points, in the order in which they come.
std::vector<std::string> ObservedNames(const v1::RunResult& result);

/// Figures that have one source: the queries of `observe:`, or one observer.
struct ObservedGroup {
  std::string observer;                  // its address; empty: the queries
  std::vector<std::string> names;        // as in LoadPoint.observed
  std::vector<std::string> short_names;  // as many, without the address
};

/// The same names by source, none of them empty.
std::vector<ObservedGroup> ObservedGroups(const v1::RunResult& result);

/// As people read it, by the ending of its name: shares for _ratio, sizes for _bytes and _bytes_per_sec.
std::string FormatObserved(absl::string_view name, double value);

/// The figure of that name; nullptr where the point has none, or an error in its place.
const v1::ObservedFigure* FindObserved(const v1::LoadPoint& point, absl::string_view name);

/// The PromQL of a figure that a query of the spec gave; empty: an observer's.
std::string QueryOf(const v1::RunResult& result, absl::string_view name);

}  // namespace crest

#endif  // CREST_RESULTS_OBSERVED_H_
