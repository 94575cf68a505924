#include "agent/load/file_set_builder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status.h"

namespace crest {
namespace {

// Directories under way at once: enough to hide a server's round trips.
constexpr int kConcurrency = 32;
constexpr absl::Duration kRollBackGrace = absl::Seconds(10);

bool IsThere(Outcome outcome) { return outcome == kOk || outcome == kAlreadyExists; }

}  // namespace

FileSetBuilder::FileSetBuilder(const WorkloadModel* model, const FileSetCounts& counts, std::vector<uint32_t> streams,
                               uint32_t stream_count, uint32_t write_length, Engine* engine, TaskRunner* runner,
                               BuildProgress* progress)
    : files_(&model->files()),
      counts_(counts),
      write_length_(write_length),
      engine_(engine),
      runner_(runner),
      progress_(progress) {
  for (const uint32_t stream : streams) {
    slices_.emplace_back(files_, counts, stream, stream_count);
    const std::optional<Operation> initial = OperationStream::InitialFile(*model, counts, stream, stream_count);
    if (initial) initial_files_.push_back(*initial);
  }
  for (const FileSetSlice& slice : slices_) {
    for (uint64_t i = 0; i < slice.directory_count(); ++i) {
      const uint64_t first = slice.Directory(i) * files_->files_per_directory();
      for (uint64_t file = first; file < first + files_->files_per_directory(); ++file) {
        total_bytes_ += static_cast<double>(files_->FileSize(file));
        if (files_->IsAccessed(file)) accessed_bytes_ += static_cast<double>(files_->FileSize(file));
      }
    }
  }
}

Operation FileSetBuilder::Make(v1::OperationKind kind, ObjectId object) const {
  return {.kind = kind, .object = object, .parent = files_->ParentOf(object)};
}

absl::Status FileSetBuilder::Check() {
  size_t slice = 0;
  uint64_t i = 0;
  return runner_->Run(
      [&]() -> std::optional<Task> {
        for (; slice < slices_.size(); ++slice, i = 0) {
          while (i < slices_[slice].directory_count()) {
            const uint64_t directory = slices_[slice].Directory(i++);
            if (directory >= first_directory_) return CheckDirectory(directory);
            progress_->files_checked += files_->files_per_directory();
            progress_->files_reused += files_->files_per_directory();
          }
        }
        return std::nullopt;
      },
      kConcurrency);
}

Task FileSetBuilder::CheckDirectory(uint64_t directory) {
  const uint32_t per_directory = files_->files_per_directory();
  const uint64_t first = directory * per_directory;
  const uint64_t last = first + per_directory - 1;
  bool whole = true;
  const auto fits = [this](uint64_t file, int64_t size) {
    return size >= static_cast<int64_t>(files_->FileSize(file)) &&
           size <= static_cast<int64_t>(files_->MaxFileSize(file));
  };
  for (uint32_t i = 0; whole && i <= files_->AccessedCount(directory); ++i) {
    const uint64_t file = i == 0 ? last : files_->AccessedFile(directory, i - 1);
    const ObjectId object(ObjectKind::kFile, file);
    const Operation lookup = Make(v1::OPERATION_LOOKUP, object);
    const Completion found = co_await runner_->Do(lookup);
    if (found.outcome != kOk && found.outcome != kNotFound) co_return runner_->Failure(lookup, found.outcome);
    whole = found.outcome == kOk && fits(file, found.object_size);
    if (i == 0 && !files_->IsAccessed(file)) engine_->Forget(object);
  }
  progress_->files_checked += per_directory;
  if (whole) {
    progress_->files_reused += per_directory;
  } else {
    missing_.push_back(directory);
    for (uint64_t file = first; file <= last; ++file) missing_bytes_ += static_cast<double>(files_->FileSize(file));
  }
  co_return absl::OkStatus();
}

absl::Status FileSetBuilder::Build() {
  std::sort(missing_.begin(), missing_.end());
  begun_.clear();
  enum class Stage { kRoot, kDirectories, kSmall, kEnd };
  Stage stage = missing_.empty() ? Stage::kSmall : Stage::kRoot;
  size_t i = 0;
  size_t slice = 0;
  const auto next = [&]() -> std::optional<Task> {
    if (stage == Stage::kDirectories) {
      if (i < missing_.size()) return BuildDirectory(missing_[i++]);
      stage = Stage::kSmall;
      i = 0;
    }
    while (stage == Stage::kSmall) {
      if (slice == slices_.size()) {
        if (i < initial_files_.size()) return Ensure(initial_files_[i++]);
        stage = Stage::kEnd;
        break;
      }
      const uint64_t non_io = slices_[slice].non_io_count();
      if (i < non_io) return EnsureSmall({ObjectKind::kNonIoFile, slices_[slice].NonIoFile(i++)});
      if (i < non_io + slices_[slice].symlink_count()) {
        return EnsureSmall({ObjectKind::kSymlink, slices_[slice].Symlink(i++ - non_io)});
      }
      ++slice;
      i = 0;
    }
    return std::nullopt;
  };
  if (stage == Stage::kRoot) {
    bool given = false;
    CREST_RETURN_IF_ERROR(runner_->Run(
        [&]() -> std::optional<Task> {
          if (std::exchange(given, true)) return std::nullopt;
          return EnsureRoot();
        },
        1));
    stage = Stage::kDirectories;
  }
  const absl::Status built = runner_->Run(next, kConcurrency);
  if (!built.ok() && !absl::IsCancelled(built)) RollBack();
  return built;
}

Task FileSetBuilder::EnsureRoot() {
  const Operation make = Make(v1::OPERATION_MKDIR, ObjectId(ObjectKind::kRoot, 0));
  const Completion made = co_await runner_->Do(make);
  if (!IsThere(made.outcome)) co_return runner_->Failure(make, made.outcome);
  const Operation mark = Make(v1::OPERATION_CREATE, ObjectId(ObjectKind::kMarker, 0));
  const Completion marked = co_await runner_->Do(mark);
  co_return IsThere(marked.outcome) ? absl::OkStatus() : runner_->Failure(mark, marked.outcome);
}

Task FileSetBuilder::EnsureDirectory(uint64_t directory) {
  const Operation make = Make(v1::OPERATION_MKDIR, ObjectId(ObjectKind::kDirectory, directory));
  Completion made = co_await runner_->Do(make);
  if (made.outcome == kNotFound) {
    const Operation make_group = Make(v1::OPERATION_MKDIR, make.parent);
    const Completion group = co_await runner_->Do(make_group);
    if (!IsThere(group.outcome)) co_return runner_->Failure(make_group, group.outcome);
    made = co_await runner_->Do(make);
  }
  co_return IsThere(made.outcome) ? absl::OkStatus() : runner_->Failure(make, made.outcome);
}

Task FileSetBuilder::BuildDirectory(uint64_t directory) {
  progress_->building = true;
  begun_.push_back(directory);
  absl::Status status = co_await EnsureDirectory(directory);
  const uint64_t first = directory * files_->files_per_directory();
  for (uint32_t i = 0; status.ok() && i < files_->files_per_directory(); ++i) {
    status = co_await BuildFile(first + i);
  }
  co_return status;
}

Task FileSetBuilder::BuildFile(uint64_t file) {
  const ObjectId object(ObjectKind::kFile, file);
  const Operation create = Make(v1::OPERATION_CREATE, object);
  const Completion created = co_await runner_->Do(create);
  if (!IsThere(created.outcome)) co_return runner_->Failure(create, created.outcome);
  const uint64_t size = files_->FileSize(file);
  Operation write = Make(v1::OPERATION_WRITE, object);
  write.fill = true;
  while (write.offset < size) {
    write.length = static_cast<uint32_t>(std::min<uint64_t>(write_length_, size - write.offset));
    const Completion written = co_await runner_->Do(write);
    if (written.outcome != kOk) co_return runner_->Failure(write, written.outcome);
    write.offset += write.length;
    progress_->bytes_created += write.length;
  }
  ++progress_->files_created;
  if (!files_->IsAccessed(file)) engine_->Forget(object);
  co_return absl::OkStatus();
}

// Non-I/O files and symlinks may be shared between streams, so each user makes sure of them; whoever comes first
// creates.
Task FileSetBuilder::EnsureSmall(ObjectId object) {
  const bool link = object.kind() == ObjectKind::kSymlink;
  return Ensure(Make(link ? v1::OPERATION_SYMLINK : v1::OPERATION_CREATE, object));
}

Task FileSetBuilder::Ensure(Operation create) {
  Operation lookup = create;
  lookup.kind = v1::OPERATION_LOOKUP;
  const Completion found = co_await runner_->Do(lookup);
  if (found.outcome == kOk) co_return absl::OkStatus();
  if (found.outcome != kNotFound) co_return runner_->Failure(lookup, found.outcome);
  absl::Status status = co_await EnsureDirectory(create.parent.number());
  if (!status.ok()) co_return status;
  const Completion created = co_await runner_->Do(create);
  if (created.outcome == kOk) co_return absl::OkStatus();
  if (created.outcome != kAlreadyExists) co_return runner_->Failure(create, created.outcome);
  const Completion again = co_await runner_->Do(lookup);
  co_return again.outcome == kOk ? absl::OkStatus() : runner_->Failure(lookup, again.outcome);
}

void FileSetBuilder::RollBack() {
  size_t i = 0;
  // What cannot be removed stays within the marked file set; the error that led here matters more.
  (void)runner_->Run(
      [&]() -> std::optional<Task> {
        if (i == begun_.size()) return std::nullopt;
        return RemoveDirectory(begun_[i++]);
      },
      kConcurrency, kRollBackGrace);
}

Task FileSetBuilder::RemoveDirectory(uint64_t directory) {
  const uint64_t first = directory * files_->files_per_directory();
  for (uint32_t i = 0; i < files_->files_per_directory(); ++i) {
    const ObjectId object(ObjectKind::kFile, first + i);
    const Completion removed = co_await runner_->Do(Make(v1::OPERATION_REMOVE, object));
    engine_->Forget(object);
    if (removed.outcome == kNotFound) break;  // created in this order, so the rest is not there either
  }
  // A directory that holds something else stays.
  co_await runner_->Do(Make(v1::OPERATION_RMDIR, ObjectId(ObjectKind::kDirectory, directory)));
  engine_->Forget(ObjectId(ObjectKind::kDirectory, directory));
  co_return absl::OkStatus();
}

}  // namespace crest
