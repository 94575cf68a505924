// Reading the small files of /proc and /sys, any of which may be missing or hold anything.
#ifndef CREST_AGENT_HOST_FILES_H_
#define CREST_AGENT_HOST_FILES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace crest {

/// The host's files as seen from `root`: "/" in production, a kept sample in tests. A value.
class HostFiles {
 public:
  explicit HostFiles(std::string root) : root_(std::move(root)) {}

  /// At most 1 MiB of the file, without white space at its end and with bytes that are not UTF-8 replaced by '?';
  /// empty when it cannot be read.
  std::string Read(absl::string_view path) const;
  /// Its lines; empty when it cannot be read.
  std::vector<std::string> Lines(absl::string_view path) const;
  /// The number it begins with; nullopt when there is none.
  std::optional<double> Number(absl::string_view path) const;
  /// The last component of where the link points; empty when it is none.
  std::string LinkName(absl::string_view path) const;
  bool Exists(absl::string_view path) const;
  /// Names in the folder, sorted; empty when it cannot be read.
  std::vector<std::string> List(absl::string_view path) const;

  /// Whether this is the running host, whose system calls tell more than its files.
  bool live() const { return root_ == "/"; }

 private:
  std::string Full(absl::string_view path) const;

  std::string root_;
};

}  // namespace crest

#endif  // CREST_AGENT_HOST_FILES_H_
