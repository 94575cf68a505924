#include "workloads/operation.h"

#include <string>

#include "absl/strings/strip.h"

namespace crest {

absl::string_view OperationName(v1::OperationKind kind) {
  absl::string_view name = v1::OperationKind_Name(kind);
  absl::ConsumePrefix(&name, "OPERATION_");
  return name.empty() ? "UNSPECIFIED" : name;
}

}  // namespace crest
