// Log lines on standard error, with journald's priority prefix when the journal reads them.
#ifndef CREST_BASE_LOG_H_
#define CREST_BASE_LOG_H_

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace crest {

enum class LogLevel { kError = 3, kWarning = 4, kInfo = 6, kDebug = 7 };  // syslog's numbers

/// Lines above `level` are dropped from now on. Default kInfo. Thread-safe.
void SetLogLevel(LogLevel level);

/// One line, written whole with a single write(2). Thread-safe.
void LogLine(LogLevel level, absl::string_view text);

template <typename... Args>
void LogError(const Args&... args) {
  LogLine(LogLevel::kError, absl::StrCat(args...));
}
template <typename... Args>
void LogWarning(const Args&... args) {
  LogLine(LogLevel::kWarning, absl::StrCat(args...));
}
template <typename... Args>
void LogInfo(const Args&... args) {
  LogLine(LogLevel::kInfo, absl::StrCat(args...));
}
template <typename... Args>
void LogDebug(const Args&... args) {
  LogLine(LogLevel::kDebug, absl::StrCat(args...));
}

}  // namespace crest

#endif  // CREST_BASE_LOG_H_
