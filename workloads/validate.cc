#include "workloads/validate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"
#include "workloads/file_set.h"
#include "workloads/operation.h"
#include "workloads/size_shares.h"

namespace crest {
namespace {

constexpr double kMaxFileBytes = 0x1.0p40;       // 1 TiB
constexpr double kMaxTransferBytes = 0x1.0p20;   // 1 MiB: what servers offer at most
constexpr double kMaxOperationBytes = 0x1.0p26;  // 64 MiB: a buffer for each operation in flight must be possible
constexpr double kMaxBytesPerOpRate = 0x1.0p50;  // 1 PiB
constexpr double kMaxSetBytes = 0x1.0p60;
constexpr uint32_t kMaxFilesPerDirectory = 10'000;
constexpr uint32_t kMaxRatio = 1'000'000'000;
constexpr int kMaxTableEntries = 1'000;
constexpr size_t kMaxNameLength = 64;
constexpr uint32_t kMaxOutstanding = 65'536;
constexpr double kShareTolerance = 1e-6;
constexpr uint32_t kLeastAutoStreams = 64;
constexpr uint32_t kMaxAutoStreams = 1'000'000;

std::string Percent(double share) { return absl::StrFormat("%.7g %%", share * 100); }
std::string Number(double value) { return absl::StrFormat("%.15g", value); }

class Checker {
 public:
  explicit Checker(std::string prefix) : prefix_(std::move(prefix)) {}

  template <typename... Parts>
  void Add(absl::string_view path, const Parts&... message) {
    errors_.push_back({absl::StrCat(prefix_, path), absl::StrCat(message...)});
  }

  // A field that must be there, in [least, greatest].
  void Bytes(absl::string_view path, bool set, double value, double greatest) {
    if (!set) return Add(path, "is missing; give a number of bytes");
    if (!(value >= 1)) return Add(path, "must be at least 1 byte, not ", Number(value));
    if (value > greatest)
      return Add(path, "is ", Number(value), " bytes; at most ", FormatBytes(greatest), " is possible");
  }

  void Count(absl::string_view path, bool set, uint32_t value, uint32_t greatest) {
    if (!set) return Add(path, "is missing; give a number from 1 to ", greatest);
    if (value < 1 || value > greatest) Add(path, "must be from 1 to ", greatest, ", not ", value);
  }

  // A share in [0 or above, 1].
  void Share(absl::string_view path, double value, bool zero_allowed) {
    if (zero_allowed && value == 0) return;
    if (!(value > 0) || value > 1) {
      Add(path, "must be ", zero_allowed ? "from" : "above", " 0 % ", zero_allowed ? "to" : "and at most",
          " 100 %, not ", Percent(value));
    }
  }

  void SharesAddUp(absl::string_view path, double sum) {
    if (!(std::abs(sum - 1) <= kShareTolerance)) {
      Add(path, "the shares add up to ", Percent(sum), "; they must make 100 %");
    }
  }

  void Sizes(absl::string_view path, const google::protobuf::RepeatedPtrField<v1::SizeShare>& table, double greatest) {
    if (table.empty()) return Add(path, "is missing; give sizes with their shares, such as {8KiB: 100%}");
    if (table.size() > kMaxTableEntries) return Add(path, "has more than ", kMaxTableEntries, " sizes");
    double sum = 0;
    std::vector<double> seen;
    for (int i = 0; i < table.size(); ++i) {
      const std::string entry = absl::StrCat(path, "[", i, "]");
      const double size = table[i].size();
      Bytes(absl::StrCat(entry, ".size"), true, size, greatest);
      if (size != std::floor(size))
        Add(absl::StrCat(entry, ".size"), "must be a whole number of bytes, not ", Number(size));
      Share(absl::StrCat(entry, ".share"), table[i].share(), false);
      sum += table[i].share();
      seen.push_back(size);
    }
    SharesAddUp(path, sum);
    std::sort(seen.begin(), seen.end());
    const auto twice = std::adjacent_find(seen.begin(), seen.end());
    if (twice != seen.end()) Add(path, "the size of ", Number(*twice), " bytes is there twice; add its shares up");
  }

  bool ok() const { return errors_.empty(); }
  std::vector<FieldError> Take() { return std::move(errors_); }

