#include "results/run_store.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/log.h"
#include "base/status.h"
#include "results/files.h"
#include "results/report.h"
#include "results/run_index.h"

namespace crest {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNameLength = 100;

absl::Status Failed(absl::string_view what, absl::string_view path, const std::error_code& error) {
  return absl::ErrnoToStatus(error.value(), absl::StrCat("cannot ", what, " ", path));
}

// Letters, digits and ".-_" alone: such a name needs no quoting anywhere.
std::string FileName(absl::string_view name) {
  std::string safe(name.substr(0, kMaxNameLength));
  for (char& c : safe) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-' && c != '_') c = '_';
  }
  return safe.empty() ? "run" : safe;
}

absl::Status MakeFolders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? Failed("create folder", path.string(), error) : absl::OkStatus();
}

std::string Serialized(const google::protobuf::Message& message) { return message.SerializeAsString(); }

template <typename Message>
absl::StatusOr<Message> ReadMessage(const std::string& path) {
  CREST_ASSIGN_OR_RETURN(const std::string bytes, ReadWholeFile(path));
  Message message;
  if (!message.ParseFromString(bytes)) {
    return absl::DataLossError(absl::StrCat(path, " is damaged or not a file of crest"));
  }
  return message;
}

}  // namespace

RunWriter::RunWriter(std::string folder, std::string run_id) : folder_(std::move(folder)), run_id_(std::move(run_id)) {}

absl::StatusOr<RunWriter> RunWriter::Create(absl::string_view out, absl::string_view name, absl::Time started_at) {
  const fs::path parent{std::string(out)};
  CREST_RETURN_IF_ERROR(MakeFolders(parent));
  const std::string wanted =
      absl::StrCat(absl::FormatTime("%Y%m%dT%H%M%SZ", started_at, absl::UTCTimeZone()), "-", FileName(name));
  std::string run_id = wanted;
  for (int again = 2;; ++again) {
    std::error_code error;
    // Made by one of two that start together; the other finds it there.
    if (fs::create_directory(parent / run_id, error)) break;
    if (error && error != std::errc::file_exists) return Failed("create folder", (parent / run_id).string(), error);
    run_id = absl::StrCat(wanted, "-", again);
  }
  RunWriter writer((parent / run_id).string(), run_id);
  CREST_RETURN_IF_ERROR(MakeFolders(parent / run_id / "points"));
  return writer;
}

absl::Status RunWriter::WriteHeader(const v1::RunHeader& header) {
  return WriteFileAtomically(absl::StrCat(folder_, "/header.pb"), Serialized(header));
}

absl::Status RunWriter::WritePoint(const v1::PointData& point) {
  return WriteFileAtomically(absl::StrFormat("%s/points/%02d.pb", folder_, point.index()), Serialized(point));
}

absl::Status RunWriter::WriteResult(const v1::RunHeader& header, const std::vector<v1::PointData>& points,
                                    const v1::RunResult& result) {
  CREST_RETURN_IF_ERROR(WriteHeader(header));
  CREST_RETURN_IF_ERROR(WriteFileAtomically(absl::StrCat(folder_, "/result.pb"), Serialized(result)));
  CREST_ASSIGN_OR_RETURN(const std::string json, ToJson(result));
  CREST_RETURN_IF_ERROR(WriteFileAtomically(absl::StrCat(folder_, "/result.json"), json));
  CREST_RETURN_IF_ERROR(WriteFileAtomically(absl::StrCat(folder_, "/curve.csv"), CurveCsv(result)));
  CREST_RETURN_IF_ERROR(MakeFolders(fs::path(folder_) / "latency"));
  for (const v1::PointData& point : points) {
    const std::string prefix = absl::StrFormat("%s/latency/%02d", folder_, point.index());
    CREST_RETURN_IF_ERROR(WriteFileAtomically(prefix + "-response-ms.hgrm", HgrmText(point.response())));
    CREST_RETURN_IF_ERROR(WriteFileAtomically(prefix + "-service-ms.hgrm", HgrmText(point.service())));
  }
  CREST_RETURN_IF_ERROR(WriteFileAtomically(absl::StrCat(folder_, "/report.html"), HtmlReport(result)));
  // The run is whole without it, and it can be rebuilt.
  if (absl::Status status = AddToIndex(fs::path(folder_).parent_path().string(), result); !status.ok()) {
    LogWarning(status.message());
  }
  return absl::OkStatus();
}

namespace {

// A header that was cut or emptied may still parse; a report must not be made up from it.
absl::Status CheckHeader(const v1::RunHeader& header, const std::string& file) {
  if (!header.run_id().empty() && header.format_version() == kRunFormatVersion && header.has_spec()) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat(file, ": is damaged, or of another format than ", kRunFormatVersion,
                                          ", which this crest reads; take it from a copy of the run"));
}

// The name is all that tells a load point from another one that was copied over it.
absl::Status CheckPoint(const v1::PointData& point, const fs::path& file) {
  uint32_t number = 0;
  if (absl::SimpleAtoi(file.stem().string(), &number) && number > 0 && number == point.index()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(file.string(), ": holds load point ", point.index(),
                                          ", not the one it is named after; take it from a copy of the run"));
}

}  // namespace

absl::StatusOr<StoredRun> ReadRun(absl::string_view folder) {
  const fs::path path{std::string(folder)};
  StoredRun run;
  CREST_ASSIGN_OR_RETURN(run.header, ReadMessage<v1::RunHeader>((path / "header.pb").string()));
  CREST_RETURN_IF_ERROR(CheckHeader(run.header, (path / "header.pb").string()));
  std::error_code error;
  for (fs::directory_iterator it(path / "points", error), end; !error && it != end; it.increment(error)) {
    // What starts with a dot was being written when the run ended.
    const std::string name = it->path().filename().string();
    if (it->path().extension() != ".pb" || name[0] == '.' || !it->is_regular_file(error)) continue;
    CREST_ASSIGN_OR_RETURN(v1::PointData point, ReadMessage<v1::PointData>(it->path().string()));
    CREST_RETURN_IF_ERROR(CheckPoint(point, it->path()));
    run.points.push_back(std::move(point));
  }
  if (error && error != std::errc::no_such_file_or_directory) return Failed("list", (path / "points").string(), error);
  std::sort(run.points.begin(), run.points.end(),
            [](const v1::PointData& a, const v1::PointData& b) { return a.index() < b.index(); });
  return run;
}

}  // namespace crest
