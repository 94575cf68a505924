#include "results/run_store.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "results/files.h"
#include "results/histogram.h"
#include "results/judge.h"
#include "results/run_index.h"

namespace crest {
namespace {

namespace fs = std::filesystem;
using ::google::protobuf::util::MessageDifferencer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const absl::Time kStart = absl::FromCivil(absl::CivilSecond(2026, 1, 2, 3, 4, 5), absl::UTCTimeZone());

class RunStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "run_store_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    out_ = pattern;
  }
  void TearDown() override { fs::remove_all(out_); }

  RunWriter Create(absl::string_view name = "filer a/nfs3") {
    auto writer = RunWriter::Create(out_, name, kStart);
    EXPECT_TRUE(writer.ok()) << writer.status();
    return *std::move(writer);
  }

  // Rows of the index as text, "id|name|…", by id.
  std::vector<std::string> Index(const std::string& columns) const {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open((out_ + "/index.sqlite").c_str(), &database), SQLITE_OK);
    std::vector<std::string> rows;
    const std::string query = "SELECT " + columns + " FROM runs ORDER BY id";
    EXPECT_EQ(sqlite3_exec(
                  database, query.c_str(),
                  [](void* to, int count, char** values, char**) {
                    std::string row;
                    for (int i = 0; i < count; ++i) row += (i == 0 ? "" : "|") + std::string(values[i]);
                    static_cast<std::vector<std::string>*>(to)->push_back(row);
                    return 0;
                  },
                  &rows, nullptr),
              SQLITE_OK);
    sqlite3_close(database);
    return rows;
  }

  std::string out_;
};

v1::RunHeader Header(const std::string& run_id) {
  v1::RunHeader header;
  header.set_format_version(1);
  header.set_run_id(run_id);
  header.set_started_at("2026-01-02T03:04:05Z");
  header.mutable_spec()->set_name("filer, \"a\"");
  header.mutable_spec()->add_target("nfs://filer-a/x");
  header.mutable_spec()->mutable_workload()->set_name("mine");
  v1::OperationShare* share = header.mutable_spec()->mutable_workload()->add_mix();
  share->set_operation(v1::OPERATION_READ);
  share->set_share(1);
  return header;
}

