#include "workloads/profile_for_test.h"

#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "workloads/profiles.h"

namespace crest {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

[[noreturn]] void Fail(const std::string& what) {
  std::cerr << "profile: " << what << "\n";
  std::abort();
}

template <typename T>
T ValueOrFail(const absl::StatusOr<T>& value) {
  if (!value.ok()) Fail(value.status().ToString());
  return *value;
}

void ReadMap(const YAML::Node& node, Message& message);

void ReadScalar(const std::string& text, const FieldDescriptor* field, Message& message) {
  const auto* reflection = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return field->is_repeated() ? reflection->AddString(&message, field, text)
                                  : reflection->SetString(&message, field, text);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection->SetUInt32(&message, field, static_cast<uint32_t>(std::stoul(text)));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection->SetDouble(&message, field,
                                   field->options().GetExtension(v1::unit) == v1::PERCENT
                                       ? ValueOrFail(ParsePercent(text))
                                       : ValueOrFail(ParseBytes(text)));
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* type = field->enum_type();
      // The first value is PREFIX_UNSPECIFIED.
      std::string prefix = type->value(0)->name();
      prefix.resize(prefix.size() - std::string("UNSPECIFIED").size());
      const auto* value = type->FindValueByName(prefix + absl::AsciiStrToUpper(text));
      if (value == nullptr) Fail(field->name() + " has no value " + text);
      return reflection->SetEnum(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      auto* duration = google::protobuf::DynamicCastToGenerated<google::protobuf::Duration>(
          reflection->MutableMessage(&message, field));
      if (duration == nullptr) Fail(field->name() + " is no duration");
      duration->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(ValueOrFail(ParseDuration(text)))));
      return;
    }
    default:
      Fail(field->name() + " has a type that no profile uses");
  }
}

void ReadKeyed(const YAML::Node& node, const FieldDescriptor* field, Message& message) {
  for (const auto& entry : node) {
    Message* added = message.GetReflection()->AddMessage(&message, field);
    ReadScalar(entry.first.Scalar(), added->GetDescriptor()->field(0), *added);
    ReadScalar(entry.second.Scalar(), added->GetDescriptor()->field(1), *added);
  }
}

void ReadMap(const YAML::Node& node, Message& message) {
  for (const auto& entry : node) {
    const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(entry.first.Scalar());
    if (field == nullptr) Fail("unknown key " + entry.first.Scalar());
    if (field->options().GetExtension(v1::keyed)) {
      ReadKeyed(entry.second, field, message);
    } else if (entry.second.IsMap()) {
      ReadMap(entry.second, *message.GetReflection()->MutableMessage(&message, field));
    } else if (entry.second.IsSequence()) {
      for (const YAML::Node& item : entry.second) ReadScalar(item.Scalar(), field, message);
    } else {
      ReadScalar(entry.second.Scalar(), field, message);
    }
  }
}

}  // namespace

v1::Workload ProfileForTest(absl::string_view name) {
  for (const Profile& profile : Profiles()) {
    if (profile.name != name) continue;
    v1::Workload workload;
    ReadMap(YAML::Load(std::string(profile.yaml)), workload);
    return workload;
  }
  Fail(absl::StrCat("there is none called ", name));
}

}  // namespace crest
