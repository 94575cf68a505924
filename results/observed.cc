#include "results/observed.h"

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "results/html.h"

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

std::vector<ObservedGroup> ObservedGroups(const v1::RunResult& result) {
  std::vector<ObservedGroup> groups;
  for (const std::string& name : ObservedNames(result)) {
    std::string observer;
    for (const v1::AgentSpec& agent : result.spec().agents()) {
      if (agent.observer() && absl::StartsWith(name, agent.address() + " ")) observer = agent.address();
    }
    if (groups.empty() || groups.back().observer != observer) groups.push_back({.observer = observer});
    groups.back().names.push_back(name);
    groups.back().short_names.push_back(observer.empty() ? name : name.substr(observer.size() + 1));
  }
  return groups;
}

std::string FormatObserved(absl::string_view name, double value) {
  if (absl::EndsWith(name, "_ratio")) return FormatShare(value);
  const bool bytes = absl::EndsWith(name, "_bytes") || absl::EndsWith(name, "_bytes_per_sec");
  return bytes && value >= 0 ? FormatBytes(value) : FormatFigure(value);
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
