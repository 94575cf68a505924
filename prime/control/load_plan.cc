#include "prime/control/load_plan.h"

#include "absl/strings/str_cat.h"

namespace crest {

absl::StatusOr<std::unique_ptr<const LoadPlan>> MakeLoadPlan(const v1::LoadSpec& load) {
  switch (load.plan()) {
    case v1::LOAD_PLAN_CURVE:
      return MakeCurvePlan(load);
    case v1::LOAD_PLAN_STEPS:
      return MakeStepsPlan(load);
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("load plan ", static_cast<int>(load.plan()), " is unknown to this crest; use curve or steps"));
  }
}

}  // namespace crest
