// Reads YAML into any message, led by its descriptor and the options of proto/crest/v1/options.proto alone.
#ifndef CREST_PRIME_SPEC_MESSAGE_READER_H_
#define CREST_PRIME_SPEC_MESSAGE_READER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "prime/spec/yaml_tree.h"

namespace crest {

/// Where each field of a message was written, and which were written wrongly. A path names a field from the outermost
/// message on: "load.peak", "workload.mix[3].share".
class FieldPlaces {
 public:
  void Set(const std::string& path, const Place& place) { places_.insert_or_assign(path, place); }
  /// Whether the field itself was written.
  bool Has(const std::string& path) const { return places_.count(path) != 0; }
  /// The place of the field, or of the nearest message around it that was written.
  Place Find(absl::string_view path) const;
  /// Forgets the fields below `path`.
  void Erase(const std::string& path);

  void MarkWrong(const std::string& path) { wrong_.push_back(path); }
  /// Whether an error is known of the field, of one around it or of one within it: a further complaint about it would
  /// only follow from the first.
  bool IsWrong(absl::string_view path) const;

 private:
  std::map<std::string, Place> places_;
  std::vector<std::string> wrong_;
};

/// "mix" in the message at "workload" is "workload.mix".
std::string JoinPath(absl::string_view base, absl::string_view field);

/// Reads the map `node` onto `message`, which lies at `path`: fields that YAML names replace what the message holds
/// (messages are read onto what is there, lists and keyed maps are replaced whole), all others stay as they are.
/// Whatever is wrong goes to `errors`, and the field stays as it was.
///
/// Values: sizes, shares, rates and durations as base/units.h reads them; enum values by name without the prefix that
/// all of them share, in any case; a single value stands for a list of one; google.protobuf.Struct takes anything.
void ReadMessage(const YamlNode& node, const std::string& path, google::protobuf::Message& message, FieldPlaces& places,
                 std::vector<SpecError>& errors);

/// The names that a value of `type` may have in YAML, lower case; the value 0 has none.
std::vector<std::string> EnumNames(const google::protobuf::EnumDescriptor& type);
/// The keys of a message that YAML may set.
std::vector<std::string> FieldNames(const google::protobuf::Descriptor& type);

}  // namespace crest

#endif  // CREST_PRIME_SPEC_MESSAGE_READER_H_
