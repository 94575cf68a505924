#include "workloads/operation_stream.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "workloads/alias_table.h"
#include "workloads/key.h"
#include "workloads/size_shares.h"
#include "workloads/validate.h"

namespace crest {
namespace {

using Fixed = unsigned __int128;

constexpr uint32_t kGolden32 = 0x9e3779b9;  // frac(φ) · 2^32

constexpr uint64_t kAlignment = 4096;  // offsets of READs and overwrites are multiples of it

struct SizeTable {
  explicit SizeTable(const google::protobuf::RepeatedPtrField<v1::SizeShare>& table) : alias({1.0}) {
    std::vector<double> shares;
    for (const SizeAndShare& entry : SortedSizes(table)) {
      sizes.push_back(static_cast<uint32_t>(entry.size));
      shares.push_back(entry.share);
    }
    if (!shares.empty()) alias = AliasTable(shares);
  }
  uint32_t Draw(Random& random) const { return sizes[alias.Draw(random.Next())]; }
  uint32_t max() const { return sizes.empty() ? 0 : sizes.back(); }

  std::vector<uint32_t> sizes;
  AliasTable alias;
};

double ShareOf(const v1::Workload& workload, v1::OperationKind kind) {
  for (const v1::OperationShare& entry : workload.mix()) {
    if (entry.operation() == kind) return entry.share();
  }
  return 0;
}

// Evenly among the multiples of kAlignment at which `length` bytes fit into `size`.
uint64_t DrawOffset(Random& random, uint64_t size, uint32_t length) {
  return random.Below((size - length) / kAlignment + 1) * kAlignment;
}

}  // namespace

struct WorkloadModel::Tables {
  Tables(const v1::Workload& w, FileSet file_set, uint64_t s)
      : workload(w),
        files(std::move(file_set)),
        seed(s),
        mix({1.0}),
        read_size(w.read_size()),
        write_size(w.write_size()),
        append(w.append()) {
    std::vector<double> shares;
    for (const v1::OperationShare& entry : w.mix()) {
      if (entry.operation() == v1::OPERATION_REMOVE) continue;  // takes turns with CREATE
      kinds.push_back(entry.operation());
      shares.push_back(entry.share());
      if (entry.operation() == v1::OPERATION_CREATE) shares.back() += ShareOf(w, v1::OPERATION_REMOVE);
    }
    mix = AliasTable(shares);
    const double create = ShareOf(w, v1::OPERATION_CREATE);
    const double remove = ShareOf(w, v1::OPERATION_REMOVE);
    if (remove > 0) removes_q32 = static_cast<uint64_t>(remove / (create + remove) * 0x1.0p32);
  }

  v1::Workload workload;
  FileSet files;
  uint64_t seed;
  AliasTable mix;
  std::vector<v1::OperationKind> kinds;  // by the mix's index; CREATE stands for REMOVE too
  SizeTable read_size;
  SizeTable write_size;
  double append;             // share of WRITEs
  uint64_t removes_q32 = 0;  // REMOVEs among CREATEs and REMOVEs, of 2^32: 2^31 at most
};

absl::StatusOr<std::unique_ptr<const WorkloadModel>> WorkloadModel::Create(const v1::Workload& workload,
                                                                           uint64_t seed) {
  if (const std::vector<FieldError> errors = ValidateWorkload(workload); !errors.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(errors.front().path, ": ", errors.front().message));
  }
  absl::StatusOr<FileSet> files = FileSet::Create(workload, seed);
  if (!files.ok()) return files.status();
  return std::unique_ptr<const WorkloadModel>(
      new WorkloadModel(std::make_unique<Tables>(workload, *std::move(files), seed)));
}

WorkloadModel::WorkloadModel(std::unique_ptr<Tables> tables) : tables_(std::move(tables)) {}
WorkloadModel::~WorkloadModel() = default;

const FileSet& WorkloadModel::files() const { return tables_->files; }
const v1::Workload& WorkloadModel::workload() const { return tables_->workload; }
uint64_t WorkloadModel::seed() const { return tables_->seed; }
uint32_t WorkloadModel::max_length() const { return std::max(tables_->read_size.max(), tables_->write_size.max()); }

struct OperationStream::Draft {
  Random random;
  Operation operation;
};

OperationStream::OperationStream(const WorkloadModel* model, const FileSetCounts& counts, uint32_t stream,
                                 uint32_t stream_count, uint32_t point)
    : tables_(model->tables_.get()),
      slice_(&model->files(), counts, stream, stream_count),
      operations_key_(KeyFor(KeyUse::kOperations, model->seed(), stream, point)),
      created_key_(KeyFor(KeyUse::kCreated, model->seed(), stream, point)),
      turn_phase_q32_(stream * kGolden32),
      first_generation_((uint64_t{point} << 40) + 1) {
  const bool appends = tables_->append > 0 && ShareOf(tables_->workload, v1::OPERATION_WRITE) > 0;
  if (appends) appended_.resize(slice_.accessed_count());
  const bool reads_or_writes =
      ShareOf(tables_->workload, v1::OPERATION_READ) > 0 || ShareOf(tables_->workload, v1::OPERATION_WRITE) > 0;
  if (tables_->removes_q32 > 0) initial_file_ = *InitialFile(*model, counts, stream, stream_count);
  if (reads_or_writes) touched_.resize(slice_.accessed_count());
}

