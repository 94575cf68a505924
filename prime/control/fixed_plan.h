// Plans whose rates are all known before the run begins.
#ifndef CREST_PRIME_CONTROL_FIXED_PLAN_H_
#define CREST_PRIME_CONTROL_FIXED_PLAN_H_

#include <utility>
#include <vector>

#include "prime/control/load_plan.h"

namespace crest {

/// Runs a list of rates from first to last, whatever comes out.
class FixedPlan final : public LoadPlan {
 public:
  explicit FixedPlan(std::vector<double> rates) : rates_(std::move(rates)) {}

  std::optional<LoadStep> Next(absl::Span<const v1::LoadPoint> history) const override {
    if (history.size() >= rates_.size()) return std::nullopt;
    return LoadStep{rates_[history.size()]};
  }
  std::vector<double> PlannedRates() const override { return rates_; }

 private:
  const std::vector<double> rates_;
};

}  // namespace crest

#endif  // CREST_PRIME_CONTROL_FIXED_PLAN_H_
