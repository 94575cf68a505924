#include <filesystem>
#include <fstream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "prime/cli/command.h"
#include "results/judge.h"
#include "results/report.h"
#include "results/run_store.h"

namespace crest {
namespace {

enum class Format { kText, kHtml, kJson, kCsv };

struct Options {
  std::string run;
  Format format = Format::kText;
  bool no_color = false;
};

// A run's folder, or its name below runs/.
std::string FolderOf(const std::string& run) {
  std::error_code ignored;
  const std::string below = absl::StrCat("runs/", run);
  return !std::filesystem::exists(run, ignored) && std::filesystem::exists(below, ignored) ? below : run;
}

// Judged anew from what was measured; how the run ended is what its result says, where it got as far as one.
absl::StatusOr<v1::RunResult> Judge(const std::string& folder) {
  CREST_ASSIGN_OR_RETURN(const StoredRun run, ReadRun(folder));
  v1::RunResult written;
  std::ifstream file(absl::StrCat(folder, "/result.pb"), std::ios::binary);
  if (file.is_open() && written.ParseFromIstream(&file)) {
    const auto found = static_cast<int>(run.points.size());
    if (found < written.points_size()) {
      return JudgeRun(
          run.header, run.points, v1::PARTIAL,
          absl::StrCat("only ", found, " of ", written.points_size(), " load points are left in the run's folder"));
    }
    return JudgeRun(run.header, run.points, written.status(), written.status_reason());
  }
  return JudgeRun(run.header, run.points, v1::PARTIAL, "the run ended without writing its result");
}

absl::StatusOr<std::string> Render(const v1::RunResult& result, const Options& options) {
  switch (options.format) {
    case Format::kHtml:
      return HtmlReport(result);
    case Format::kJson:
      return ToJson(result);
    case Format::kCsv:
      return CurveCsv(result);
    case Format::kText:
      break;
  }
  return TextReport(result, StandardOutputHasColour(options.no_color));
}

absl::Status PrintReport(const Options& options) {
  CREST_ASSIGN_OR_RETURN(const v1::RunResult result, Judge(FolderOf(options.run)));
  CREST_ASSIGN_OR_RETURN(const std::string text, Render(result, options));
  PrintResult(text);
  if (!text.empty() && text.back() != '\n') PrintResult("\n");
  return absl::OkStatus();
}

}  // namespace

void AddReportCommand(CLI::App& app, Call& call) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("report", "Print the report of a run, judged anew from what was measured");
  command.add_option("RUN", options->run, "The run's folder, or its name below runs/")->required();
  AddFormat<Format>(command, options->format,
                    {{"text", Format::kText}, {"html", Format::kHtml}, {"json", Format::kJson}, {"csv", Format::kCsv}});
  command.add_flag("--no-color", options->no_color, "No colours; $NO_COLOR does the same");
  command.callback([options, &call] {
    call.action = [options] {
      const absl::Status status = PrintReport(*options);
      if (status.ok()) return kExitValid;
      PrintProblem(absl::string_view(status.message()));
      return kExitWrongCall;
    };
  });
}

}  // namespace crest
