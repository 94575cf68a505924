// YAML as a plain tree in which everything knows its place, so that whatever is wrong with a value can be pointed at.
#ifndef CREST_PRIME_SPEC_YAML_TREE_H_
#define CREST_PRIME_SPEC_YAML_TREE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace crest {

/// Where something was written. Line and column count from 1; columns are characters, not bytes.
struct Place {
  std::string source;  // the file's name as the user gave it, or the flag
  int line = 1;
  int column = 1;

  friend bool operator==(const Place&, const Place&) = default;
};

/// One thing that is wrong: what is wrong and what to do.
struct SpecError {
  Place place;
  std::string message;

  /// "nas.yaml:4:9: unknown key 'pek'; did you mean 'peak'?" One line, control characters escaped.
  std::string ToString() const;
};

/// A value, with its key where it stands in a map.
struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  Place place;
  std::string scalar;
  bool plain = false;              // a scalar without quotes
  std::vector<YamlNode> children;  // of a list or a map, in the order written
  std::string key;                 // children of a map
  Place key_place;

  YamlNode* Child(absl::string_view name);
  const YamlNode* Child(absl::string_view name) const;
  /// Where to point: at a scalar itself, otherwise at its key.
  const Place& where() const { return kind == Kind::kScalar || key.empty() ? place : key_place; }
};

/// "a list", "a map", … for messages.
absl::string_view KindName(YamlNode::Kind kind);

/// Whether `text` is UTF-8 without control characters but tabs and line ends.
bool IsTextWithoutControls(absl::string_view text);

/// Reads one YAML document. Whatever is wrong goes to `errors`: wrong syntax, duplicate keys, keys that are not plain
/// words, tags of its own, text that is not UTF-8, and more than a spec can need (1 MiB, 10,000 values, 32 levels;
/// aliases count as what they stand for). What could be read is returned. `first_column` is where the text starts on
/// its first line. Throws nothing.
YamlNode ParseYaml(absl::string_view text, absl::string_view source, std::vector<SpecError>& errors,
                   int first_column = 1);

}  // namespace crest

#endif  // CREST_PRIME_SPEC_YAML_TREE_H_
