#include "workloads/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/random.h"
#include "workloads/file_set.h"
#include "workloads/operation_stream.h"
#include "workloads/profile_for_test.h"

namespace crest {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Errors(const v1::Workload& workload) {
  std::vector<std::string> texts;
  for (const FieldError& error : ValidateWorkload(workload)) texts.push_back(error.path + ": " + error.message);
  return texts;
}

class ValidateTest : public ::testing::Test {
 protected:
  v1::Workload workload_ = ProfileForTest("sfs2008-nfs");
  v1::FileSetSpec& file_set_ = *workload_.mutable_file_set();

  void AddToMix(v1::OperationKind kind, double share) {
    v1::OperationShare* entry = workload_.add_mix();
    entry->set_operation(kind);
    entry->set_share(share);
  }
};

TEST_F(ValidateTest, SharesMustMake100) {
  workload_.mutable_mix(0)->set_share(0.25);
  EXPECT_THAT(Errors(workload_), ElementsAre("mix: the shares add up to 99 %; they must make 100 %"));
  workload_.mutable_mix(0)->set_share(0.26 + 5e-7);
  EXPECT_THAT(Errors(workload_), IsEmpty());
}

TEST_F(ValidateTest, AllErrorsComeAtOnce) {
  workload_.clear_name();
  workload_.mutable_mix(0)->set_share(0.25);
  workload_.clear_arrivals();
  workload_.set_transfer_size(2 << 20);
  file_set_.set_accessed(0);
  file_set_.set_files_per_directory(10'001);
  EXPECT_THAT(Errors(workload_), ElementsAre("name: is missing", "mix: the shares add up to 99 %; they must make 100 %",
                                             "transfer_size: is 2097152 bytes; at most 1 MiB is possible",
                                             "arrivals: is missing; give uniform, poisson or jittered",
                                             "file_set.accessed: must be above 0 % and at most 100 %, not 0 %",
                                             "file_set.files_per_directory: must be from 1 to 10000, not 10001"));
}

TEST_F(ValidateTest, OperationsTwiceUnknownOrForSetUp) {
  workload_.mutable_mix(0)->set_share(0.20);
  AddToMix(v1::OPERATION_LOOKUP, 0.02);
  AddToMix(v1::OPERATION_MKDIR, 0.02);
  AddToMix(static_cast<v1::OperationKind>(99), 0.02);
  EXPECT_THAT(
      Errors(workload_),
      ElementsAre("mix[12].operation: LOOKUP is in the mix twice; add its shares up",
                  "mix[13].operation: MKDIR builds and removes the file set and cannot be measured; take it out "
                  "of the mix",
                  "mix[14].operation: is no operation that crest knows (number 99)"));
}

TEST_F(ValidateTest, MoreRemovesThanCreates) {
  for (v1::OperationShare& entry : *workload_.mutable_mix()) {
    if (entry.operation() == v1::OPERATION_CREATE) entry.set_share(0.005);
    if (entry.operation() == v1::OPERATION_REMOVE) entry.set_share(0.015);
  }
  EXPECT_THAT(Errors(workload_), ElementsAre(HasSubstr("mix: REMOVE has 1.5 % and CREATE 0.5 %")));
}

TEST_F(ValidateTest, ReadsNeedSizesOnlyWhenThereAreReads) {
  workload_.clear_read_size();
  EXPECT_THAT(Errors(workload_), ElementsAre(HasSubstr("read_size: is missing")));
  workload_.clear_write_size();
  workload_.clear_write_stability();
  workload_.clear_transfer_size();
  workload_.clear_mix();
  AddToMix(v1::OPERATION_GETATTR, 1);
  EXPECT_THAT(Errors(workload_), IsEmpty());
}

TEST_F(ValidateTest, AbsurdSizes) {
  for (const double size : {0.0, -4096.0, 0.5, 1e300, std::nan(""), std::numeric_limits<double>::infinity(), 4096.5}) {
    v1::Workload workload = workload_;
    workload.mutable_read_size(0)->set_size(size);
    EXPECT_THAT(Errors(workload), Contains(HasSubstr("read_size[0].size: "))) << size;
    workload = workload_;
    workload.mutable_file_set()->mutable_file_size(2)->set_size(size);
    EXPECT_THAT(Errors(workload), Contains(HasSubstr("file_set.file_size[2].size: "))) << size;
  }
  workload_.mutable_write_size(0)->set_size(0x1.0p27);
  file_set_.mutable_file_size(0)->set_size(0x1.0p41);
  EXPECT_THAT(Errors(workload_),
              ElementsAre(HasSubstr("write_size[0].size: "), HasSubstr("file_set.file_size[0].size: ")));
}

TEST_F(ValidateTest, ASizeTwice) {
  workload_.mutable_read_size(1)->set_size(workload_.read_size(0).size());
  EXPECT_THAT(Errors(workload_), ElementsAre("read_size: the size of 2048 bytes is there twice; add its shares up"));
}

TEST_F(ValidateTest, EveryDirectoryNeedsAnAccessedFile) {
  file_set_.set_accessed(0.03);
  EXPECT_THAT(Errors(workload_), ElementsAre("file_set.accessed: 3 % of 30 files a directory is less than one; every "
                                             "directory needs one, so give at least 3.333333 %"));
  file_set_.set_accessed(1.0 / 30);
  EXPECT_THAT(Errors(workload_), IsEmpty());
}

TEST_F(ValidateTest, AShareTooSmallForABlock) {
  file_set_.mutable_file_size(0)->set_share(file_set_.file_size(0).share() - 0.0001);
  v1::SizeShare* huge = file_set_.add_file_size();
  huge->set_size(0x1.0p30);
  huge->set_share(0.0001);
  EXPECT_THAT(Errors(workload_),
              ElementsAre(HasSubstr("file_set.file_size: the share of 1073741824 bytes is too small")));
}

TEST_F(ValidateTest, LimitsAndValidity) {
  workload_.mutable_limit()->set_nanos(-20'000'000);
  workload_.set_outstanding(0);
  workload_.mutable_validity()->set_achieved(1.5);
  EXPECT_THAT(Errors(workload_),
              ElementsAre(HasSubstr("outstanding: must be from 1"), HasSubstr("limit: must be above 0 s"),
                          "validity.achieved: must be above 0 % and at most 100 %, not 150 %"));
}

TEST_F(ValidateTest, AnEmptyMessageIsRefusedEverywhere) {
  EXPECT_THAT(Errors(v1::Workload()), Contains(HasSubstr("mix: is missing")));
  EXPECT_THAT(Errors(v1::Workload()), Contains(HasSubstr("file_set.file_size: is missing")));
}

// Whatever a sender makes of a workload, it is refused or it runs.
TEST_F(ValidateTest, HostileWorkloadsAreRefusedOrRun) {
  const double values[] = {0, -1, 0.5, 1, 1e-300, 1e300, std::nan(""), std::numeric_limits<double>::infinity(), 4096};
  Random random(1);
  const auto value = [&] { return values[random.Below(std::size(values))]; };
  int ran = 0;
  for (int round = 0; round < 3000; ++round) {
    v1::Workload workload = workload_;
    v1::FileSetSpec& files = *workload.mutable_file_set();
    switch (random.Below(9)) {
      case 0:
        workload.mutable_mix(static_cast<int>(random.Below(12)))->set_share(value());
        break;
      case 1:
        workload.mutable_read_size(static_cast<int>(random.Below(8)))->set_size(value());
        break;
      case 2:
        workload.mutable_write_size(static_cast<int>(random.Below(8)))->set_share(value());
        break;
      case 3:
        files.set_accessed(value());
        break;
      case 4:
        files.set_bytes_per_op_rate(value());
        break;
      case 5:
        files.mutable_file_size(static_cast<int>(random.Below(15)))->set_size(value());
        break;
      case 6:
        files.set_files_per_directory(static_cast<uint32_t>(random.Next() >> (32 + random.Below(32))));
        break;
      case 7:
        files.set_io_files_per_symlink(static_cast<uint32_t>(random.Next() >> (32 + random.Below(32))));
        break;
      default:
        workload.set_append(value());
        break;
    }
    if (files.files_per_directory() > 1000 && round % 50 != 0) continue;  // slow to lay out
    const auto model = WorkloadModel::Create(workload, 1);
    ASSERT_EQ(model.ok(), ValidateWorkload(workload).empty());
    if (!model.ok()) continue;
    ++ran;
    OperationStream operations(model->get(), (*model)->files().CountsAt(1), 3, 64, 0);
    for (int i = 0; i < 100; ++i) ASSERT_LE(operations.Next().length, (*model)->max_length());
  }
  EXPECT_GT(ran, 100);
}

TEST_F(ValidateTest, StreamsNeedADirectoryEach) {
  EXPECT_THAT(ValidateStreams(workload_, 7714, 1000), IsEmpty());
  const std::vector<FieldError> errors = ValidateStreams(workload_, 7715, 1000);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path, "streams");
  EXPECT_THAT(errors[0].message, HasSubstr("give at most 7714 streams, or file_set.bytes_per_op_rate of 125849549"));
  EXPECT_EQ(ValidateStreams(workload_, 0, 1000).size(), 1u);
  EXPECT_THAT(ValidateStreams(workload_, 64, 0), IsEmpty());
  file_set_.clear_accessed();
  EXPECT_EQ(ValidateStreams(workload_, 1, 1000).size(), 1u);
}

TEST_F(ValidateTest, WhatTheMessageAdvisesIsEnough) {
  file_set_.set_bytes_per_op_rate(1 << 20);
  ASSERT_EQ(ValidateStreams(workload_, 1000, 100).size(), 1u);
  file_set_.set_bytes_per_op_rate(std::ceil(1000 * FileSet::Create(workload_, 1)->mean_file_size() * 30 / 100));
  EXPECT_THAT(ValidateStreams(workload_, 1000, 100), IsEmpty());
}

TEST(AutoStreamsTest, TwiceRateTimesLimitAndAtLeast64) {
  EXPECT_EQ(AutoStreams(100, 0.02), 64u);
  EXPECT_EQ(AutoStreams(1600, 0.02), 64u);
  EXPECT_EQ(AutoStreams(10'001, 0.02), 401u);
  EXPECT_EQ(AutoStreams(std::nan(""), 0.02), 64u);
  EXPECT_EQ(AutoStreams(-5, 0.02), 64u);
  EXPECT_EQ(AutoStreams(1e300, 1e300), 1'000'000u);
}

}  // namespace
}  // namespace crest