v1::PointData Point(uint32_t index, int count) {
  v1::PointData point;
  point.set_index(index);
  point.set_requested_ops_per_sec(count);
  point.set_measured_ns(1'000'000'000);
  Histogram histogram;
  for (int i = 0; i < count; ++i) histogram.Record(1'000'000 + i * 1000);
  *point.mutable_response() = histogram.ToProto();
  *point.mutable_service() = histogram.ToProto();
  v1::OperationCounts* counts = point.add_operations()->mutable_counts();
  counts->set_operation(v1::OPERATION_READ);
  counts->set_count(count);
  return point;
}

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_F(RunStoreTest, FoldersAreNamedByTimeAndName) {
  const RunWriter writer = Create();
  EXPECT_EQ(writer.run_id(), "20260102T030405Z-filer_a_nfs3");
  EXPECT_EQ(writer.folder(), out_ + "/20260102T030405Z-filer_a_nfs3");
  EXPECT_TRUE(fs::is_directory(writer.folder()));
  EXPECT_EQ(Create().run_id(), "20260102T030405Z-filer_a_nfs3-2");  // never one that exists
  EXPECT_EQ(Create().run_id(), "20260102T030405Z-filer_a_nfs3-3");
  EXPECT_EQ(Create("../\x1b[31m").run_id(), "20260102T030405Z-..___31m");
  EXPECT_EQ(Create("").run_id(), "20260102T030405Z-run");
  EXPECT_LT(Create(std::string(1000, 'x')).run_id().size(), 150u);
}

TEST_F(RunStoreTest, AFolderThatCannotBeMadeIsAnError) {
  ASSERT_TRUE(WriteFileAtomically(out_ + "/file", "x").ok());
  const auto writer = RunWriter::Create(out_ + "/file", "a", kStart);
  ASSERT_FALSE(writer.ok());
  EXPECT_THAT(std::string(writer.status().message()), HasSubstr(out_ + "/file"));
}

TEST_F(RunStoreTest, WhatIsWrittenIsReadAsItHappens) {
  RunWriter writer = Create();
  EXPECT_FALSE(ReadRun(writer.folder()).ok());  // no header yet
  const v1::RunHeader header = Header(writer.run_id());
  ASSERT_TRUE(writer.WriteHeader(header).ok());
  EXPECT_TRUE(ReadRun(writer.folder())->points.empty());
  // Past 99 the order of the names is not that of the points.
  for (const uint32_t index : {1u, 2u, 10u, 100u}) {
    ASSERT_TRUE(writer.WritePoint(Point(index, 2000)).ok());
  }
  std::ofstream(writer.folder() + "/points/.101.pb.tmp") << "half";
  const auto run = ReadRun(writer.folder());
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_TRUE(MessageDifferencer::Equals(run->header, header));
  ASSERT_EQ(run->points.size(), 4u);
  EXPECT_TRUE(MessageDifferencer::Equals(run->points[0], Point(1, 2000)));
  EXPECT_EQ(run->points[3].index(), 100u);
}

TEST_F(RunStoreTest, ADamagedPointIsNamed) {
  RunWriter writer = Create();
  ASSERT_TRUE(writer.WriteHeader(Header(writer.run_id())).ok());
  std::ofstream(writer.folder() + "/points/01.pb") << "\xff\xff\xff";
  const auto run = ReadRun(writer.folder());
  EXPECT_EQ(run.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(run.status().message()), HasSubstr("points/01.pb"));
}

TEST_F(RunStoreTest, ALoadPointUnderAnotherNameOrAnEmptiedHeaderIsRefused) {
  RunWriter writer = Create();
  ASSERT_TRUE(writer.WriteHeader(Header(writer.run_id())).ok());
  ASSERT_TRUE(writer.WritePoint(Point(1, 2000)).ok());
  ASSERT_TRUE(ReadRun(writer.folder()).ok());
  fs::copy(writer.folder() + "/points/01.pb", writer.folder() + "/points/02.pb");
  EXPECT_THAT(std::string(ReadRun(writer.folder()).status().message()), HasSubstr("02.pb: holds load point 1"));
  fs::remove(writer.folder() + "/points/02.pb");
  fs::resize_file(writer.folder() + "/points/01.pb", 0);
  EXPECT_EQ(ReadRun(writer.folder()).status().code(), absl::StatusCode::kDataLoss);
  fs::remove(writer.folder() + "/points/01.pb");
  fs::resize_file(writer.folder() + "/header.pb", 0);
  EXPECT_THAT(std::string(ReadRun(writer.folder()).status().message()), HasSubstr("header.pb: is damaged"));
}

TEST_F(RunStoreTest, AResultIsWrittenWhole) {
  RunWriter writer = Create();
  const v1::RunHeader header = Header(writer.run_id());
  const std::vector<v1::PointData> points = {Point(1, 1000), Point(2, 2000)};
  const v1::RunResult result = JudgeRun(header, points, v1::COMPLETE, "");
  ASSERT_TRUE(writer.WriteResult(header, points, result).ok());
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(writer.folder())) {
    if (entry.is_regular_file()) files.insert(fs::relative(entry.path(), writer.folder()).string());
  }
  EXPECT_THAT(files, ElementsAre("curve.csv", "header.pb", "latency/01-response-ms.hgrm", "latency/01-service-ms.hgrm",
                                 "latency/02-response-ms.hgrm", "latency/02-service-ms.hgrm", "report.html",
                                 "result.json", "result.pb"));
  v1::RunResult read;
  ASSERT_TRUE(read.ParseFromString(*ReadWholeFile(writer.folder() + "/result.pb")));
  EXPECT_TRUE(MessageDifferencer::Equals(read, result));
  v1::RunResult from_json;
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(*ReadWholeFile(writer.folder() + "/result.json"), &from_json).ok());
  EXPECT_DOUBLE_EQ(from_json.summary().peak_ops_per_sec(), 2000);
  EXPECT_THAT(Index("id, name, started_at, target, workload, status, peak_ops_per_sec, valid"),
              ElementsAre("20260102T030405Z-filer_a_nfs3|filer, \"a\"|2026-01-02T03:04:05Z|nfs://filer-a/x|mine|"
                          "COMPLETE|2000.0|1"));
}

