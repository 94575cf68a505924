#include "results/ort_csv.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace crest {
namespace {

constexpr absl::string_view kOpsColumn = "ops_per_sec";
constexpr absl::string_view kResponseColumn = "response_ms";

// Reads records one after the other. A quoted field may hold commas, quotes (doubled) and line ends.
class CsvReader {
 public:
  CsvReader(absl::string_view text, absl::string_view file_name) : text_(text), file_name_(file_name) {
    absl::ConsumePrefix(&text_, "\xef\xbb\xbf");
  }

  template <typename... Args>
  absl::Status Error(const Args&... args) const {
    return absl::InvalidArgumentError(absl::StrCat(file_name_, ":", record_line_, ": ", args...));
  }

  // The next record that is not blank; nullopt at the end.
  absl::StatusOr<std::optional<std::vector<std::string>>> Next() {
    while (at_ < text_.size()) {
      CREST_ASSIGN_OR_RETURN(std::vector<std::string> fields, Record());
      if (fields.size() > 1 || !absl::StripAsciiWhitespace(fields[0]).empty()) return std::optional(std::move(fields));
    }
    return std::optional<std::vector<std::string>>();
  }

 private:
  absl::StatusOr<std::vector<std::string>> Record() {
    record_line_ = line_;
    std::vector<std::string> fields;
    do {
      CREST_ASSIGN_OR_RETURN(std::string field, Field());
      fields.push_back(std::move(field));
    } while (Take(","));
    if (!Take("\r\n") && !Take("\n") && !Take("\r") && at_ < text_.size()) {
      return Error("a closing quote is followed by more than a comma");
    }
    ++line_;
    return fields;
  }

  absl::StatusOr<std::string> Field() {
    if (!Take("\"")) {
      const size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      const size_t start = std::exchange(at_, end);
      return std::string(text_.substr(start, end - start));
    }
    std::string field;
    while (at_ < text_.size()) {
      if (Take("\"\"")) {
        field += '"';
      } else if (Take("\"")) {
        return field;
      } else {
        if (text_[at_] == '\n') ++line_;
        field += text_[at_++];
      }
    }
    return Error("a quote is not closed");
  }

  bool Take(absl::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  absl::string_view text_;
  absl::string_view file_name_;
  size_t at_ = 0;
  int line_ = 1;
  int record_line_ = 1;
};

// Where `column` stands in the header.
absl::StatusOr<size_t> FindColumn(const CsvReader& reader, const std::vector<std::string>& header,
                                  absl::string_view column) {
  std::optional<size_t> found;
  for (size_t i = 0; i < header.size(); ++i) {
    if (absl::StripAsciiWhitespace(header[i]) != column) continue;
    if (found.has_value()) return reader.Error("the column ", column, " occurs twice");
    found = i;
  }
  if (!found.has_value()) {
    return reader.Error("there is no column ", column, "; the first line must name the columns ", kOpsColumn, " and ",
                        kResponseColumn);
  }
  return *found;
}

absl::StatusOr<double> Number(const CsvReader& reader, const std::vector<std::string>& fields, size_t index,
                              absl::string_view column) {
  const absl::string_view text = absl::StripAsciiWhitespace(fields[index]);
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !std::isfinite(value) || value < 0) {
    return reader.Error(column, " is \"", absl::Utf8SafeCHexEscape(text.substr(0, 40)),
                        "\"; it must be a number that is not negative, with a decimal point and no separators");
  }
  return value;
}

}  // namespace

absl::StatusOr<std::vector<CurvePoint>> ParseCurveCsv(absl::string_view text, absl::string_view file_name) {
  CsvReader reader(text, file_name);
  CREST_ASSIGN_OR_RETURN(std::optional<std::vector<std::string>> fields, reader.Next());
  if (!fields.has_value()) {
    return reader.Error("is empty; it needs the columns ", kOpsColumn, " and ", kResponseColumn);
  }
  CREST_ASSIGN_OR_RETURN(const size_t ops_column, FindColumn(reader, *fields, kOpsColumn));
  CREST_ASSIGN_OR_RETURN(const size_t response_column, FindColumn(reader, *fields, kResponseColumn));
  const size_t columns = fields->size();
  std::vector<CurvePoint> points;
  while (true) {
    CREST_ASSIGN_OR_RETURN(fields, reader.Next());
    if (!fields.has_value()) break;
    if (fields->size() != columns) {
      return reader.Error("has ", fields->size(), " fields where the first line names ", columns);
    }
    CurvePoint point;
    CREST_ASSIGN_OR_RETURN(point.ops_per_sec, Number(reader, *fields, ops_column, kOpsColumn));
    CREST_ASSIGN_OR_RETURN(point.response_ms, Number(reader, *fields, response_column, kResponseColumn));
    points.push_back(point);
  }
  if (points.empty()) return reader.Error("holds no point below the names of the columns");
  return points;
}

}  // namespace crest
