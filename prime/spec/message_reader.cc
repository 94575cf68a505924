#include "prime/spec/message_reader.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "crest/v1/options.pb.h"
#include "prime/spec/nearest.h"
#include "prime/spec/scalar_values.h"

namespace crest {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

bool IsInternal(const FieldDescriptor& field) { return field.options().GetExtension(v1::internal); }

bool IsMessage(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         field.message_type()->full_name() != "google.protobuf.Duration";
}

bool IsStruct(const FieldDescriptor& field) {
  return IsMessage(field) && field.message_type()->full_name() == "google.protobuf.Struct";
}

// The field that a bare scalar sets; nullptr: the message wants a map.
const FieldDescriptor* ScalarField(const Descriptor& type) {
  const std::string& name = type.options().GetExtension(v1::scalar_sets);
  return name.empty() ? nullptr : type.FindFieldByName(name);
}

// The part of `value_name` that all values of the enum share, up to the last '_'.
size_t CommonPrefix(const EnumDescriptor& type) {
  const std::string& first = type.value(0)->name();
  size_t length = first.size();
  for (int i = 1; i < type.value_count(); ++i) {
    const std::string& name = type.value(i)->name();
    size_t same = 0;
    while (same < length && same < name.size() && name[same] == first[same]) ++same;
    length = same;
  }
  while (length > 0 && first[length - 1] != '_') --length;
  return length;
}

// Whether one path is the other or lies around it.
bool Encloses(absl::string_view outer, absl::string_view inner) {
  if (!absl::StartsWith(inner, outer)) return false;
  return outer.empty() || outer.size() == inner.size() || inner[outer.size()] == '.' || inner[outer.size()] == '[';
}

// One reading of one tree.
class Reader {
 public:
  Reader(FieldPlaces& places, std::vector<SpecError>& errors) : places_(places), errors_(errors) {}

  void ReadMap(const YamlNode& node, const std::string& path, Message& message) {
    const Descriptor& type = *message.GetDescriptor();
    if (node.kind == YamlNode::Kind::kScalar && ScalarField(type) != nullptr) {
      ReadField(node, JoinPath(path, ScalarField(type)->name()), *ScalarField(type), message);
      return;
    }
    if (node.kind != YamlNode::Kind::kMap) {
      Complain(node, path, absl::StrCat(KindName(node.kind), " where a map belongs", Known(type)));
      return;
    }
    for (const YamlNode& child : node.children) {
      const FieldDescriptor* field = type.FindFieldByName(child.key);
      if (field == nullptr || IsInternal(*field)) {
        RefuseKey(node, child, path, type, field != nullptr);
      } else {
        ReadField(child, JoinPath(path, child.key), *field, message);
      }
    }
  }

 private:
  void Complain(const YamlNode& node, const std::string& path, absl::string_view what) {
    errors_.push_back({node.where(), std::string(what)});
    places_.MarkWrong(path);
  }

  static std::string Known(const Descriptor& type) { return SuggestFrom("", FieldNames(type)); }

  void RefuseKey(const YamlNode& map, const YamlNode& child, const std::string& path, const Descriptor& type,
                 bool internal) {
    if (internal) {
      errors_.push_back({child.key_place, absl::StrCat("'", child.key, "' is filled in by crest; remove it")});
      return;
    }
    const std::vector<std::string> known = FieldNames(type);
    if (const std::string* meant = Nearest(child.key, known); meant != nullptr && map.Child(*meant) == nullptr) {
      places_.MarkWrong(JoinPath(path, *meant));
    }
    std::string advice = SuggestFrom(child.key, known);
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      if (!IsMessage(field) || IsStruct(field) || field.is_repeated() || IsInternal(field)) continue;
      if (field.message_type()->FindFieldByName(child.key) == nullptr) continue;
      advice = absl::StrCat("; write it under '", field.name(), "'");
      const YamlNode* there = map.Child(field.name());
      if (there == nullptr || there->Child(child.key) == nullptr) {
        places_.MarkWrong(JoinPath(JoinPath(path, field.name()), child.key));
      }
      break;
    }
    const std::string where = path.empty() ? "" : absl::StrCat(" in '", path, "'");
    errors_.push_back({child.key_place, absl::StrCat("unknown key '", child.key, "'", where, advice)});
  }

  void ReadField(const YamlNode& node, const std::string& path, const FieldDescriptor& field, Message& message) {
    places_.Erase(path);
    places_.Set(path, node.where());
    if (node.kind == YamlNode::Kind::kNull) {
      Complain(node, path, absl::StrCat("'", field.name(), "' has no value; give it one or remove the key"));
    } else if (node.kind == YamlNode::Kind::kScalar && absl::EqualsIgnoreCase(node.scalar, "auto") &&
               field.options().GetExtension(v1::auto_means_unset)) {
      message.GetReflection()->ClearField(&message, &field);
    } else if (field.options().GetExtension(v1::keyed) && node.kind == YamlNode::Kind::kMap) {
      ReadKeyed(node, path, field, message);
    } else if (field.is_repeated()) {
      ReadList(node, path, field, message);
    } else if (IsStruct(field)) {
      ReadStruct(node, path, field, message);
    } else if (IsMessage(field)) {
      ReadMap(node, path, *message.GetReflection()->MutableMessage(&message, &field));
    } else {
      ReadScalar(node, path, field, message);
    }
  }

