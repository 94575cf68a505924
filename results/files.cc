#include "results/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace crest {
namespace {

absl::Status Failed(absl::string_view what, absl::string_view path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(what, " ", path));
}

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

absl::Status WriteAndSync(const std::string& path, absl::string_view contents) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) return Failed("cannot create", path);
  while (!contents.empty()) {
    const ssize_t written = write(file.get(), contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed("cannot write", path);
    contents.remove_prefix(static_cast<size_t>(written));
  }
  if (fsync(file.get()) != 0) return Failed("cannot sync", path);
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteFileAtomically(const std::string& path, absl::string_view contents) {
  const std::filesystem::path target(path);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  const std::string temporary = (folder / absl::StrCat(".", target.filename().string(), ".tmp")).string();
  absl::Status status = WriteAndSync(temporary, contents);
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) status = Failed("cannot rename to", path);
  if (!status.ok()) {
    unlink(temporary.c_str());
    return status;
  }
  // The new name is on disk once its folder is. Some file systems cannot sync folders; the file is there all the same.
  if (const Descriptor directory(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); directory.get() >= 0) {
    fsync(directory.get());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return Failed("cannot open", path);
  std::string contents;
  char buffer[1 << 16];
  while (true) {
    const ssize_t got = read(file.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failed("cannot read", path);
    if (got == 0) return contents;
    contents.append(buffer, static_cast<size_t>(got));
  }
}

}  // namespace crest
