// What other programs read of a run.
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "tests/run/run_fixture.h"

namespace crest {
namespace {

using ::testing::AnyOf;
using ::testing::IsEmpty;
using ::testing::SizeIs;

google::protobuf::Struct Json(const std::string& text) {
  google::protobuf::Struct parsed;
  const auto status = google::protobuf::util::JsonStringToMessage(text, &parsed);
  EXPECT_TRUE(status.ok()) << status.message().ToString() << "\n" << text.substr(0, 400);
  return parsed;
}

// Paths of all strings that a reader could take for numbers.
void FindNumbersInStrings(const google::protobuf::Value& value, const std::string& path,
                          std::vector<std::string>& found) {
  double number = 0;
  if (value.has_string_value() && absl::SimpleAtod(value.string_value(), &number)) found.push_back(path);
  for (const auto& element : value.list_value().values()) FindNumbersInStrings(element, path + "[]", found);
  for (const auto& [key, field] : value.struct_value().fields()) {
    FindNumbersInStrings(field, absl::StrCat(path, ".", key), found);
  }
}

class MachineOutput : public RunFixture {};

TEST_F(MachineOutput, JsonAndCsvHoldTheDataAndNothingElse) {
  StartServer();
  const SpecText text = {.target = server_->Url(),
                         .load = "{plan: steps, rates: [100, 150], warmup: 1s, measure: 2s, streams: 4}"};
  const Ended run = Crest(WriteSpec(text), {"--format", "json"});
  ASSERT_THAT(run.exit_code, AnyOf(0, 1)) << run.err;
  const google::protobuf::Struct printed = Json(run.out);
  EXPECT_EQ(printed.fields().at("status").string_value(), "COMPLETE");
  EXPECT_THAT(printed.fields().at("points").list_value().values(), SizeIs(2));

  ASSERT_THAT(RunFolders(), SizeIs(1));
  const std::string folder = RunFolders()[0];
  const std::string file = ReadWholeFile(folder + "/result.json");
  EXPECT_EQ(Json(file).SerializeAsString().size(), printed.SerializeAsString().size());
  google::protobuf::Value whole;
  *whole.mutable_struct_value() = Json(file);
  std::vector<std::string> found;
  FindNumbersInStrings(whole, "", found);
  EXPECT_THAT(found, IsEmpty());

  const std::vector<std::string> lines = absl::StrSplit(ReadWholeFile(folder + "/curve.csv"), '\n', absl::SkipEmpty());
  ASSERT_THAT(lines, SizeIs(3));
  const std::vector<std::string> columns = absl::StrSplit(lines[0], ',');
  EXPECT_EQ(columns.front(), "index");
  EXPECT_EQ(columns.back(), "findings");
  for (const std::string& line : lines) {
    const std::vector<std::string> fields = absl::StrSplit(line, ',');
    EXPECT_EQ(fields.size(), columns.size()) << line;
  }
  const Ended csv = RunProgram({CrestProgram(), "report", folder, "--format", "csv"}, folder_.path());
  EXPECT_EQ(csv.out, ReadWholeFile(folder + "/curve.csv"));
}

TEST_F(MachineOutput, RefusedRunPrintsNoJson) {
  const Ended run = Crest(WriteSpec({.target = "nfs://"}), {"--format", "json"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.out, IsEmpty());
}

TEST_F(MachineOutput, SecondRunUsesTheFileSetOfTheFirst) {
  StartServer();
  const std::string spec = WriteSpec({.target = server_->Url()});
  ASSERT_THAT(Crest(spec).exit_code, AnyOf(0, 1));
  const std::map<std::string, std::string> first = Listing(server_->directory());
  ASSERT_THAT(Crest(spec).exit_code, AnyOf(0, 1));
  const std::map<std::string, std::string> second = Listing(server_->directory());
  // The same paths: nothing built beside it, nothing left of what CREATE makes.
  const auto paths = [](const std::map<std::string, std::string>& listing) {
    std::vector<std::string> names;
    names.reserve(listing.size());
    for (const auto& [path, what] : listing) names.push_back(path);
    return names;
  };
  EXPECT_GT(first.size(), 100u);
  EXPECT_EQ(paths(first), paths(second));
  // Most files are never accessed: nobody has written them anew.
  const auto same = std::count_if(second.begin(), second.end(), [&](const auto& entry) {
    const auto before = first.find(entry.first);
    return before != first.end() && before->second == entry.second;
  });
  EXPECT_GT(static_cast<double>(same), 0.6 * static_cast<double>(first.size()));
  ASSERT_THAT(RunFolders(), SizeIs(2));
  const v1::FileSetData built = ReadPoint(RunFolders()[0], 1).file_set();
  const v1::FileSetData reused = ReadPoint(RunFolders()[1], 1).file_set();
  EXPECT_EQ(built.files(), reused.files());
  EXPECT_EQ(built.bytes_total(), reused.bytes_total());
}

}  // namespace
}  // namespace crest
