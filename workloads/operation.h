// One operation as it goes from an OperationStream through a generator to an engine.
#ifndef CREST_WORKLOADS_OPERATION_H_
#define CREST_WORKLOADS_OPERATION_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "crest/v1/operation.pb.h"
#include "workloads/object.h"

namespace crest {

inline constexpr int kOperationKinds = v1::OperationKind_ARRAYSIZE;

struct Operation {
  v1::OperationKind kind = v1::OPERATION_UNSPECIFIED;
  uint32_t length = 0;      // READ, WRITE: bytes
  uint64_t offset = 0;      // READ, WRITE: bytes
  uint64_t generation = 0;  // WRITE: makes its content differ from every other write's of the same place
  bool fill = false;        // WRITE: of prepare, not of the mix; it may use the largest calls that the target takes
  ObjectId object;          // what it acts on
  ObjectId parent;          // the directory that holds `object`; set for every object but the root

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// "GETATTR" for OPERATION_GETATTR: the name used in specs, results and metrics.
absl::string_view OperationName(v1::OperationKind kind);

}  // namespace crest

#endif  // CREST_WORKLOADS_OPERATION_H_
