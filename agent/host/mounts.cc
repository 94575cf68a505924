#include "agent/host/mounts.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace crest {
namespace {

constexpr size_t kMaxMounts = 1000;

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

// The kernel writes space, tab, newline and backslash as three octal digits.
std::string Unescape(absl::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 3 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '1' &&
                         IsOctal(text[i + 2]) && IsOctal(text[i + 3]);
    if (escaped) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// File systems without a device are pseudo ones, but for those that hold files elsewhere.
bool HoldsFiles(absl::string_view type, absl::string_view source) {
  static constexpr absl::string_view kWithoutDevice[] = {"nfs",     "nfs4",     "cifs",   "smb3",      "9p",
                                                         "ceph",    "virtiofs", "zfs",    "glusterfs", "gfs2",
                                                         "overlay", "gpfs",     "lustre", "beegfs"};
  if (std::find(std::begin(kWithoutDevice), std::end(kWithoutDevice), type) != std::end(kWithoutDevice)) return true;
  return absl::StartsWith(type, "fuse.") || absl::StartsWith(source, "/dev/");
}

}  // namespace

std::vector<v1::Mount> ReadMounts(const HostFiles& files) {
  std::vector<v1::Mount> mounts;
  for (const std::string& line : files.Lines("proc/self/mountinfo")) {
    // "27 1 254:0 / /mnt rw,relatime shared:1 - ext4 /dev/vda rw,discard"
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (dash - words.begin() < 6 || words.end() - dash < 4) continue;
    const std::string source = Unescape(dash[2]);
    if (!HoldsFiles(dash[1], source)) continue;
    v1::Mount mount;
    mount.set_source(source);
    mount.set_path(Unescape(words[4]));
    mount.set_type(std::string(dash[1]));
    mount.set_options(absl::StrCat(words[5], ",", dash[3]));
    mounts.push_back(std::move(mount));
    if (mounts.size() == kMaxMounts) break;
  }
  return mounts;
}

}  // namespace crest
