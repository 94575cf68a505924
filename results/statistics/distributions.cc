#include "results/statistics/distributions.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace crest {
namespace {

// Beyond this a quantile is of no use, and boost throws.
constexpr double kLeast = 1e-300;

double Within(double probability) { return std::clamp(probability, kLeast, 1 - 1e-16); }

}  // namespace

double NormalQuantile(double probability) {
  return boost::math::quantile(boost::math::normal_distribution<>(), Within(probability));
}

double NormalTail(double z) {
  return boost::math::cdf(boost::math::complement(boost::math::normal_distribution<>(), z));
}

double StudentQuantile(double probability, double degrees_of_freedom) {
  const boost::math::students_t_distribution<> t(degrees_of_freedom);
  // By the smaller tail: 1 − p loses what is left of a small p.
  if (probability > 0.5) return -boost::math::quantile(t, Within(1 - probability));
  return boost::math::quantile(t, Within(probability));
}

double StudentTail(double t, double degrees_of_freedom) {
  return boost::math::cdf(boost::math::complement(boost::math::students_t_distribution<>(degrees_of_freedom), t));
}

}  // namespace crest
