// The few pieces that a page of figures is put together from. All text goes through EscapeHtml: what a result says is
// never markup.
#ifndef CREST_RESULTS_HTML_H_
#define CREST_RESULTS_HTML_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace crest {

/// `text` for an element's content or a quoted attribute.
std::string EscapeHtml(absl::string_view text);

/// JSON made safe inside a script element: <, > and & and the two line ends that JavaScript knows and JSON does not
/// become \u escapes, so the text still parses to the same value.
std::string EscapeScriptJson(absl::string_view json);

/// Figures as people read them; an unset or non-finite one is an en dash.
std::string FormatCount(double value);           // 12,345
std::string FormatFigure(double value);          // 12,345 · 123.4 · 1.234
std::string FormatMs(std::optional<double> ms);  // 1.234 · 12.34 · 123.4 · 1,234
std::string FormatShare(double ratio);           // 12.34 %
std::string FormatMiB(double bytes);             // 12.34

/// A table whose cells are given row by row. The first column is a row's name.
class HtmlTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kRight;
    std::string hint = {};  // shown on hovering over the title; empty: none
  };

  explicit HtmlTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as columns; missing ones stay empty. `row_class` is a fixed class of the style sheet.
  void AddRow(const std::vector<std::string>& cells, absl::string_view row_class = "");

  /// The table in a box that scrolls sideways on a narrow screen.
  std::string ToHtml(absl::string_view caption) const;

 private:
  std::vector<Column> columns_;
  std::string rows_;
};

}  // namespace crest

#endif  // CREST_RESULTS_HTML_H_
