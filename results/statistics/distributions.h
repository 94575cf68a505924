// Quantiles and tails of the distributions that verdicts rest on.
#ifndef CREST_RESULTS_STATISTICS_DISTRIBUTIONS_H_
#define CREST_RESULTS_STATISTICS_DISTRIBUTIONS_H_

namespace crest {

/// The value that a standard normal variable stays below with `probability`, within (0, 1).
double NormalQuantile(double probability);
/// The probability that a standard normal variable is above `z`.
double NormalTail(double z);
/// The value that Student's t with `degrees_of_freedom` > 0 stays below with `probability`, within (0, 1).
double StudentQuantile(double probability, double degrees_of_freedom);
/// The probability that Student's t is above `t`.
double StudentTail(double t, double degrees_of_freedom);

}  // namespace crest

#endif  // CREST_RESULTS_STATISTICS_DISTRIBUTIONS_H_