TEST_F(RunStoreTest, TheIndexCanBeRebuilt) {
  for (const char* name : {"a", "b"}) {
    RunWriter writer = Create(name);
    ASSERT_TRUE(
        writer.WriteResult(Header(writer.run_id()), {}, JudgeRun(Header(writer.run_id()), {}, v1::FAILED, "x")).ok());
  }
  const auto before = Index("*");
  ASSERT_EQ(before.size(), 2u);
  fs::remove(out_ + "/index.sqlite");
  Create("unfinished");
  fs::create_directory(out_ + "/damaged");
  std::ofstream(out_ + "/damaged/result.pb") << "\xff\xff";
  ASSERT_TRUE(RebuildIndex(out_).ok());
  EXPECT_EQ(Index("*"), before);
  fs::remove_all(out_ + "/20260102T030405Z-a");
  ASSERT_TRUE(RebuildIndex(out_).ok());
  EXPECT_THAT(Index("id"), ElementsAre("20260102T030405Z-b"));
}

TEST_F(RunStoreTest, SeveralWritersShareTheIndex) {
  std::vector<std::thread> writers;
  writers.reserve(4);
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([this, writer] {
      for (int i = 0; i < 5; ++i) {
        v1::RunResult result;
        result.set_run_id("run-" + std::to_string(writer) + "-" + std::to_string(i));
        EXPECT_TRUE(AddToIndex(out_, result).ok());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(Index("id").size(), 20u);
}

TEST_F(RunStoreTest, ADamagedIndexDoesNotLoseTheRun) {
  std::ofstream(out_ + "/index.sqlite") << std::string(5000, 'x');
  RunWriter writer = Create();
  const v1::RunHeader header = Header(writer.run_id());
  testing::internal::CaptureStderr();
  EXPECT_TRUE(writer.WriteResult(header, {}, JudgeRun(header, {}, v1::FAILED, "")).ok());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("index.sqlite"));
  EXPECT_TRUE(fs::exists(writer.folder() + "/report.html"));
}

TEST_F(RunStoreTest, FilesAreReplacedWholeAndLeaveNothingBeside) {
  const std::string path = out_ + "/f";
  ASSERT_TRUE(WriteFileAtomically(path, std::string(1 << 20, 'a')).ok());
  ASSERT_TRUE(WriteFileAtomically(path, "b").ok());
  EXPECT_EQ(*ReadWholeFile(path), "b");
  EXPECT_EQ(std::distance(fs::directory_iterator(out_), fs::directory_iterator()), 1);
  EXPECT_FALSE(WriteFileAtomically(out_ + "/none/f", "x").ok());
  EXPECT_EQ(ReadWholeFile(out_ + "/none").status().code(), absl::StatusCode::kNotFound);
}

// ---- exports ---------------------------------------------------------------------------------------------------

// proto3 JSON writes 64-bit integers as strings.
void ExpectNo64BitIntegers(const google::protobuf::Descriptor* message, std::set<std::string>* seen) {
  if (message->file()->package() == "google.protobuf" || !seen->insert(message->full_name()).second) return;
  for (int i = 0; i < message->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* field = message->field(i);
    EXPECT_NE(field->cpp_type(), google::protobuf::FieldDescriptor::CPPTYPE_INT64) << field->full_name();
    EXPECT_NE(field->cpp_type(), google::protobuf::FieldDescriptor::CPPTYPE_UINT64) << field->full_name();
    if (field->message_type() != nullptr) ExpectNo64BitIntegers(field->message_type(), seen);
  }
}

TEST(ToJsonTest, ResultsHoldNoNumbersThatBecomeStrings) {
  std::set<std::string> seen;
  ExpectNo64BitIntegers(v1::RunResult::descriptor(), &seen);
  EXPECT_TRUE(seen.contains("crest.v1.LoadPoint"));
}

TEST(ToJsonTest, SnakeCaseWithDefaultsAndTwoSpaces) {
  v1::RunResult result;
  v1::LoadPoint* point = result.add_points();
  point->set_achieved_ops_per_sec(12.5);
  point->set_p99_ms(0);
  result.set_name("a\nb");
  const std::string json = *ToJson(result);
  EXPECT_THAT(json, HasSubstr("\n  \"points\": [\n    {\n      \"index\": 0,"));
  EXPECT_THAT(json, HasSubstr("\"achieved_ops_per_sec\": 12.5,"));
  EXPECT_THAT(json, HasSubstr("\"error_count\": 0,"));
  EXPECT_THAT(json, HasSubstr("\"valid\": false,"));
  EXPECT_THAT(json, HasSubstr("\"p99_ms\": 0"));
  EXPECT_THAT(json, Not(HasSubstr("p95_ms")));  // a percentile that is not known is not there
  EXPECT_THAT(json, HasSubstr("\"name\": \"a\\nb\""));
}

TEST(CurveFileTest, ColumnsAreConstantAndMissingFiguresEmpty) {
  v1::RunResult result;
  v1::LoadPoint* point = result.add_points();
  point->set_index(1);
  point->set_achieved_ops_per_sec(1234567.5);
  point->set_p50_ms(0.1);
  point->set_valid(true);
  point->add_findings()->set_code("errors");
  point->add_findings()->set_code("reconnected");
  point->set_started_at("a,\"b\"");
  result.add_points()->set_index(2);
  const std::vector<std::string> lines = Lines(CurveCsv(result));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], StartsWith("index,requested_ops_per_sec,achieved_ops_per_sec,mean_response_ms,"));
  EXPECT_EQ(lines[1],
            "1,0,1234567.5,0,0,0.1,,,,0,0,,0,,0,,0,0,0,0,0,0,0,0,0,0,true,false,\"a,\"\"b\"\"\",errors reconnected");
  EXPECT_EQ(std::count(lines[2].begin(), lines[2].end(), ','), std::count(lines[0].begin(), lines[0].end(), ','));
}

