#include "prime/import/nfsstat.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/status.h"

namespace crest {
namespace {

using Words = std::vector<absl::string_view>;

constexpr uint64_t kUnits = 10'000;  // of a mix: hundredths of a percent
constexpr absl::string_view kGetOne =
    "give the output of `nfsstat -s -3 -l` or `nfsstat -s`, run on the server, or a copy of /proc/net/rpc/nfsd";

struct Procedure {
  absl::string_view name;  // nfsstat's and RFC 1813's, lower case
  bool in_mix;             // a workload's mix can hold it
};

constexpr Procedure kProcedures[kNfs3Procedures] = {
    {"null", false},     {"getattr", true}, {"setattr", true},     {"lookup", true}, {"access", true},
    {"readlink", true},  {"read", true},    {"write", true},       {"create", true}, {"mkdir", false},
    {"symlink", false},  {"mknod", false},  {"remove", true},      {"rmdir", false}, {"rename", false},
    {"link", false},     {"readdir", true}, {"readdirplus", true}, {"fsstat", true}, {"fsinfo", false},
    {"pathconf", false}, {"commit", true},
};

constexpr size_t kCreate = 8;
constexpr size_t kRemove = 12;
constexpr size_t kCommit = 21;

template <typename... Args>
absl::Status Wrong(const Args&... what) {
  return absl::InvalidArgumentError(absl::StrCat(what...));
}

std::string Upper(size_t procedure) { return absl::AsciiStrToUpper(kProcedures[procedure].name); }

// The counters of one file while it is read; each may be set once.
class Reading {
 public:
  absl::Status Set(absl::string_view name, absl::string_view count) {
    const auto* const known = std::find_if(std::begin(kProcedures), std::end(kProcedures),
                                           [&](const Procedure& procedure) { return procedure.name == name; });
    if (known == std::end(kProcedures))
      return Wrong("names the procedure '", Printable(name), "', which NFSv3 has not");
    return Set(static_cast<size_t>(known - kProcedures), count);
  }

  absl::Status Set(size_t procedure, absl::string_view count) {
    const absl::string_view name = kProcedures[procedure].name;
    uint64_t number = 0;
    if (!absl::SimpleAtoi(count, &number)) {
      return Wrong("has '", Printable(count), "' where the count of ", name, " belongs; ", kGetOne);
    }
    if (seen_[procedure]) return Wrong("has the count of ", name, " twice; keep one output in each file");
    seen_[procedure] = true;
    counters_[procedure] = number;
    any_ = true;
    return absl::OkStatus();
  }

  bool any() const { return any_; }
  const Nfs3Counters& counters() const { return counters_; }

