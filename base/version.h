// Which crest this is.
#ifndef CREST_BASE_VERSION_H_
#define CREST_BASE_VERSION_H_

#include <cstdint>

namespace crest {

/// "0.1.0": the version of the CMake project.
extern const char kVersion[];

/// What prime and agent speak (proto/crest/v1/agent.proto). Moves with every change that an older peer would
/// misunderstand; peers of different numbers refuse each other.
inline constexpr uint32_t kProtocolVersion = 1;

}  // namespace crest

#endif  // CREST_BASE_VERSION_H_