TEST(CurveFileTest, EveryColumnAndFieldIsExplained) {
  const auto document = ReadWholeFile(std::string(CREST_DOCS) + "/result-columns.md");
  ASSERT_TRUE(document.ok()) << document.status();
  std::istringstream header(Lines(CurveCsv(v1::RunResult()))[0]);
  for (std::string column; std::getline(header, column, ',');) EXPECT_THAT(*document, HasSubstr("`" + column + "`"));
  for (const google::protobuf::Descriptor* message :
       {v1::RunResult::descriptor(), v1::Summary::descriptor(), v1::LoadPoint::descriptor(),
        v1::LoadPointOperation::descriptor(), v1::LoadPointError::descriptor(), v1::LoadPointProcedure::descriptor(),
        v1::LoadPointAgent::descriptor(), v1::LoadPointInterval::descriptor(), v1::Finding::descriptor(),
        v1::FileSetData::descriptor(), v1::HostInfo::descriptor(), v1::NetworkInterface::descriptor(),
        v1::Mount::descriptor(), v1::BlockDevice::descriptor()}) {
    for (int i = 0; i < message->field_count(); ++i) {
      EXPECT_THAT(*document, HasSubstr("`" + message->field(i)->name() + "`")) << message->name();
    }
  }
}

TEST(HgrmTextTest, IsThePercentileTableOfHdrHistogram) {
  Histogram histogram;
  for (int64_t i = 1; i <= 100; ++i) histogram.Record(i * 1'000'000);
  const std::vector<std::string> lines = Lines(HgrmText(histogram.ToProto()));
  EXPECT_EQ(lines[0], "       Value     Percentile TotalCount 1/(1-Percentile)");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "    1.001472 0.000000000000          1           1.00");  // the middle of the bucket of 1 ms
  EXPECT_THAT(lines[3], HasSubstr(" 0.100000000000         10           1.11"));
  EXPECT_THAT(lines[7], HasSubstr(" 0.500000000000         50           2.00"));
  EXPECT_THAT(lines[8], HasSubstr(" 0.550000000000         55           2.22"));
  const size_t n = lines.size();
  EXPECT_EQ(lines[n - 4], "  100.000000 1.000000000000        100");
  EXPECT_EQ(lines[n - 3], "#[Mean    =    50.500000, StdDeviation   =    28.866070]");
  EXPECT_EQ(lines[n - 2], "#[Max     =   100.000000, Total count    =          100]");
  EXPECT_EQ(lines[n - 1], "#[Buckets =           34, SubBuckets     =          128]");
  double last_value = 0;
  double last_percentile = -1;
  for (size_t i = 2; i < n - 3; ++i) {
    std::istringstream row(lines[i]);
    double value = 0, percentile = 0, count = 0;
    ASSERT_TRUE(row >> value >> percentile >> count) << lines[i];
    EXPECT_GE(value, last_value);
    EXPECT_GT(percentile, last_percentile);
    EXPECT_GE(count, percentile * 100 - 1e-6);
    last_value = value;
    last_percentile = percentile;
  }
}

TEST(HgrmTextTest, EmptyAndMalformedHistogramsHaveNoRows) {
  v1::Histogram malformed;
  malformed.add_count(1);
  for (const v1::Histogram& histogram : {v1::Histogram(), malformed}) {
    const std::vector<std::string> lines = Lines(HgrmText(histogram));
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_THAT(lines[3], HasSubstr("Total count    =            0"));
  }
}

}  // namespace
}  // namespace crest
