#include "results/html.h"

#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace crest {
namespace {

constexpr absl::string_view kUnknown = "–";

std::string WithThousands(double value) {
  std::string digits = absl::StrFormat("%.0f", std::abs(value));
  for (auto at = static_cast<ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return absl::StrCat(value < 0 && digits != "0" ? "−" : "", digits);
}

// Four significant digits, at most three decimals.
std::string FourDigits(double value) {
  const double size = std::abs(value);
  if (size >= 999.95) return WithThousands(value);
  if (size >= 99.995) return absl::StrFormat("%.1f", value);
  if (size >= 9.9995) return absl::StrFormat("%.2f", value);
  return absl::StrFormat("%.3f", value);
}

absl::string_view AlignClass(HtmlTable::Align align) { return align == HtmlTable::Align::kRight ? "n" : "t"; }

}  // namespace

std::string EscapeHtml(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"},
                                    {"<", "&lt;"},
                                    {">", "&gt;"},
                                    {"\"", "&quot;"},
                                    {"'", "&#39;"},
                                    {absl::string_view("\0", 1), "\uFFFD"}});
}

std::string EscapeScriptJson(absl::string_view json) {
  return absl::StrReplaceAll(
      json, {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}, {"\u2028", "\\u2028"}, {"\u2029", "\\u2029"}});
}

std::string FormatCount(double value) { return std::isfinite(value) ? WithThousands(value) : std::string(kUnknown); }

std::string FormatFigure(double value) { return std::isfinite(value) ? FourDigits(value) : std::string(kUnknown); }

std::string FormatMs(std::optional<double> ms) {
  return ms.has_value() && std::isfinite(*ms) ? FourDigits(*ms) : std::string(kUnknown);
}

std::string FormatShare(double ratio) {
  return std::isfinite(ratio) ? absl::StrFormat("%.2f %%", ratio * 100) : std::string(kUnknown);
}

std::string FormatMiB(double bytes) { return FormatFigure(bytes / (1024.0 * 1024.0)); }

void HtmlTable::AddRow(const std::vector<std::string>& cells, absl::string_view row_class) {
  absl::StrAppend(&rows_, row_class.empty() ? "<tr>" : absl::StrCat("<tr class=\"", row_class, "\">"));
  for (size_t i = 0; i < columns_.size(); ++i) {
    const absl::string_view tag = i == 0 ? "th scope=\"row\"" : "td";
    absl::StrAppend(&rows_, "<", tag, " class=\"", AlignClass(columns_[i].align), "\">",
                    EscapeHtml(i < cells.size() ? cells[i] : ""), i == 0 ? "</th>" : "</td>");
  }
  absl::StrAppend(&rows_, "</tr>\n");
}

std::string HtmlTable::ToHtml(absl::string_view caption) const {
  std::string head;
  for (const Column& column : columns_) {
    const std::string hint = column.hint.empty() ? "" : absl::StrCat(" title=\"", EscapeHtml(column.hint), "\"");
    absl::StrAppend(&head, "<th scope=\"col\" class=\"", AlignClass(column.align), "\"", hint, ">",
                    EscapeHtml(column.title), "</th>");
  }
  return absl::StrCat("<div class=\"scroll\" tabindex=\"0\"><table><caption>", EscapeHtml(caption),
                      "</caption>\n<thead><tr>", head, "</tr></thead>\n<tbody>\n", rows_, "</tbody></table></div>\n");
}

}  // namespace crest
