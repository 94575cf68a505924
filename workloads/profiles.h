// The workloads that ship with crest, built into the program so that no host needs their files.
#ifndef CREST_WORKLOADS_PROFILES_H_
#define CREST_WORKLOADS_PROFILES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace crest {

struct Profile {
  absl::string_view name;  // the file's name without .yaml
  absl::string_view yaml;  // the file's text
};

/// All of them, by name. The texts are parsed by prime/spec like any other YAML.
absl::Span<const Profile> Profiles();

}  // namespace crest

#endif  // CREST_WORKLOADS_PROFILES_H_
