// Parameters of a target's URL: refuses those that an engine does not know.
#ifndef CREST_AGENT_ENGINE_PARAMETERS_H_
#define CREST_AGENT_ENGINE_PARAMETERS_H_

#include <initializer_list>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "agent/engine/target.h"

namespace crest {

/// InvalidArgument for the first parameter of `target` that is not among `known`; names the known one that is nearest,
/// or all of them where none is near.
absl::Status CheckParameterNames(const Target& target, std::initializer_list<absl::string_view> known);

}  // namespace crest

#endif  // CREST_AGENT_ENGINE_PARAMETERS_H_
