#include <cmath>

#include "prime/control/fixed_plan.h"
#include "prime/control/load_plan.h"

namespace crest {

absl::StatusOr<std::unique_ptr<const LoadPlan>> MakeCurvePlan(const v1::LoadSpec& load) {
  if (!load.has_peak() || !std::isfinite(load.peak()) || load.peak() <= 0) {
    return absl::InvalidArgumentError("peak must be above 0; give the highest rate to request, as in peak: 5000");
  }
  if (load.points() == 0) return absl::InvalidArgumentError("points must be at least 1; ten make a full curve");
  std::vector<double> rates;
  for (uint32_t i = 1; i <= load.points(); ++i) rates.push_back(load.peak() * i / load.points());
  return std::make_unique<FixedPlan>(std::move(rates));
}

}  // namespace crest