Operation OperationStream::Next() {
  Draft draft{Random(ExtendKey(operations_key_, index_)), {}};
  Operation& operation = draft.operation;
  operation.kind = tables_->kinds[tables_->mix.Draw(draft.random.Next())];
  switch (operation.kind) {
    case v1::OPERATION_READ:
      FillRead(draft);
      break;
    case v1::OPERATION_WRITE:
      FillWrite(draft);
      break;
    case v1::OPERATION_CREATE:
      FillCreateOrRemove(draft);
      break;
    case v1::OPERATION_SETATTR:
      operation.object = {ObjectKind::kNonIoFile, slice_.NonIoFile(draft.random.Below(slice_.non_io_count()))};
      operation.parent = tables_->files.ParentOf(operation.object);
      break;
    case v1::OPERATION_READLINK:
      operation.object = {ObjectKind::kSymlink, slice_.Symlink(draft.random.Below(slice_.symlink_count()))};
      operation.parent = tables_->files.ParentOf(operation.object);
      break;
    case v1::OPERATION_READDIR:
    case v1::OPERATION_READDIRPLUS:
      operation.object = {ObjectKind::kDirectory, slice_.Directory(draft.random.Below(slice_.directory_count()))};
      operation.parent = tables_->files.ParentOf(operation.object);
      break;
    case v1::OPERATION_FSSTAT:
      operation.object = {ObjectKind::kRoot, 0};
      break;
    default:
      ChooseAccessed(draft);
      break;
  }
  ++index_;
  return operation;
}

OperationStream::AccessedFile OperationStream::ChooseAccessed(Draft& draft) const {
  AccessedFile file;
  file.index = draft.random.Below(slice_.accessed_count());
  file.place = slice_.AccessedPlace(file.index);
  draft.operation.object = {ObjectKind::kFile, tables_->files.AccessedFile(file.place.directory, file.place.index)};
  draft.operation.parent = {ObjectKind::kDirectory, file.place.directory};
  return file;
}

void OperationStream::Touch(uint64_t accessed_index, uint64_t size) {
  if (touched_[accessed_index]) return;
  touched_[accessed_index] = true;
  ++touched_files_;
  touched_bytes_ += size;
}

void OperationStream::FillRead(Draft& draft) {
  const AccessedFile file = ChooseAccessed(draft);
  const uint64_t size = tables_->files.AccessedFileSize(file.place.directory, file.place.index);
  Touch(file.index, size);
  Operation& operation = draft.operation;
  operation.length = static_cast<uint32_t>(std::min<uint64_t>(tables_->read_size.Draw(draft.random), size));
  operation.offset = DrawOffset(draft.random, size, operation.length);
}

void OperationStream::FillWrite(Draft& draft) {
  const AccessedFile file = ChooseAccessed(draft);
  const uint64_t size = tables_->files.AccessedFileSize(file.place.directory, file.place.index);
  Touch(file.index, size);
  const uint64_t drawn = tables_->write_size.Draw(draft.random);
  Operation& operation = draft.operation;
  operation.generation = first_generation_ + index_;
  // Places behind the end are kept in 32 bits; only the band of files above 40 GiB is cut by that.
  const uint64_t band = std::min<uint64_t>(AppendBand(size), std::numeric_limits<uint32_t>::max());
  if (draft.random.NextUnit() < tables_->append && band > 0) {
    operation.length = static_cast<uint32_t>(std::min(drawn, band));
    uint32_t& appended = appended_[file.index];
    if (appended + uint64_t{operation.length} > band) appended = 0;
    operation.offset = size + appended;
    appended += operation.length;
  } else {
    operation.length = static_cast<uint32_t>(std::min(drawn, size));
    operation.offset = DrawOffset(draft.random, size, operation.length);
  }
}

void OperationStream::FillCreateOrRemove(Draft& draft) {
  const uint64_t turn = created_ + removed_ + 1;
  const Fixed phase_q32 = tables_->removes_q32 > 0 ? turn_phase_q32_ : 0;
  const auto removes_due = static_cast<uint64_t>((Fixed{turn} * tables_->removes_q32 + phase_q32) >> 32);
  if (removes_due == removed_) {
    draft.operation = Created(v1::OPERATION_CREATE, created_++);
  } else if (removed_++ == 0) {
    draft.operation = initial_file_;
    draft.operation.kind = v1::OPERATION_REMOVE;
  } else {
    draft.operation = Created(v1::OPERATION_REMOVE, removed_ - 2);
  }
}

std::optional<Operation> OperationStream::InitialFile(const WorkloadModel& model, const FileSetCounts& counts,
                                                      uint32_t stream, uint32_t stream_count) {
  if (model.tables_->removes_q32 == 0) return std::nullopt;
  const FileSetSlice slice(&model.files(), counts, stream, stream_count);
  Random random(KeyFor(KeyUse::kInitialFile, model.seed(), stream, 0));
  Operation operation;
  operation.kind = v1::OPERATION_CREATE;
  operation.object = {ObjectKind::kCreated, random.Next() >> 4};
  operation.parent = {ObjectKind::kDirectory, slice.Directory(0)};
  return operation;
}

Operation OperationStream::Created(v1::OperationKind kind, uint64_t k) const {
  Random random(ExtendKey(created_key_, k));
  Operation operation;
  operation.kind = kind;
  operation.object = {ObjectKind::kCreated, random.Next() >> 4};
  operation.parent = {ObjectKind::kDirectory, slice_.Directory(random.Below(slice_.directory_count()))};
  return operation;
}

std::vector<Operation> OperationStream::Leftovers() const {
  std::vector<Operation> leftovers;
  const uint64_t of_created = removed_ > 0 ? removed_ - 1 : 0;  // the first REMOVE took the initial file
  leftovers.reserve(created_ - of_created);
  for (uint64_t k = of_created; k < created_; ++k) leftovers.push_back(Created(v1::OPERATION_REMOVE, k));
  return leftovers;
}

}  // namespace crest