 private:
  std::string prefix_;
  std::vector<FieldError> errors_;
};

bool IsForSetUpOnly(v1::OperationKind kind) {
  return kind == v1::OPERATION_MKDIR || kind == v1::OPERATION_RMDIR || kind == v1::OPERATION_SYMLINK;
}

// Checks the mix and returns the share of each operation.
std::array<double, kOperationKinds> CheckMix(const v1::Workload& workload, Checker& check) {
  std::array<double, kOperationKinds> shares{};
  if (workload.mix().empty()) {
    check.Add("mix", "is missing; give operations with their shares, such as {READ: 100%}");
    return shares;
  }
  if (workload.mix_size() > kMaxTableEntries) {
    check.Add("mix", "has more than ", kMaxTableEntries, " entries");
    return shares;
  }
  double sum = 0;
  for (int i = 0; i < workload.mix_size(); ++i) {
    const v1::OperationShare& entry = workload.mix(i);
    const std::string path = absl::StrCat("mix[", i, "]");
    const v1::OperationKind kind = entry.operation();
    sum += entry.share();
    check.Share(path + ".share", entry.share(), false);
    if (kind <= v1::OPERATION_UNSPECIFIED || kind >= kOperationKinds) {
      check.Add(path + ".operation", "is no operation that crest knows (number ", static_cast<int>(kind), ")");
      continue;
    }
    if (IsForSetUpOnly(kind)) {
      check.Add(path + ".operation", OperationName(kind),
                " builds and removes the file set and cannot be measured; take it out of the mix");
    }
    if (shares[static_cast<size_t>(kind)] != 0) {
      check.Add(path + ".operation", OperationName(kind), " is in the mix twice; add its shares up");
    }
    shares[static_cast<size_t>(kind)] += entry.share();
  }
  check.SharesAddUp("mix", sum);
  if (shares[v1::OPERATION_REMOVE] > shares[v1::OPERATION_CREATE]) {
    check.Add("mix", "REMOVE has ", Percent(shares[v1::OPERATION_REMOVE]), " and CREATE ",
              Percent(shares[v1::OPERATION_CREATE]),
              ": only created files are removed, so CREATE must have at least as much");
  }
  return shares;
}

void CheckTransfers(const v1::Workload& workload, const std::array<double, kOperationKinds>& shares, Checker& check) {
  const bool reads = shares[v1::OPERATION_READ] > 0;
  const bool writes = shares[v1::OPERATION_WRITE] > 0;
  // A table that no operation draws from may be absent, not wrong.
  if (reads || !workload.read_size().empty()) check.Sizes("read_size", workload.read_size(), kMaxOperationBytes);
  if (writes || !workload.write_size().empty()) check.Sizes("write_size", workload.write_size(), kMaxOperationBytes);
  check.Share("append", workload.append(), true);
  if (reads || writes || workload.has_transfer_size()) {
    check.Bytes("transfer_size", workload.has_transfer_size(), workload.transfer_size(), kMaxTransferBytes);
    if (workload.transfer_size() != std::floor(workload.transfer_size())) {
      check.Add("transfer_size", "must be a whole number of bytes, not ", Number(workload.transfer_size()));
    }
  }
  if (writes && !(workload.write_stability() >= v1::WRITE_STABILITY_UNSTABLE &&
                  workload.write_stability() <= v1::WRITE_STABILITY_FILE_SYNC)) {
    check.Add("write_stability", "is missing; give unstable, data_sync or file_sync");
  }
}

void CheckTimes(const v1::Workload& workload, Checker& check) {
  if (workload.arrivals() == v1::ARRIVALS_UNSPECIFIED || !v1::Arrivals_IsValid(workload.arrivals())) {
    check.Add("arrivals", "is missing; give uniform, poisson or jittered");
  }
  if (workload.response_time() != v1::RESPONSE_TIME_DUE && workload.response_time() != v1::RESPONSE_TIME_SENT) {
    check.Add("response_time", "is missing; give due or sent");
  }
  if (workload.has_outstanding()) check.Count("outstanding", true, workload.outstanding(), kMaxOutstanding);
  if (workload.has_limit()) {
    const double limit_s =
        static_cast<double>(workload.limit().seconds()) + static_cast<double>(workload.limit().nanos()) * 1e-9;
    if (!(limit_s > 0)) check.Add("limit", "must be above 0 s");
    if (limit_s > 3600) check.Add("limit", "must be at most 1 h");
  }
  const v1::ValiditySpec& validity = workload.validity();
  if (validity.has_achieved()) check.Share("validity.achieved", validity.achieved(), false);
  if (validity.has_errors()) check.Share("validity.errors", validity.errors(), true);
  if (validity.has_mix()) check.Share("validity.mix", validity.mix(), false);
}

// What only shows in the numbers that a block of directories comes to.
void CheckBlock(const v1::FileSetSpec& spec, Checker& check) {
  if (spec.accessed() * spec.files_per_directory() < 1 - 1e-9) {
    check.Add("accessed", Percent(spec.accessed()), " of ", spec.files_per_directory(),
              " files a directory is less than one; every directory needs one, so give at least ",
              Percent(1.0 / spec.files_per_directory()));
    return;
  }
  const BlockSizes block = CountBlockSizes(spec);
  for (size_t i = 0; i < block.sizes.size(); ++i) {
    if (block.all[i] > 0) continue;
    const uint64_t files = FileSet::kBlockDirectories * spec.files_per_directory();
    check.Add("file_size", "the share of ", block.sizes[i], " bytes is too small: the ", files, " files of ",
              FileSet::kBlockDirectories, " directories hold not one of them; give at least ",
              Percent(1.0 / static_cast<double>(files)));
  }
}

std::vector<FieldError> CheckFileSet(const v1::FileSetSpec& spec, absl::string_view prefix) {
  Checker check{std::string(prefix)};
  check.Bytes("bytes_per_op_rate", spec.has_bytes_per_op_rate(), spec.bytes_per_op_rate(), kMaxBytesPerOpRate);
  if (spec.has_accessed()) {
    check.Share("accessed", spec.accessed(), false);
  } else {
    check.Add("accessed", "is missing; give the share of files that are accessed, such as 30%");
  }
  check.Count("files_per_directory", spec.has_files_per_directory(), spec.files_per_directory(), kMaxFilesPerDirectory);
  check.Count("io_files_per_non_io_file", spec.has_io_files_per_non_io_file(), spec.io_files_per_non_io_file(),
              kMaxRatio);
  check.Count("io_files_per_symlink", spec.has_io_files_per_symlink(), spec.io_files_per_symlink(), kMaxRatio);
  check.Sizes("file_size", spec.file_size(), kMaxFileBytes);
  if (spec.selection() != v1::SELECTION_UNIFORM) check.Add("selection", "is missing; give uniform");
  if (spec.has_max_bytes()) check.Bytes("max_bytes", true, spec.max_bytes(), kMaxSetBytes);
  if (check.ok()) CheckBlock(spec, check);
  return check.Take();
}

}  // namespace

std::vector<FieldError> ValidateFileSet(const v1::FileSetSpec& file_set) { return CheckFileSet(file_set, "file_set."); }

std::vector<FieldError> ValidateWorkload(const v1::Workload& workload) {
  Checker check("");
  if (workload.name().empty()) check.Add("name", "is missing");
  if (workload.name().size() > kMaxNameLength) check.Add("name", "is longer than ", kMaxNameLength, " characters");
  CheckTransfers(workload, CheckMix(workload, check), check);
  CheckTimes(workload, check);
  std::vector<FieldError> errors = check.Take();
  for (FieldError& error : ValidateFileSet(workload.file_set())) errors.push_back(std::move(error));
  return errors;
}

std::vector<FieldError> ValidateStreams(const v1::Workload& workload, uint32_t streams, double requested_ops_per_s) {
  if (streams == 0) return {{"streams", "must be at least 1"}};
  const absl::StatusOr<FileSet> files = FileSet::Create(workload, 0);
  if (!files.ok()) return {{"file_set", std::string(files.status().message())}};
  const uint64_t directories = files->CountsAt(requested_ops_per_s).directories;
  if (streams <= directories) return {};
  const double directory_bytes = files->mean_file_size() * files->files_per_directory();
  const double needed = std::ceil(streams * directory_bytes / std::max(requested_ops_per_s, 1e-6));
  return {{"streams", absl::StrFormat("%d streams cannot each own one of the %d directories there are at %g op/s: give "
                                      "at most %d streams, or file_set.bytes_per_op_rate of %.0f bytes or more",
                                      streams, directories, requested_ops_per_s, directories, needed)}};
}

uint32_t AutoStreams(double peak_ops_per_s, double limit_s) {
  const double streams = std::ceil(2 * peak_ops_per_s * limit_s);
  if (!(streams > kLeastAutoStreams)) return kLeastAutoStreams;  // NaN too
  return static_cast<uint32_t>(std::min<double>(streams, kMaxAutoStreams));
}

}  // namespace crest
