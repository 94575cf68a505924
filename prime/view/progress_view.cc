#include "prime/view/progress_view.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"

namespace crest {
namespace {

constexpr int kDefaultWidth = 80;
constexpr int kLeastWidth = 20;
constexpr absl::string_view kEraseLine = "\r\x1b[K";
constexpr absl::string_view kRed = "\x1b[31m";
constexpr absl::string_view kBold = "\x1b[1m";
constexpr absl::string_view kPlain = "\x1b[0m";

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The first `columns` characters of UTF-8 text, of which none here is wider than a column.
std::string Cut(absl::string_view text, int columns) {
  size_t end = 0;
  while (end < text.size()) {
    if (!IsContinuation(text[end]) && columns-- == 0) break;
    ++end;
  }
  return std::string(text.substr(0, end));
}

int TerminalWidth() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefaultWidth;
  return size.ws_col;
}

bool IsSet(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// "12.3" below 100, "123" above: as many digits as mean something.
std::string Milliseconds(double ms) { return absl::StrFormat(ms < 10 ? "%.2f" : ms < 100 ? "%.1f" : "%.0f", ms); }

std::string WholeSeconds(absl::Duration d) {
  return crest::FormatDuration(absl::Seconds(absl::ToInt64Seconds(absl::Ceil(d, absl::Seconds(1)))));
}

}  // namespace

ViewOptions StandardErrorView(bool quiet, bool no_color) {
  const char* const term = std::getenv("TERM");
  const bool dumb = term == nullptr || absl::string_view(term) == "dumb";
  ViewOptions options;
  options.quiet = quiet;
  options.terminal = isatty(STDERR_FILENO) == 1 && !dumb;
  options.colour = options.terminal && !no_color && !IsSet("NO_COLOR");
  options.width = TerminalWidth;
  return options;
}

void WriteStandardError(absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;  // nobody watches any more
    text.remove_prefix(static_cast<size_t>(written));
  }
}

ProgressView::ProgressView(Sink sink, const Clock* clock, ViewOptions options)
    : sink_(std::move(sink)), clock_(clock), options_(std::move(options)) {}

ProgressView::~ProgressView() { Clear(); }

void ProgressView::Phase(absl::string_view step, absl::string_view detail) {
  if (options_.quiet) return;
  const std::lock_guard lock(mutex_);
  Show(std::string(step), detail.empty() ? std::string(step) : absl::StrCat(step, " ", detail));
}

void ProgressView::BeginPoint(uint32_t index, uint32_t count, double requested_ops_per_sec, absl::Duration warmup,
                              absl::Duration measure) {
  const std::lock_guard lock(mutex_);
  point_ = {.index = index,
            .count = count,
            .requested_ops_per_sec = requested_ops_per_sec,
            .warmup = warmup,
            .measure = measure,
            .errors = 0};
}

void ProgressView::Interval(const PointFigures& figures) {
  const std::lock_guard lock(mutex_);
  point_.errors += figures.error_count;
  if (options_.quiet) return;
  const char* const phase = figures.measured ? "measuring" : "warming up";
  Show(absl::StrCat("point ", point_.index, phase), PointLine(phase, figures));
}

std::string ProgressView::PointLine(absl::string_view phase, const PointFigures& figures) const {
  const absl::Duration length = point_.warmup + point_.measure;
  absl::Duration left = std::max(absl::ZeroDuration(), length - absl::Seconds(figures.elapsed_seconds));
  std::string of;
  if (point_.count > 0) {
    of = absl::StrCat(" of ", point_.count);
    left += length * (point_.count - std::min(point_.index, point_.count));
  }
  return absl::StrCat("point ", point_.index, of, " ", phase, ": ", FormatRate(figures.ops_per_sec), " of ",
                      FormatRate(point_.requested_ops_per_sec), " ops/s, response ",
                      Milliseconds(figures.mean_response_ms), " ms, service ", Milliseconds(figures.mean_service_ms),
                      " ms, errors ", absl::StrFormat("%.0f", point_.errors), ", ", WholeSeconds(left), " left");
}

void ProgressView::EndPoint(const v1::LoadPoint& point) {
  if (options_.quiet) return;
  const std::lock_guard lock(mutex_);
  if (!std::exchange(table_begun_, true)) {
    Stay(absl::StrFormat("%5s %12s %12s %12s %12s %8s  %s", "point", "requested", "achieved", "response ms",
                         "service ms", "errors", "valid"));
  }
  std::string reasons;
  for (const v1::Finding& finding : point.findings()) {
    if (finding.severity() == v1::INVALID) absl::StrAppend(&reasons, reasons.empty() ? ": " : ", ", finding.code());
  }
  const std::string verdict =
      absl::StrCat(point.valid() ? "yes" : "no", reasons, point.within_limit() ? "" : " (over the limit)");
  const bool mark = options_.colour && !point.valid();
  Stay(absl::StrCat(
      mark ? kRed : "",
      absl::StrFormat("%5d %12s %12s %12s %12s %8.0f  %s", point.index(), FormatRate(point.requested_ops_per_sec()),
                      FormatRate(point.achieved_ops_per_sec()), Milliseconds(point.mean_response_ms()),
                      Milliseconds(point.mean_service_ms()), point.error_count(), verdict),
      mark ? kPlain : ""));
}

void ProgressView::Message(absl::string_view text) {
  const std::lock_guard lock(mutex_);
  Stay(std::string(text));
}

void ProgressView::Problem(absl::string_view text) {
  const std::lock_guard lock(mutex_);
  const absl::string_view trimmed = absl::StripTrailingAsciiWhitespace(text);
  Stay(options_.colour ? absl::StrCat(kBold, kRed, "error:", kPlain, " ", trimmed) : absl::StrCat("error: ", trimmed));
}

void ProgressView::Clear() {
  const std::lock_guard lock(mutex_);
  Erase();
}

void ProgressView::Show(const std::string& step, const std::string& line) {
  if (options_.terminal) {
    Redraw(line);
    return;
  }
  const MonoTime now = clock_->Now();
  if (step == step_ && now - last_plain_ < absl::ToInt64Nanoseconds(options_.plain_interval)) return;
  step_ = step;
  last_plain_ = now;
  sink_(absl::StrCat(line, "\n"));
}

void ProgressView::Redraw(const std::string& line) {
  const int width = std::max(kLeastWidth, options_.width ? options_.width() : kDefaultWidth);
  // One column stays free: a line that fills the last one wraps on some terminals.
  std::string cut = Cut(line, width - 1);
  if (cut == drawn_) return;
  sink_(absl::StrCat(kEraseLine, cut));
  drawn_ = std::move(cut);
}

void ProgressView::Erase() {
  if (drawn_.empty()) return;
  sink_(kEraseLine);
  drawn_.clear();
}

void ProgressView::Stay(const std::string& text) {
  const std::string drawn = std::exchange(drawn_, "");
  sink_(drawn.empty() ? absl::StrCat(text, "\n") : absl::StrCat(kEraseLine, text, "\n", drawn));
  drawn_ = drawn;
}

}  // namespace crest
