#include "workloads/profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "workloads/operation_stream.h"
#include "workloads/profile_for_test.h"
#include "workloads/validate.h"

namespace crest {
namespace {

constexpr double kKiB = 1024;
constexpr double kTransfer = 32 * kKiB;

// The figures of the sources that sfs2008-nfs is fitted to.
constexpr double kMeanFileSize = 531 * kKiB;
constexpr double kCallsPerRead = 1.23;
constexpr double kCallsPerWrite = 1.21;

TEST(ProfilesTest, AllAreValidAndNamedAfterTheirFiles) {
  std::vector<std::string> names;
  for (const Profile& profile : Profiles()) {
    const v1::Workload workload = ProfileForTest(profile.name);
    EXPECT_EQ(workload.name(), profile.name);
    EXPECT_FALSE(workload.description().empty());
    EXPECT_GT(workload.source_size(), 0);
    for (const FieldError& error : ValidateWorkload(workload)) {
      ADD_FAILURE() << profile.name << ": " << error.path << ": " << error.message;
    }
    names.emplace_back(profile.name);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"sfs2008-nfs", "sfs97r1-nfs"}));
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

std::map<std::string, double> Mix(const v1::Workload& workload) {
  std::map<std::string, double> mix;
  for (const v1::OperationShare& entry : workload.mix()) {
    mix[std::string(OperationName(entry.operation()))] = entry.share();
  }
  return mix;
}

TEST(ProfilesTest, Sfs2008HasThePublishedMix) {
  const std::map<std::string, double> published = {{"GETATTR", 26},    {"LOOKUP", 24}, {"READ", 18},    {"ACCESS", 11},
                                                   {"WRITE", 10},      {"SETATTR", 4}, {"READLINK", 1}, {"READDIR", 1},
                                                   {"READDIRPLUS", 2}, {"CREATE", 1},  {"REMOVE", 1},   {"FSSTAT", 1}};
  const std::map<std::string, double> mix = Mix(ProfileForTest("sfs2008-nfs"));
  ASSERT_EQ(mix.size(), published.size());
  for (const auto& [name, percent] : published) EXPECT_DOUBLE_EQ(mix.at(name), percent / 100) << name;
}

TEST(ProfilesTest, Sfs97HasThePublishedMixMade100) {
  const std::map<std::string, double> published = {
      {"GETATTR", 11},    {"LOOKUP", 27},  {"READ", 18},   {"ACCESS", 7}, {"WRITE", 9},  {"SETATTR", 1}, {"COMMIT", 5},
      {"READDIRPLUS", 9}, {"READLINK", 7}, {"READDIR", 2}, {"CREATE", 1}, {"REMOVE", 1}, {"FSSTAT", 1}};
  const std::map<std::string, double> mix = Mix(ProfileForTest("sfs97r1-nfs"));
  ASSERT_EQ(mix.size(), published.size());
  for (const auto& [name, percent] : published) EXPECT_NEAR(mix.at(name), percent / 99, 1.1e-6) << name;
}

// The three expectations, from the tables alone and by the laws as docs/workloads.md states them.
struct Expectations {
  explicit Expectations(const v1::Workload& w) {
    for (const v1::SizeShare& file : w.file_set().file_size()) {
      mean_file_size += file.share() * file.size();
      const double band = std::floor(file.size() / 10);
      for (const v1::SizeShare& read : w.read_size()) {
        calls_per_read += file.share() * read.share() * Calls(std::min(read.size(), file.size()));
      }
      for (const v1::SizeShare& write : w.write_size()) {
        calls_per_write += file.share() * write.share() *
                           (w.append() * Calls(std::min(write.size(), band)) +
                            (1 - w.append()) * Calls(std::min(write.size(), file.size())));
      }
    }
  }
  static double Calls(double length) { return std::ceil(length / kTransfer); }

  double mean_file_size = 0;
  double calls_per_read = 0;
  double calls_per_write = 0;
};

TEST(ProfilesTest, Sfs2008IsFittedToItsSources) {
  const v1::Workload workload = ProfileForTest("sfs2008-nfs");
  ASSERT_EQ(workload.transfer_size(), kTransfer);
  const Expectations expected(workload);
  EXPECT_NEAR(expected.mean_file_size / kMeanFileSize, 1, 0.002);
  EXPECT_NEAR(expected.calls_per_read, kCallsPerRead, 0.005);
  EXPECT_NEAR(expected.calls_per_write, kCallsPerWrite, 0.005);
}

TEST(ProfilesTest, Sfs2008DrawsWhatItIsFittedTo) {
  const v1::Workload workload = ProfileForTest("sfs2008-nfs");
  const auto model = *WorkloadModel::Create(workload, 1);
  EXPECT_NEAR(model->files().mean_file_size() / kMeanFileSize, 1, 0.002);

  double count[2] = {};
  double calls[2] = {};
  const FileSetCounts counts = model->files().CountsAt(200);
  for (uint32_t stream = 0; stream < 20; ++stream) {
    OperationStream operations(model.get(), counts, stream, 20, 1);
    for (int i = 0; i < 100'000; ++i) {
      const Operation operation = operations.Next();
      if (operation.kind != v1::OPERATION_READ && operation.kind != v1::OPERATION_WRITE) continue;
      const int which = operation.kind == v1::OPERATION_WRITE;
      ++count[which];
      calls[which] += Expectations::Calls(operation.length);
    }
  }
  // Standard deviations of the means: about 0.0015 and 0.002.
  EXPECT_NEAR(calls[0] / count[0], kCallsPerRead, 0.007);
  EXPECT_NEAR(calls[1] / count[1], kCallsPerWrite, 0.008);
}

}  // namespace
}  // namespace crest
