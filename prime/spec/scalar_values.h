// Single values: from a YAML scalar to a field of a message.
#ifndef CREST_PRIME_SPEC_SCALAR_VALUES_H_
#define CREST_PRIME_SPEC_SCALAR_VALUES_H_

#include "absl/status/status.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/struct.pb.h"
#include "prime/spec/yaml_tree.h"

namespace crest {

/// Sets the singular field `field` of `message`, or adds to it where it is repeated. Not for messages other than
/// google.protobuf.Duration. InvalidArgument says what is wrong and what to write instead; the field then stays as it
/// was.
absl::Status SetScalar(const YamlNode& node, const google::protobuf::FieldDescriptor& field,
                       google::protobuf::Message& message);

/// Anything at all. A plain number or true/false becomes one only where it prints as it was written; "1.10" stays text.
google::protobuf::Value ToValue(const YamlNode& node);

}  // namespace crest

#endif  // CREST_PRIME_SPEC_SCALAR_VALUES_H_
