#include "agent/host/files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace crest {
namespace {

constexpr size_t kMaxFile = 1 << 20;

// Length of the UTF-8 sequence at `text`, 0 when there is none. Overlong forms and surrogates are none.
size_t SequenceLength(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f)) return 0;
  if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)) return 0;
  return length;
}

// A string field of a protobuf must be UTF-8; mount paths and model names need not.
std::string ToUtf8(absl::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    if (length == 0 || text[0] == '\0') {
      clean += '?';
    } else {
      absl::StrAppend(&clean, text.substr(0, length));
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return clean;
}

}  // namespace

std::string HostFiles::Full(absl::string_view path) const { return absl::StrCat(root_, "/", path); }

std::string HostFiles::Read(absl::string_view path) const {
  std::ifstream file(Full(path), std::ios::binary);
  if (!file) return "";
  std::string text(kMaxFile, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  absl::StripTrailingAsciiWhitespace(&text);
  return ToUtf8(text);
}

std::vector<std::string> HostFiles::Lines(absl::string_view path) const {
  return absl::StrSplit(Read(path), '\n', absl::SkipEmpty());
}

std::optional<double> HostFiles::Number(absl::string_view path) const {
  const std::string text = Read(path);
  const std::vector<absl::string_view> words = absl::StrSplit(text, absl::ByAnyChar(" \t\n"), absl::SkipEmpty());
  int64_t value = 0;
  if (words.empty() || !absl::SimpleAtoi(words[0], &value)) return std::nullopt;
  return static_cast<double>(value);
}

std::string HostFiles::LinkName(absl::string_view path) const {
  std::error_code error;
  return ToUtf8(std::filesystem::read_symlink(Full(path), error).filename().string());
}

bool HostFiles::Exists(absl::string_view path) const {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(Full(path), error));
}

std::vector<std::string> HostFiles::List(absl::string_view path) const {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(Full(path), error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace crest
