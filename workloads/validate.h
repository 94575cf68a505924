// Checks a workload whole. Used by prime on what a user wrote and by an agent on what it was sent.
#ifndef CREST_WORKLOADS_VALIDATE_H_
#define CREST_WORKLOADS_VALIDATE_H_

#include <string>
#include <vector>

#include "crest/v1/spec.pb.h"

namespace crest {

/// What is wrong with one field of a message.
struct FieldError {
  std::string path;     // "mix", "mix[3].share", "file_set.accessed": where in the message
  std::string message;  // what is wrong and what to do
};

/// Every error of a whole workload (profile expanded, defaults filled in): shares that do not add up to 100 %,
/// operations twice, sizes absurd or above what the file set holds, REMOVE without CREATE, … Empty: it can run.
std::vector<FieldError> ValidateWorkload(const v1::Workload& workload);

/// The part of ValidateWorkload that is about the file set alone; paths begin with "file_set.".
std::vector<FieldError> ValidateFileSet(const v1::FileSetSpec& file_set);

/// Whether `streams` streams can each own a directory at `requested_ops_per_s`, the least rate of a run; the message
/// says which bytes_per_op_rate or number of streams would do.
std::vector<FieldError> ValidateStreams(const v1::Workload& workload, uint32_t streams, double requested_ops_per_s);

/// `streams: auto`: at least 64, and twice rate × limit (docs/measurement.md).
uint32_t AutoStreams(double peak_ops_per_s, double limit_s);

}  // namespace crest

#endif  // CREST_WORKLOADS_VALIDATE_H_
