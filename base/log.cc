#include "base/log.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

namespace crest {
namespace {

std::atomic<LogLevel> log_level{LogLevel::kInfo};

absl::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return "error: ";
    case LogLevel::kWarning:
      return "warning: ";
    case LogLevel::kInfo:
      return "";
    case LogLevel::kDebug:
      return "debug: ";
  }
  return "";
}

}  // namespace

void SetLogLevel(LogLevel level) { log_level = level; }

void LogLine(LogLevel level, absl::string_view text) {
  if (level > log_level.load(std::memory_order_relaxed)) return;
  // systemd sets JOURNAL_STREAM; the journal then reads "<N>" as the line's priority.
  static const bool journal = std::getenv("JOURNAL_STREAM") != nullptr;
  const std::string line = journal ? absl::StrCat("<", static_cast<int>(level), ">", text, "\n")
                                   : absl::StrCat(LevelName(level), text, "\n");
  // A log line that cannot be written has nowhere else to go.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace crest
