// The engines that this program has. Each engine's folder adds itself with RegisterEngine; nothing else names
// it.
#ifndef CREST_AGENT_ENGINE_REGISTRY_H_
#define CREST_AGENT_ENGINE_REGISTRY_H_

#include <vector>

#include "agent/engine/engine.h"

namespace crest {

/// All engine types, by scheme. Complete once main has begun; immutable from then on.
const std::vector<const EngineType*>& EngineTypes();

/// The engine for `scheme`; NotFound names those there are.
absl::StatusOr<const EngineType*> FindEngine(absl::string_view scheme);

/// Called before main by each engine's folder. `type` lives for ever.
bool RegisterEngine(const EngineType* type);

}  // namespace crest

#endif  // CREST_AGENT_ENGINE_REGISTRY_H_
