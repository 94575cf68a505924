#include <cmath>

#include "prime/control/fixed_plan.h"
#include "prime/control/load_plan.h"

namespace crest {

absl::StatusOr<std::unique_ptr<const LoadPlan>> MakeStepsPlan(const v1::LoadSpec& load) {
  if (load.rates().empty()) {
    return absl::InvalidArgumentError("rates is empty; list the rates to request, as in rates: [1000, 2000, 5000]");
  }
  for (const double rate : load.rates()) {
    if (!std::isfinite(rate) || rate <= 0) return absl::InvalidArgumentError("every rate must be above 0");
  }
  return std::make_unique<FixedPlan>(std::vector<double>(load.rates().begin(), load.rates().end()));
}

}  // namespace crest
