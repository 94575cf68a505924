#include "results/observed.h"

#include <set>

#include "absl/strings/str_cat.h"

namespace crest {

void FillObserved(const v1::PointData& data, v1::LoadPoint* point) {
  *point->mutable_observed() = data.observed();
  for (const v1::ObserverData& observer : data.observers()) {
    for (const v1::ObservedFigure& figure : observer.figures()) {
      v1::ObservedFigure& added = *point->add_observed();
      added = figure;
      added.set_name(absl::StrCat(observer.address(), " ", figure.name()));
    }
  }
}

std::vector<std::string> ObservedNames(const v1::RunResult& result) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const v1::LoadPoint& point : result.points()) {
    for (const v1::ObservedFigure& figure : point.observed()) {
      if (seen.insert(figure.name()).second) names.push_back(figure.name());
    }
  }
  return names;
}

const v1::ObservedFigure* FindObserved(const v1::LoadPoint& point, absl::string_view name) {
  for (const v1::ObservedFigure& figure : point.observed()) {
    if (figure.name() == name) return figure.error().empty() ? &figure : nullptr;
  }
  return nullptr;
}

std::string QueryOf(const v1::RunResult& result, absl::string_view name) {
  for (const v1::ObserveQuery& query : result.spec().observe().queries()) {
    if (query.name() == name) return query.query();
  }
  return "";
}

}  // namespace crest
