#include "results/run_index.h"

#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "results/files.h"

namespace crest {
namespace {

constexpr int kBusyTimeoutMs = 10'000;

constexpr char kCreate[] =
    "CREATE TABLE IF NOT EXISTS runs(id TEXT PRIMARY KEY, name TEXT, started_at TEXT, target TEXT, workload TEXT, "
    "status TEXT, peak_ops_per_sec REAL, overall_response_time_ms REAL, valid INTEGER) WITHOUT ROWID";
constexpr char kInsert[] = "INSERT OR REPLACE INTO runs VALUES(?,?,?,?,?,?,?,?,?)";

// One connection to an index.
class Database {
 public:
  static absl::StatusOr<Database> Open(absl::string_view out) {
    Database database;
    database.path_ = absl::StrCat(out, "/index.sqlite");
    sqlite3* handle = nullptr;
    const int code =
        sqlite3_open_v2(database.path_.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    database.handle_.reset(handle);
    if (code != SQLITE_OK) return database.Error();
    sqlite3_busy_timeout(handle, kBusyTimeoutMs);
    CREST_RETURN_IF_ERROR(database.Execute(kCreate));
    return database;
  }

  absl::Status Execute(const char* sql) {
    return sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK ? absl::OkStatus() : Error();
  }

  absl::Status Insert(const v1::RunResult& result) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_.get(), kInsert, -1, &raw, nullptr) != SQLITE_OK) return Error();
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(raw, &sqlite3_finalize);
    const v1::Workload& workload = result.spec().workload();
    int column = 0;
    for (const std::string& text :
         {result.run_id(), result.name(), result.started_at(), absl::StrJoin(result.spec().target(), "\n"),
          workload.profile().empty() ? workload.name() : workload.profile(), v1::RunStatus_Name(result.status())}) {
      sqlite3_bind_text(raw, ++column, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
    sqlite3_bind_double(raw, ++column, result.summary().peak_ops_per_sec());
    sqlite3_bind_double(raw, ++column, result.summary().overall_response_time_ms());
    sqlite3_bind_int(raw, ++column, result.summary().valid() ? 1 : 0);
    return sqlite3_step(raw) == SQLITE_DONE ? absl::OkStatus() : Error();
  }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };

  absl::Status Error() const {
    return absl::UnavailableError(absl::StrCat("cannot write ", path_, ": ", sqlite3_errmsg(handle_.get()),
                                               "; it can be deleted, and rebuilt from the run folders"));
  }

  std::unique_ptr<sqlite3, Close> handle_;
  std::string path_;
};

}  // namespace

absl::Status AddToIndex(absl::string_view out, const v1::RunResult& result) {
  CREST_ASSIGN_OR_RETURN(Database database, Database::Open(out));
  return database.Insert(result);
}

absl::Status RebuildIndex(absl::string_view out) {
  CREST_ASSIGN_OR_RETURN(Database database, Database::Open(out));
  CREST_RETURN_IF_ERROR(database.Execute("BEGIN IMMEDIATE"));  // rolled back when the connection closes
  CREST_RETURN_IF_ERROR(database.Execute("DELETE FROM runs"));
  std::error_code error;
  for (std::filesystem::directory_iterator it(std::string(out), error), end; !error && it != end; it.increment(error)) {
    const auto bytes = ReadWholeFile((it->path() / "result.pb").string());
    v1::RunResult result;
    if (!bytes.ok() || !result.ParseFromString(*bytes)) continue;
    CREST_RETURN_IF_ERROR(database.Insert(result));
  }
  if (error) return absl::UnavailableError(absl::StrCat("cannot list ", out, ": ", error.message()));
  return database.Execute("COMMIT");
}

}  // namespace crest
