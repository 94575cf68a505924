#include "prime/spec/spec.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/units.h"
#include "prime/control/load_plan.h"
#include "prime/spec/check.h"
#include "prime/spec/complaints.h"
#include "prime/spec/defaults.h"
#include "prime/spec/durations.h"
#include "prime/spec/message_reader.h"
#include "prime/spec/nearest.h"
#include "prime/spec/overrides.h"
#include "workloads/profiles.h"
#include "workloads/validate.h"

namespace crest {
namespace {

constexpr double kMaxStreams = 1e6;
constexpr uint32_t kFullCurvePoints = 10;

const Profile* FindProfile(absl::string_view name) {
  for (const Profile& profile : Profiles()) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

std::string UnknownProfile(absl::string_view name) {
  std::vector<std::string> names;
  for (const Profile& profile : Profiles()) names.emplace_back(profile.name);
  return absl::StrCat("no profile '", name, "' ships with crest", SuggestFrom(name, names));
}

v1::Workload ReadProfile(const Profile& profile, std::vector<SpecError>& errors) {
  const std::string source = absl::StrCat("profile ", profile.name);
  v1::Workload workload;
  FieldPlaces places;
  const YamlNode root = ParseYaml(profile.yaml, source, errors);
  ReadMessage(root, "", workload, places, errors);
  workload.set_profile(std::string(profile.name));
  return workload;
}

// The scalar that names the profile in `workload: NAME` or `workload: {profile: NAME}`; nullptr: none.
const YamlNode* ProfileNode(const YamlNode& root) {
  const YamlNode* node = root.Child("workload");
  if (node != nullptr && node->kind == YamlNode::Kind::kMap) node = node->Child("profile");
  return node != nullptr && node->kind == YamlNode::Kind::kScalar ? node : nullptr;
}

// Reads one spec, from text to ParsedSpec. One use.
class SpecParser {
 public:
  explicit SpecParser(absl::string_view source) : source_(source) {}

  ParsedSpec Parse(absl::string_view text, const std::vector<std::string>& overrides) && {
    YamlNode root = ParseYaml(text, source_, parsed_.errors);
    const bool is_yaml = parsed_.errors.empty();
    if (!is_yaml && root.kind == YamlNode::Kind::kNull) return std::move(parsed_);
    if (root.kind == YamlNode::Kind::kNull) {
      root.kind = YamlNode::Kind::kMap;
      root.place = Place{source_};
    }
    for (const std::string& text_of_override : overrides) {
      ApplyOverride(text_of_override, *v1::RunSpec::descriptor(), root, parsed_.errors);
    }
    places_.Set("", root.place);
    RefuseAutoPeak(root);
    ReadFields(root);
    Complaints complaints(places_, parsed_.errors);
    // Where the YAML itself is wrong, values may be missing for that alone.
    if (is_yaml && root.kind == YamlNode::Kind::kMap) Check(complaints);
    SortErrors();
    return std::move(parsed_);
  }

 private:
  // `auto` needs a plan that searches for the peak.
  void RefuseAutoPeak(YamlNode& root) {
    YamlNode* load = root.Child("load");
    YamlNode* peak = load == nullptr ? nullptr : load->Child("peak");
    if (peak == nullptr || peak->kind != YamlNode::Kind::kScalar || !absl::EqualsIgnoreCase(peak->scalar, "auto")) {
      return;
    }
    parsed_.errors.push_back(
        {peak->place,
         "'load.peak': auto is not known to this crest; give the highest rate to request, as in peak: 5000"});
    places_.MarkWrong("load.peak");
    load->children.erase(load->children.begin() + (peak - load->children.data()));
  }

  void ReadFields(const YamlNode& root) {
    v1::RunSpec& spec = parsed_.spec;
    const YamlNode* profile_node = ProfileNode(root);
    const Profile* profile = profile_node == nullptr ? nullptr : FindProfile(profile_node->scalar);
    if (profile != nullptr) {
      *spec.mutable_workload() = ReadProfile(*profile, parsed_.errors);
    } else if (profile_node != nullptr) {
      parsed_.errors.push_back({profile_node->place, UnknownProfile(profile_node->scalar)});
      places_.MarkWrong("workload");
    }
    const v1::FileSetSpec shipped = spec.workload().file_set();
    ReadMessage(root, "", spec, places_, parsed_.errors);
    v1::FileSetSpec& files = *spec.mutable_workload()->mutable_file_set();
    if (shipped.has_bytes_per_op_rate() && shipped.bytes_per_op_rate() != files.bytes_per_op_rate()) {
      files.set_profile_bytes_per_op_rate(shipped.bytes_per_op_rate());
    }
  }

  void Check(Complaints& complaints) {
    v1::RunSpec& spec = parsed_.spec;
    if (!spec.has_workload() || !complaints.WasWritten("workload")) {
      complaints.Add("workload", "is missing; name a profile, as in workload: sfs2008-nfs");
      places_.MarkWrong("workload");
    }
    if (complaints.WasWritten("seed") && spec.seed() == 0) complaints.Add("seed", "must be at least 1");
    if (complaints.WasWritten("load.points") && spec.load().points() == 0) {
      complaints.Add("load.points", "must be 1 to 1,000");
    }
    FillDefaults(source_, spec);
    CheckSpec(spec, complaints);
    if (!complaints.any()) CheckStreams(complaints);
    if (!complaints.any()) NoteFindings();
  }

  void CheckStreams(Complaints& complaints) {
    const v1::LoadSpec& load = parsed_.spec.load();
    const auto plan = MakeLoadPlan(load);
    if (!plan.ok()) {
      complaints.Add("load", std::string(plan.status().message()));
      return;
    }
    parsed_.rates = (*plan)->PlannedRates();
    const double limit_s = absl::ToDoubleSeconds(FromProto(parsed_.spec.limit().mean()));
    const auto [least, greatest] = std::minmax_element(parsed_.rates.begin(), parsed_.rates.end());
    const double needed = load.has_streams() ? load.streams() : 2 * *greatest * limit_s;
    if (needed > kMaxStreams) {
      complaints.Add(load.has_streams() ? "load.streams" : "load", "comes to ", FormatRate(needed),
                     " streams, more than 1,000,000; lower the rate or the limit, or set load.streams");
      return;
    }
    parsed_.streams = load.has_streams() ? load.streams() : AutoStreams(*greatest, limit_s);
    for (const FieldError& error : ValidateStreams(parsed_.spec.workload(), parsed_.streams, *least)) {
      complaints.Add(JoinPath(error.path == "streams" ? "load" : "workload", error.path), error.message);
    }
  }

  void NoteFindings() {
    const v1::RunSpec& spec = parsed_.spec;
    if (parsed_.rates.size() < kFullCurvePoints && spec.load().plan() == v1::LOAD_PLAN_CURVE) {
      AddFinding("few_load_points", v1::NOTE,
                 "fewer than ten load points make a coarse curve; published results have ten",
                 absl::StrCat(parsed_.rates.size(), " points"));
    }
    const v1::FileSetSpec& files = spec.workload().file_set();
    if (files.has_profile_bytes_per_op_rate() && files.bytes_per_op_rate() < files.profile_bytes_per_op_rate()) {
      AddFinding("small_file_set", v1::WARNING,
                 "the file set is smaller than the profile asks for, so more of it fits into caches; compare only with "
                 "runs of the same size",
                 absl::StrCat(FormatBytes(files.bytes_per_op_rate()), " for each requested op/s instead of ",
                              FormatBytes(files.profile_bytes_per_op_rate())));
    }
  }

  void AddFinding(absl::string_view code, v1::Severity severity, absl::string_view message, std::string evidence) {
    v1::Finding& finding = parsed_.findings.emplace_back();
    finding.set_code(std::string(code));
    finding.set_severity(severity);
    finding.set_message(std::string(message));
    finding.set_evidence(std::move(evidence));
  }

  // In the order of the text; those of --set after those of the file.
  void SortErrors() {
    std::stable_sort(parsed_.errors.begin(), parsed_.errors.end(), [&](const SpecError& a, const SpecError& b) {
      const auto key = [&](const SpecError& e) {
        return std::make_tuple(e.place.source != source_, e.place.source, e.place.line, e.place.column);
      };
      return key(a) < key(b);
    });
  }

  const std::string source_;
  ParsedSpec parsed_;
  FieldPlaces places_;
};

// At most a little more than ParseYaml takes, so that an endless file ends.
absl::StatusOr<std::string> ReadAll(const std::string& path) {
  constexpr size_t kMaxBytes = (1 << 20) + 1;
  const auto close = [](std::FILE* f) { return f == stdin ? 0 : std::fclose(f); };
  const std::unique_ptr<std::FILE, decltype(close)> file(path == "-" ? stdin : std::fopen(path.c_str(), "rbe"), close);
  std::string text(kMaxBytes, '\0');
  if (file != nullptr) text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (file == nullptr || std::ferror(file.get()) != 0) {
    return absl::NotFoundError(absl::StrCat("cannot be read: ", std::strerror(errno), "; give the path of a spec"));
  }
  return text;
}

}  // namespace

absl::Status ParsedSpec::status() const {
  if (ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrJoin(errors, "\n", [](std::string* out, const SpecError& e) { out->append(e.ToString()); }));
}

ParsedSpec ParseSpec(absl::string_view text, absl::string_view source, const std::vector<std::string>& overrides) {
  return SpecParser(source).Parse(text, overrides);
}

ParsedSpec ReadSpecFile(const std::string& path, const std::vector<std::string>& overrides) {
  const absl::StatusOr<std::string> text = ReadAll(path);
  if (text.ok()) return ParseSpec(*text, path, overrides);
  ParsedSpec parsed;
  parsed.errors.push_back({Place{path, 1, 1}, std::string(text.status().message())});
  return parsed;
}

absl::StatusOr<v1::Workload> ProfileWorkload(absl::string_view name) {
  const Profile* profile = FindProfile(name);
  if (profile == nullptr) return absl::NotFoundError(UnknownProfile(name));
  ParsedSpec parsed;
  v1::Workload workload = ReadProfile(*profile, parsed.errors);
  if (!parsed.ok()) return absl::InternalError(parsed.status().message());
  FillWorkloadDefaults(workload);
  return workload;
}

}  // namespace crest