  void ReadScalar(const YamlNode& node, const std::string& path, const FieldDescriptor& field, Message& message) {
    const absl::Status status = SetScalar(node, field, message);
    if (!status.ok()) Complain(node, path, absl::StrCat("'", path, "': ", std::string(status.message())));
  }

  void ReadStruct(const YamlNode& node, const std::string& path, const FieldDescriptor& field, Message& message) {
    if (node.kind != YamlNode::Kind::kMap) {
      Complain(node, path, absl::StrCat("'", path, "' is ", KindName(node.kind), " where a map belongs"));
      return;
    }
    const google::protobuf::Value value = ToValue(node);
    message.GetReflection()->MutableMessage(&message, &field)->CopyFrom(value.struct_value());
  }

  void ReadList(const YamlNode& node, const std::string& path, const FieldDescriptor& field, Message& message) {
    if (node.kind != YamlNode::Kind::kList) {
      message.GetReflection()->ClearField(&message, &field);
      ReadItem(node, absl::StrCat(path, "[0]"), field, message);
      return;
    }
    message.GetReflection()->ClearField(&message, &field);
    for (size_t i = 0; i < node.children.size(); ++i) {
      ReadItem(node.children[i], absl::StrCat(path, "[", i, "]"), field, message);
    }
  }

  void ReadItem(const YamlNode& node, const std::string& path, const FieldDescriptor& field, Message& message) {
    places_.Set(path, node.where());
    if (node.kind == YamlNode::Kind::kNull) {
      Complain(node, path, "an entry without a value; give it one or remove it");
    } else if (IsMessage(field)) {
      ReadMap(node, path, *message.GetReflection()->AddMessage(&message, &field));
    } else {
      ReadScalar(node, path, field, message);
    }
  }

  // A map whose keys are the first field of the entries and whose values are the second.
  void ReadKeyed(const YamlNode& node, const std::string& path, const FieldDescriptor& field, Message& message) {
    message.GetReflection()->ClearField(&message, &field);
    const FieldDescriptor& key_field = *field.message_type()->field(0);
    const FieldDescriptor& value_field = *field.message_type()->field(1);
    for (size_t i = 0; i < node.children.size(); ++i) {
      const YamlNode& child = node.children[i];
      const std::string entry_path = absl::StrCat(path, "[", i, "]");
      Message& entry = *message.GetReflection()->AddMessage(&message, &field);
      YamlNode key;
      key.kind = YamlNode::Kind::kScalar;
      key.scalar = child.key;
      key.place = child.key_place;
      places_.Set(entry_path, child.key_place);
      ReadField(key, JoinPath(entry_path, key_field.name()), key_field, entry);
      ReadField(child, JoinPath(entry_path, value_field.name()), value_field, entry);
    }
  }

  FieldPlaces& places_;
  std::vector<SpecError>& errors_;
};

}  // namespace

Place FieldPlaces::Find(absl::string_view path) const {
  std::string at(path);
  while (true) {
    const auto it = places_.find(at);
    if (it != places_.end()) return it->second;
    if (at.empty()) return Place{};
    const size_t cut = at.find_last_of(".[");
    at.resize(cut == std::string::npos ? 0 : cut);
  }
}

void FieldPlaces::Erase(const std::string& path) {
  for (auto it = places_.lower_bound(path); it != places_.end() && absl::StartsWith(it->first, path);) {
    it = Encloses(path, it->first) ? places_.erase(it) : std::next(it);
  }
}

bool FieldPlaces::IsWrong(absl::string_view path) const {
  for (const std::string& wrong : wrong_) {
    if (Encloses(wrong, path) || Encloses(path, wrong)) return true;
  }
  return false;
}

std::string JoinPath(absl::string_view base, absl::string_view field) {
  if (base.empty()) return std::string(field);
  if (field.empty()) return std::string(base);
  return absl::StrCat(base, field[0] == '[' ? "" : ".", field);
}

void ReadMessage(const YamlNode& node, const std::string& path, Message& message, FieldPlaces& places,
                 std::vector<SpecError>& errors) {
  Reader(places, errors).ReadMap(node, path, message);
}

std::vector<std::string> EnumNames(const EnumDescriptor& type) {
  const size_t prefix = CommonPrefix(type);
  std::vector<std::string> names;
  for (int i = 1; i < type.value_count(); ++i) {
    names.push_back(absl::AsciiStrToLower(type.value(i)->name().substr(prefix)));
  }
  return names;
}

std::vector<std::string> FieldNames(const Descriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) {
    if (!IsInternal(*type.field(i))) names.push_back(type.field(i)->name());
  }
  return names;
}

}  // namespace crest
