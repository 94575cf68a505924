// Progress of a run for whoever watches it: redrawn on a terminal, plain lines elsewhere.
#ifndef CREST_PRIME_VIEW_PROGRESS_VIEW_H_
#define CREST_PRIME_VIEW_PROGRESS_VIEW_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "crest/v1/result.pb.h"

namespace crest {

struct ViewOptions {
  bool quiet = false;                                // only Message() and Problem()
  bool terminal = false;                             // redraw the last line; otherwise a plain line now and then
  bool colour = false;                               // ANSI colours
  std::function<int()> width;                        // columns of the terminal, asked at each drawing; unset: 80
  absl::Duration plain_interval = absl::Seconds(5);  // between plain lines within a phase
};

/// Standard error as it is: a terminal or not, its width, colours unless `no_color`, $NO_COLOR or TERM=dumb says
/// otherwise.
ViewOptions StandardErrorView(bool quiet, bool no_color);
/// Writes to standard error.
void WriteStandardError(absl::string_view text);

/// One figure of a load point while it runs.
struct PointFigures {
  double elapsed_seconds = 0;  // since the point began
  bool measured = false;       // false: warm-up
  double ops_per_sec = 0;
  double mean_response_ms = 0;
  double mean_service_ms = 0;
  double error_count = 0;  // in this interval
};

/// Thread-safe.
class ProgressView {
 public:
  using Sink = std::function<void(absl::string_view)>;
  /// `clock` outlives the view.
  ProgressView(Sink sink, const Clock* clock, ViewOptions options);
  /// Leaves the terminal's last line clean.
  ~ProgressView();

  /// What goes on now: "connecting to 2 agents", "building file set 3.1 of 4.0 GiB". `step` names the phase: a plain
  /// line is written at once where it differs from the last, otherwise now and then.
  void Phase(absl::string_view step, absl::string_view detail = "");

  /// A load point begins, `count` of them are known in advance (0: the plan decides as it goes).
  void BeginPoint(uint32_t index, uint32_t count, double requested_ops_per_sec, absl::Duration warmup,
                  absl::Duration measure);
  void Interval(const PointFigures& figures);
  /// Adds a line to the growing table.
  void EndPoint(const v1::LoadPoint& point);

  /// A line that stays.
  void Message(absl::string_view text);
  /// The same, marked as an error; several lines are kept.
  void Problem(absl::string_view text);
  /// Removes the redrawn line: other output follows.
  void Clear();

 private:
  // All with mutex_ held.
  void Redraw(const std::string& line);
  void Erase();
  void Stay(const std::string& text);
  void Show(const std::string& step, const std::string& line);
  std::string PointLine(absl::string_view phase, const PointFigures& figures) const;

  struct Point {
    uint32_t index = 0;
    uint32_t count = 0;
    double requested_ops_per_sec = 0;
    absl::Duration warmup;
    absl::Duration measure;
    double errors = 0;
  };

  const Sink sink_;
  const Clock* const clock_;
  const ViewOptions options_;
  std::mutex mutex_;   // guards what follows
  std::string drawn_;  // what the redrawn line shows; empty: nothing
  std::string step_;   // of the last plain line
  MonoTime last_plain_;
  bool table_begun_ = false;
  Point point_;
};

}  // namespace crest

#endif  // CREST_PRIME_VIEW_PROGRESS_VIEW_H_