 private:
  Nfs3Counters counters_{};
  std::array<bool, kNfs3Procedures> seen_{};
  bool any_ = false;
};

// "proc3 22 39 992875652 …": how many follow, then one a procedure.
absl::Status ReadProcLine(const Words& words, Reading& reading) {
  if (words.size() != kNfs3Procedures + 2 || words[1] != "22") {
    return Wrong("has a line proc3 of ", words.size(), " words, where 22 counters belong; ", kGetOne);
  }
  for (size_t i = 0; i < kNfs3Procedures; ++i) CREST_RETURN_IF_ERROR(reading.Set(i, words[i + 2]));
  return absl::OkStatus();
}

// A line of names and the one below it: "992875652 37%     140854720  5% …".
absl::Status ReadTableRow(const Words& names, const Words& values, Reading& reading) {
  Words counts;
  for (const absl::string_view value : values) {
    if (!absl::EndsWith(value, "%")) {
      counts.push_back(value);
    } else if (value.size() > 4 && absl::EndsWith(value, "100%")) {
      counts.push_back(absl::StripSuffix(value, "100%"));  // a long count leaves no space before 100 %
    }
  }
  if (counts.size() != names.size()) {
    return Wrong("has ", counts.size(), " counts below ", names.size(), " names of procedures; ", kGetOne);
  }
  for (size_t i = 0; i < names.size(); ++i) CREST_RETURN_IF_ERROR(reading.Set(names[i], counts[i]));
  return absl::OkStatus();
}

uint64_t Sum(const Nfs3Counters& counters) {
  uint64_t sum = 0;
  for (const uint64_t count : counters) sum += count;
  return sum;
}

// Cuts `units` by the weights: each gets its whole part, the largest remainders the rest.
Nfs3Counters Deal(const Nfs3Counters& weights, uint64_t units) {
  const auto sum = static_cast<long double>(Sum(weights));
  Nfs3Counters dealt{};
  std::vector<std::pair<long double, size_t>> remainders;
  uint64_t left = units;
  for (size_t i = 0; i < weights.size(); ++i) {
    const long double exact = static_cast<long double>(units) * static_cast<long double>(weights[i]) / sum;
    dealt[i] = static_cast<uint64_t>(exact);
    left -= dealt[i];
    remainders.emplace_back(static_cast<long double>(dealt[i]) - exact, i);
  }
  std::sort(remainders.begin(), remainders.end());
  for (size_t i = 0; i < left; ++i) ++dealt[remainders[i].second];
  return dealt;
}

std::string Units(uint64_t units) { return absl::StrFormat("%d.%02d%%", units / 100, units % 100); }

std::string Share(uint64_t part, uint64_t whole) {
  return absl::StrFormat("%.4g %%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

// What a mix can hold of the calls, and what it cannot.
class MeasuredMix {
 public:
  explicit MeasuredMix(const Nfs3Counters& calls) : all_(Sum(calls)) {
    for (size_t i = 0; i < kNfs3Procedures; ++i) {
      if (calls[i] == 0) continue;
      const uint64_t possible = i == kRemove ? std::min(calls[i], calls[kCreate]) : calls[i];
      if (!kProcedures[i].in_mix) {
        LeaveOut(i, calls[i], "");
      } else if (possible < calls[i]) {
        LeaveOut(i, calls[i] - possible, " (beyond the CREATEs: only created files are removed)");
      }
      weights_[i] = kProcedures[i].in_mix ? possible : 0;
    }
    if (Sum(weights_) == 0) return;
    units_ = Deal(weights_, kUnits);
    // Rounding may favour REMOVE where both are equal.
    if (units_[kRemove] > units_[kCreate]) std::swap(units_[kRemove], units_[kCreate]);
    for (size_t i = 0; i < kNfs3Procedures; ++i) {
      if (weights_[i] > 0 && units_[i] == 0) LeaveOut(i, weights_[i], " (too rare for a share)");
    }
  }

  uint64_t all() const { return all_; }
  bool empty() const { return Sum(units_) == 0; }
  const std::vector<std::string>& left_out() const { return left_out_; }

  std::string ToYaml() const {
    std::string text =
        absl::StrCat("# The mix of ", all_, " NFSv3 calls of a server, for a spec.\n",
                     "# File set, sizes and pacing are those of sfs2008-nfs: set file_set, read_size and "
                     "write_size to what your server holds.\n"
                     "# Counters tell calls; an operation of crest that is longer than transfer_size is "
                     "several.\n");
    if (!left_out_.empty()) {
      absl::StrAppend(&text, "# Left out, ", Share(left_out_calls_, all_),
                      " of the calls, for no mix of crest can hold ", "them:\n");
      for (const std::string& entry : left_out_) absl::StrAppend(&text, "#   ", entry, "\n");
    }
    absl::StrAppend(&text,
                    "workload:\n  profile: sfs2008-nfs\n  name: from-nfsstat\n  description: The mix of a real server\n"
                    "  source:\n    - \"Operation mix: ",
                    all_, " NFSv3 calls, from the server's counters\"\n    - \"All else: the profile sfs2008-nfs\"\n");
    if (units_[kCommit] > 0) {
      absl::StrAppend(&text, "  write_stability: unstable  # clients that send COMMIT write so\n");
    }
    absl::StrAppend(&text, "  mix:\n");
    for (size_t i = 0; i < kNfs3Procedures; ++i) {
      if (units_[i] > 0) absl::StrAppend(&text, "    ", Upper(i), ": ", Units(units_[i]), "\n");
    }
    return text;
  }

 private:
  void LeaveOut(size_t procedure, uint64_t count, absl::string_view why) {
    left_out_.push_back(absl::StrCat(Upper(procedure), " ", Share(count, all_), why));
    left_out_calls_ += count;
  }

  const uint64_t all_;
  Nfs3Counters weights_{};
  Nfs3Counters units_{};
  std::vector<std::string> left_out_;
  uint64_t left_out_calls_ = 0;
};

absl::StatusOr<Nfs3Counters> Difference(const Nfs3Counters& before, const Nfs3Counters& after) {
  Nfs3Counters calls{};
  for (size_t i = 0; i < kNfs3Procedures; ++i) {
    if (after[i] < before[i]) {
      return Wrong(
          "the counter of ", kProcedures[i].name, " went from ", before[i], " back to ", after[i],
          ": the server was restarted in between, its counters were reset or have wrapped around, or the files "
          "are in the wrong order; take two outputs of one uptime, the earlier first");
    }
    calls[i] = after[i] - before[i];
  }
  return calls;
}

}  // namespace

absl::StatusOr<Nfs3Counters> ParseNfs3Counters(absl::string_view text) {
  Reading reading;
  bool of_server = false;  // counters of a server, of whatever version
  bool of_client = false;
  bool in_table = false;
  std::optional<Words> names;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const Words words = absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    if (absl::EndsWith(words.back(), ":") && words.size() > 1) {  // "Server nfs v3:"
      if (names) return Wrong("ends within the table of NFSv3; ", kGetOne);
      of_server = of_server || words[0] == "Server";
      of_client = of_client || words[0] == "Client";
      in_table = absl::EqualsIgnoreCase(absl::StrJoin(words, " "), "server nfs v3:");
    } else if (in_table && !names) {
      names = words;
    } else if (in_table) {
      CREST_RETURN_IF_ERROR(ReadTableRow(*names, words, reading));
      names.reset();
    } else if (words[0] == "proc3") {
      CREST_RETURN_IF_ERROR(ReadProcLine(words, reading));
    } else if (words.size() == 5 && words[0] == "nfs" && absl::EndsWith(words[3], ":")) {
      of_server = of_server || words[2] == "server";
      of_client = of_client || words[2] == "client";
      if (words[1] != "v3" || words[2] != "server" || words[3] == "total:") continue;
      CREST_RETURN_IF_ERROR(reading.Set(absl::StripSuffix(words[3], ":"), words[4]));
    } else if (words[0] == "proc4ops" || words[0] == "proc4") {
      of_server = true;
    }
  }
  if (names) return Wrong("ends within the table of NFSv3; ", kGetOne);
  if (reading.any() || of_server) return reading.counters();
  if (of_client) return Wrong("has the counters of a client alone; ", kGetOne);
  return Wrong("has no counters of an NFS server; ", kGetOne);
}

absl::StatusOr<std::string> WorkloadFromNfs3Counters(const Nfs3Counters& before, const Nfs3Counters& after) {
  CREST_ASSIGN_OR_RETURN(const Nfs3Counters calls, Difference(before, after));
  const MeasuredMix mix(calls);
  if (mix.all() == 0) {
    return absl::FailedPreconditionError(
        "no NFSv3 call came between the two outputs; take them further apart, while clients work over NFSv3");
  }
  if (mix.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "none of the ", mix.all(), " NFSv3 calls between the two outputs is of a kind that a mix can hold (",
        absl::StrJoin(mix.left_out(), ", "), "); take the outputs further apart, while clients work over NFSv3"));
  }
  return mix.ToYaml();
}

}  // namespace crest
