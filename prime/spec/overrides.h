// `--set key.path=value`: one value in place of what the file says.
#ifndef CREST_PRIME_SPEC_OVERRIDES_H_
#define CREST_PRIME_SPEC_OVERRIDES_H_

#include <string>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "prime/spec/yaml_tree.h"

namespace crest {

/// Puts "key.path=value" into `root`, the tree of a message of `type`. Maps on the way are made where they are missing;
/// a bare scalar that stands for a message becomes the map that it is short for. The value's place has the source
/// "--set key.path"; its columns count within `text`.
void ApplyOverride(const std::string& text, const google::protobuf::Descriptor& type, YamlNode& root,
                   std::vector<SpecError>& errors);

}  // namespace crest

#endif  // CREST_PRIME_SPEC_OVERRIDES_H_
