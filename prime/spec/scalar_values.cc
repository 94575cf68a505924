#include "prime/spec/scalar_values.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "base/units.h"
#include "crest/v1/options.pb.h"
#include "google/protobuf/duration.pb.h"
#include "prime/spec/durations.h"
#include "prime/spec/message_reader.h"
#include "prime/spec/nearest.h"

namespace crest {
namespace {

using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Enough of what the user wrote to know it again.
std::string Quote(absl::string_view text) {
  constexpr size_t kMax = 40;
  return text.size() <= kMax ? absl::StrCat("'", text, "'") : absl::StrCat("'", text.substr(0, kMax), "…'");
}

template <typename Integer>
absl::StatusOr<Integer> ParseWhole(absl::string_view text) {
  Integer value;
  if (absl::SimpleAtoi(text, &value)) return value;
  return absl::InvalidArgumentError(absl::StrCat(Quote(text), " is not a whole number from ",
                                                 std::numeric_limits<Integer>::min(), " to ",
                                                 std::numeric_limits<Integer>::max()));
}

absl::StatusOr<double> ParsePlainNumber(absl::string_view text) {
  double value;
  if (absl::SimpleAtod(text, &value) && std::isfinite(value)) return value;
  return absl::InvalidArgumentError(absl::StrCat(Quote(text), " is not a number"));
}

absl::StatusOr<double> ParseNumber(absl::string_view text, v1::Unit unit) {
  switch (unit) {
    case v1::BYTES:
      return ParseBytes(text);
    case v1::PERCENT:
      return ParsePercent(text);
    case v1::RATE:
      return ParseRate(text);
    default:
      return ParsePlainNumber(text);
  }
}

absl::StatusOr<bool> ParseBool(absl::string_view text) {
  bool value;
  if (absl::SimpleAtob(text, &value)) return value;
  return absl::InvalidArgumentError(absl::StrCat(Quote(text), " is neither true nor false"));
}

absl::StatusOr<const EnumValueDescriptor*> ParseEnum(absl::string_view text, const FieldDescriptor& field) {
  const std::vector<std::string> names = EnumNames(*field.enum_type());
  for (size_t i = 0; i < names.size(); ++i) {
    if (EditDistance(text, names[i]) == 0 && text.size() == names[i].size()) {
      return field.enum_type()->value(static_cast<int>(i) + 1);
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown value ", Quote(text), SuggestFrom(text, names)));
}

absl::StatusOr<google::protobuf::Duration> ParseDurationField(absl::string_view text) {
  CREST_ASSIGN_OR_RETURN(const absl::Duration parsed, ParseDuration(text));
  if (parsed > absl::Hours(24 * 366)) {
    return absl::InvalidArgumentError(absl::StrCat(Quote(text), " is longer than a year"));
  }
  return ToProto(parsed);
}

// Calls the setter or the adder of one C++ type.
template <typename Value, typename Set, typename Add>
absl::Status Store(const absl::StatusOr<Value>& value, const FieldDescriptor& field, Message& message, Set set,
                   Add add) {
  CREST_RETURN_IF_ERROR(value.status());
  const Reflection& reflection = *message.GetReflection();
  if (field.is_repeated()) {
    (reflection.*add)(&message, &field, *value);
  } else {
    (reflection.*set)(&message, &field, *value);
  }
  return absl::OkStatus();
}

absl::Status StoreDuration(absl::string_view text, const FieldDescriptor& field, Message& message) {
  CREST_ASSIGN_OR_RETURN(const google::protobuf::Duration duration, ParseDurationField(text));
  const Reflection& reflection = *message.GetReflection();
  Message* to =
      field.is_repeated() ? reflection.AddMessage(&message, &field) : reflection.MutableMessage(&message, &field);
  to->CopyFrom(duration);
  return absl::OkStatus();
}

}  // namespace

absl::Status SetScalar(const YamlNode& node, const FieldDescriptor& field, Message& message) {
  if (node.kind != YamlNode::Kind::kScalar) {
    return absl::InvalidArgumentError(absl::StrCat(KindName(node.kind), " where a single value belongs"));
  }
  const std::string& text = node.scalar;
  const v1::Unit unit = field.options().GetExtension(v1::unit);
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return Store<std::string>(text, field, message, &Reflection::SetString, &Reflection::AddString);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Store(ParseNumber(text, unit), field, message, &Reflection::SetDouble, &Reflection::AddDouble);
    case FieldDescriptor::CPPTYPE_UINT32:
      return Store(ParseWhole<uint32_t>(text), field, message, &Reflection::SetUInt32, &Reflection::AddUInt32);
    case FieldDescriptor::CPPTYPE_INT32:
      return Store(ParseWhole<int32_t>(text), field, message, &Reflection::SetInt32, &Reflection::AddInt32);
    case FieldDescriptor::CPPTYPE_BOOL:
      return Store(ParseBool(text), field, message, &Reflection::SetBool, &Reflection::AddBool);
    case FieldDescriptor::CPPTYPE_ENUM:
      return Store(ParseEnum(text, field), field, message, &Reflection::SetEnum, &Reflection::AddEnum);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return StoreDuration(text, field, message);
    default:
      return absl::InternalError(absl::StrCat("no reading of ", field.full_name(), " from YAML is known"));
  }
}

google::protobuf::Value ToValue(const YamlNode& node) {
  google::protobuf::Value value;
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      value.set_null_value(google::protobuf::NULL_VALUE);
      break;
    case YamlNode::Kind::kList:
      value.mutable_list_value();
      for (const YamlNode& child : node.children) *value.mutable_list_value()->add_values() = ToValue(child);
      break;
    case YamlNode::Kind::kMap:
      value.mutable_struct_value();
      for (const YamlNode& child : node.children) {
        (*value.mutable_struct_value()->mutable_fields())[child.key] = ToValue(child);
      }
      break;
    case YamlNode::Kind::kScalar: {
      double number;
      if (node.plain && (node.scalar == "true" || node.scalar == "false")) {
        value.set_bool_value(node.scalar == "true");
      } else if (node.plain && absl::SimpleAtod(node.scalar, &number) && absl::StrCat(number) == node.scalar &&
                 std::isfinite(number)) {
        value.set_number_value(number);
      } else {
        value.set_string_value(node.scalar);
      }
      break;
    }
  }
  return value;
}

}  // namespace crest
