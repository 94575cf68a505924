#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "prime/cli/command.h"
#include "results/ort.h"
#include "results/ort_csv.h"

namespace crest {
namespace {

struct Options {
  std::string path;
  std::string rule = "sfs2008";
};

absl::StatusOr<std::vector<CurvePoint>> ReadCurve(const std::string& path) {
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& in = path == "-" ? std::cin : file;
  std::vector<char> text(1 << 20);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (path != "-" && (!file.is_open() || file.bad())) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be read; give a CSV with ops_per_sec,response_ms"));
  }
  if (!in.eof()) return absl::InvalidArgumentError(absl::StrCat(path, ": is larger than 1 MiB; is it a curve?"));
  return ParseCurveCsv(absl::string_view(text.data(), static_cast<size_t>(in.gcount())), path);
}

// Decimals that the response times are given with; 4: as many or more.
int Decimals(const std::vector<CurvePoint>& points) {
  int decimals = 0;
  for (const CurvePoint& point : points) {
    while (decimals < 4) {
      const double scaled = point.response_ms * std::pow(10, decimals);
      if (std::fabs(scaled - std::round(scaled)) < 1e-6 * std::max(1.0, scaled)) break;
      ++decimals;
    }
  }
  return decimals;
}

absl::Status PrintOrt(const Options& options) {
  CREST_ASSIGN_OR_RETURN(const OrtRule rule, ParseOrtRule(options.rule));
  CREST_ASSIGN_OR_RETURN(std::vector<CurvePoint> points, ReadCurve(options.path));
  const auto peak = std::max_element(points.begin(), points.end(), [](const CurvePoint& a, const CurvePoint& b) {
    return a.ops_per_sec < b.ops_per_sec;
  });
  // Past the peak a curve turns back; the ORT is of the way up.
  if (peak != points.end()) points.erase(peak + 1, points.end());
  const absl::StatusOr<double> ort = OverallResponseTime(points, rule);
  if (!ort.ok()) return Annotate(ort.status(), options.path);
  PrintResult(
      absl::StrFormat("peak_ops_per_sec: %.15g\noverall_response_time_ms: %.2f\n", points.back().ops_per_sec, *ort));
  if (rule == OrtRule::kStorage2020) {
    PrintProblem("note: this reading of the storage2020 rule rests on few published results");
  }
  if (const int decimals = Decimals(points); decimals < 3) {
    PrintProblem(absl::StrFormat("note: response times given to %g ms leave the ORT uncertain by up to %g ms",
                                 std::pow(10, -decimals), 0.5 * std::pow(10, -decimals)));
  }
  return absl::OkStatus();
}

}  // namespace

void AddOrtCommand(CLI::App& app, Call& call) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("ort", "Overall response time of a curve given as CSV");
  command.add_option("POINTS.csv", options->path, "Columns ops_per_sec and response_ms; - reads standard input")
      ->required();
  command.add_option("--rule", options->rule, "sfs2008 or storage2020")->type_name("RULE")->capture_default_str();
  command.callback([options, &call] {
    call.action = [options] {
      const absl::Status status = PrintOrt(*options);
      if (status.ok()) return kExitValid;
      PrintProblem(absl::string_view(status.message()));
      return kExitWrongCall;
    };
  });
}

}  // namespace crest
