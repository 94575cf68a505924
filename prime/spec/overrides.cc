#include "prime/spec/overrides.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "crest/v1/options.pb.h"

namespace crest {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

YamlNode& ChildMade(YamlNode& map, const std::string& key, const Place& place) {
  if (YamlNode* child = map.Child(key); child != nullptr) return *child;
  YamlNode child;
  child.key = key;
  child.key_place = place;
  child.place = place;
  return map.children.emplace_back(std::move(child));
}

// `workload: sfs2008-nfs` is short for `workload: {profile: sfs2008-nfs}`: write it out, so that keys can be added.
void WriteOut(const Descriptor* type, YamlNode& node) {
  if (node.kind != YamlNode::Kind::kScalar || type == nullptr) return;
  const std::string& sets = type->options().GetExtension(v1::scalar_sets);
  if (sets.empty()) return;
  YamlNode scalar = node;
  scalar.key = sets;
  scalar.key_place = node.place;
  node.kind = YamlNode::Kind::kMap;
  node.scalar.clear();
  node.children = {std::move(scalar)};
}

const Descriptor* TypeOf(const Descriptor* message, const std::string& key) {
  const FieldDescriptor* field = message == nullptr ? nullptr : message->FindFieldByName(key);
  const bool is_map = field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  return is_map && !field->is_repeated() ? field->message_type() : nullptr;
}

// Lists, maps and quoted text are YAML; all else is taken as it stands, so that no ':' or '#' in it surprises.
YamlNode ParseValue(const std::string& text, size_t start, const std::string& source, std::vector<SpecError>& errors) {
  const absl::string_view value = absl::string_view(text).substr(start);
  const int column = static_cast<int>(start) + 1;
  const bool is_yaml = !value.empty() && absl::StrContains("[{\"'", value[0]);
  if (is_yaml) return ParseYaml(value, source, errors, column);
  YamlNode node;
  if (!value.empty()) {
    node.kind = YamlNode::Kind::kScalar;
    node.scalar = std::string(value);
    node.plain = true;
    node.place = Place{source, 1, column};
  }
  return node;
}

}  // namespace

void ApplyOverride(const std::string& text, const Descriptor& type, YamlNode& root, std::vector<SpecError>& errors) {
  const size_t equals = text.find('=');
  const std::string path = text.substr(0, equals);
  const std::vector<std::string> keys = absl::StrSplit(path, '.');
  const Place start{absl::StrCat("--set ", path), 1, 1};
  bool has_keys = equals != std::string::npos;
  for (const std::string& key : keys) has_keys = has_keys && !key.empty();
  if (!has_keys) {
    errors.push_back({start, absl::StrCat("'", text, "' is not KEY=VALUE; write it as in --set load.peak=5000")});
    return;
  }
  if (!IsTextWithoutControls(text)) {
    errors.push_back({start, "holds control characters or bytes that are not UTF-8; remove them"});
    return;
  }
  const size_t errors_before = errors.size();
  YamlNode value = ParseValue(text, equals + 1, start.source, errors);
  if (errors.size() != errors_before) return;

  YamlNode* node = &root;
  const Descriptor* node_type = &type;
  for (const std::string& key : keys) {
    WriteOut(node_type, *node);
    if (node->kind == YamlNode::Kind::kNull) node->kind = YamlNode::Kind::kMap;
    if (node->kind != YamlNode::Kind::kMap) {
      errors.push_back({start, absl::StrCat("'", key, "' cannot be set within ", KindName(node->kind),
                                            "; set the whole of it, as in --set 'KEY=[a, b]'")});
      return;
    }
    node = &ChildMade(*node, key, start);
    node_type = TypeOf(node_type, key);
  }
  value.key = node->key;
  value.key_place = start;
  *node = std::move(value);
}

}  // namespace crest
