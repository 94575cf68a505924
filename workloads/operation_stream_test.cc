#include "workloads/operation_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "base/random.h"
#include "workloads/profile_for_test.h"

namespace crest {
namespace {

std::unique_ptr<const WorkloadModel> Model(const v1::Workload& workload, uint64_t seed = 1) {
  auto model = WorkloadModel::Create(workload, seed);
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

v1::Workload Sfs2008() { return ProfileForTest("sfs2008-nfs"); }
v1::Workload Sfs97() { return ProfileForTest("sfs97r1-nfs"); }

std::vector<Operation> Draw(const WorkloadModel& model, double rate, uint32_t stream, uint32_t streams, uint32_t point,
                            int count) {
  OperationStream operations(&model, model.files().CountsAt(rate), stream, streams, point);
  std::vector<Operation> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(operations.Next());
  return drawn;
}

// What a server would hold, and whether each operation of one stream is a legal one.
class Checker {
 public:
  Checker(const WorkloadModel& model, double rate, uint32_t stream, uint32_t streams)
      : model_(model),
        counts_(model.files().CountsAt(rate)),
        slice_(&model.files(), counts_, stream, streams),
        initial_(OperationStream::InitialFile(model, counts_, stream, streams)) {}

  void Check(const Operation& operation) {
    switch (operation.kind) {
      case v1::OPERATION_GETATTR:
      case v1::OPERATION_LOOKUP:
      case v1::OPERATION_ACCESS:
      case v1::OPERATION_COMMIT:
        return CheckAccessed(operation);
      case v1::OPERATION_READ:
        CheckAccessed(operation);
        return CheckInside(operation);
      case v1::OPERATION_WRITE:
        CheckAccessed(operation);
        return CheckWrite(operation);
      case v1::OPERATION_SETATTR:
        return CheckNumbered(operation, ObjectKind::kNonIoFile, counts_.non_io_files);
      case v1::OPERATION_READLINK:
        return CheckNumbered(operation, ObjectKind::kSymlink, counts_.symlinks);
      case v1::OPERATION_READDIR:
      case v1::OPERATION_READDIRPLUS:
        CheckNumbered(operation, ObjectKind::kDirectory, counts_.directories);
        ASSERT_TRUE(slice_.Builds(operation.object));
        return;
      case v1::OPERATION_FSSTAT:
        ASSERT_EQ(operation.object, ObjectId(ObjectKind::kRoot, 0));
        return;
      case v1::OPERATION_CREATE:
        ASSERT_EQ(operation.object.kind(), ObjectKind::kCreated);
        ASSERT_EQ(operation.parent.kind(), ObjectKind::kDirectory);
        ASSERT_TRUE(slice_.Builds(operation.parent));
        ASSERT_TRUE(alive_.emplace(operation.object, operation.parent).second);
        ASSERT_TRUE(ever_.insert(operation.object).second);
        return;
      case v1::OPERATION_REMOVE:
        if (removed_++ == 0) {
          ASSERT_EQ(operation.object, initial_->object);
          ASSERT_EQ(operation.parent, initial_->parent);
          return;
        }
        ASSERT_TRUE(alive_.contains(operation.object));
        ASSERT_EQ(alive_.at(operation.object), operation.parent);
        alive_.erase(operation.object);
        return;
      default:
        FAIL() << operation.kind;
    }
  }

  const absl::flat_hash_map<ObjectId, ObjectId>& alive() const { return alive_; }
  int wraps() const { return wraps_; }

 private:
  void CheckAccessed(const Operation& operation) {
    ASSERT_EQ(operation.object.kind(), ObjectKind::kFile);
    ASSERT_LT(operation.object.number(), counts_.files);
    ASSERT_TRUE(model_.files().IsAccessed(operation.object.number()));
    ASSERT_TRUE(slice_.Builds(operation.object)) << "another stream's file";
    ASSERT_EQ(operation.parent, model_.files().ParentOf(operation.object));
  }
  void CheckInside(const Operation& operation) {
    ASSERT_GT(operation.length, 0u);
    ASSERT_LE(operation.length, model_.max_length());
    ASSERT_EQ(operation.offset % 4096, 0u);
    ASSERT_LE(operation.offset + operation.length, model_.files().FileSize(operation.object.number()));
  }
  void CheckWrite(const Operation& operation) {
    ASSERT_TRUE(generations_.insert(operation.generation).second);
    const uint64_t size = model_.files().FileSize(operation.object.number());
    if (operation.offset < size) return CheckInside(operation);
    uint64_t& end = ends_.try_emplace(operation.object, size).first->second;
    if (operation.offset != end) {
      ASSERT_EQ(operation.offset, size);
      ASSERT_GT(end + operation.length, model_.files().MaxFileSize(operation.object.number()));
      ++wraps_;
    }
    ASSERT_GT(operation.length, 0u);
    end = operation.offset + operation.length;
    ASSERT_LE(end, model_.files().MaxFileSize(operation.object.number()));
  }
  void CheckNumbered(const Operation& operation, ObjectKind kind, uint64_t count) {
    ASSERT_EQ(operation.object.kind(), kind);
    ASSERT_LT(operation.object.number(), count);
    ASSERT_EQ(operation.parent, model_.files().ParentOf(operation.object));
  }

  const WorkloadModel& model_;
  FileSetCounts counts_;
  FileSetSlice slice_;
  absl::flat_hash_map<ObjectId, ObjectId> alive_;
  absl::flat_hash_set<ObjectId> ever_;
  absl::flat_hash_set<uint64_t> generations_;
  absl::flat_hash_map<ObjectId, uint64_t> ends_;
  int wraps_ = 0;
  int removed_ = 0;
  std::optional<Operation> initial_;
};

void ExpectLegal(const v1::Workload& workload, double rate, uint32_t stream, uint32_t streams, int count) {
  const auto model = Model(workload);
  OperationStream operations(model.get(), model->files().CountsAt(rate), stream, streams, 3);
  Checker checker(*model, rate, stream, streams);
  for (int i = 0; i < count; ++i) {
    ASSERT_NO_FATAL_FAILURE(checker.Check(operations.Next())) << workload.name() << " operation " << i;
  }
  EXPECT_GT(checker.wraps(), 0) << "too short to see an append start again";

  absl::flat_hash_map<ObjectId, ObjectId> leftovers;
  for (const Operation& operation : operations.Leftovers()) {
    EXPECT_EQ(operation.kind, v1::OPERATION_REMOVE);
    leftovers.emplace(operation.object, operation.parent);
  }
  EXPECT_EQ(leftovers, checker.alive());
}

TEST(OperationStreamTest, EverySequenceIsLegal) {
  ExpectLegal(Sfs2008(), 10, 0, 1, 200'000);
  ExpectLegal(Sfs2008(), 100, 13, 64, 200'000);
  ExpectLegal(Sfs97(), 10, 5, 7, 200'000);
}

TEST(OperationStreamTest, TinyFilesAndAwkwardSharesAreLegal) {
  v1::Workload workload = Sfs2008();
  workload.mutable_file_set()->set_accessed(0.345);
  workload.mutable_file_set()->mutable_file_size(0)->set_size(1);  // nothing to append to: its band is empty
  workload.mutable_file_set()->mutable_file_size(1)->set_size(4097);
  ExpectLegal(workload, 10, 2, 12, 200'000);
}

TEST(OperationStreamTest, CreatesBeyondRemovesStayOver) {
  v1::Workload workload = Sfs2008();
  for (v1::OperationShare& entry : *workload.mutable_mix()) {
    if (entry.operation() == v1::OPERATION_CREATE) entry.set_share(0.0175);
    if (entry.operation() == v1::OPERATION_REMOVE) entry.set_share(0.0025);
  }
  ExpectLegal(workload, 10, 0, 1, 200'000);
}

TEST(OperationStreamTest, AWorkloadOfOneOperationWorks) {
  v1::Workload workload = Sfs2008();
  workload.clear_mix();
  v1::OperationShare* create = workload.add_mix();
  create->set_operation(v1::OPERATION_CREATE);
  create->set_share(1);
  const auto model = Model(workload);
  OperationStream operations(model.get(), model->files().CountsAt(1), 0, 1, 0);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(operations.Next().kind, v1::OPERATION_CREATE);
  EXPECT_EQ(operations.Leftovers().size(), 1000u);
}

TEST(OperationStreamTest, FewOperationsOfManyStreamsHaveAsManyCreatesAsRemoves) {
  const auto model = Model(Sfs2008());
  int creates = 0;
  int removes = 0;
  for (uint32_t stream = 0; stream < 1000; ++stream) {
    for (const Operation& operation : Draw(*model, 1000, stream, 1000, 1, 50)) {
      creates += operation.kind == v1::OPERATION_CREATE;
      removes += operation.kind == v1::OPERATION_REMOVE;
    }
  }
  // About 1,000 draws fall to the two together; ± 5 σ.
  EXPECT_GT(creates + removes, 800);
  EXPECT_NEAR(creates, removes, 5 * std::sqrt(creates + removes));
}

void ExpectShares(const v1::Workload& workload) {
  const auto model = Model(workload);
  std::array<double, kOperationKinds> counts{};
  constexpr int kStreams = 20;
  constexpr int kPerStream = 50'000;
  for (uint32_t stream = 0; stream < kStreams; ++stream) {
    OperationStream operations(model.get(), model->files().CountsAt(10), stream, kStreams, 1);
    for (int i = 0; i < kPerStream; ++i) ++counts[operations.Next().kind];
  }
  double chi_square = 0;
  for (const v1::OperationShare& entry : workload.mix()) {
    const double expected = entry.share() * kStreams * kPerStream;
    chi_square += (counts[entry.operation()] - expected) * (counts[entry.operation()] - expected) / expected;
  }
  // 12 degrees of freedom at most: above 32.9 once in 1,000.
  EXPECT_LT(chi_square, 32.9) << workload.name();
  EXPECT_LE(std::abs(counts[v1::OPERATION_CREATE] - counts[v1::OPERATION_REMOVE]), kStreams);
}

TEST(OperationStreamTest, SharesFollowTheMix) {
  ExpectShares(Sfs2008());
  ExpectShares(Sfs97());
}

TEST(OperationStreamTest, EveryAccessedFileIsChosenEquallyOften) {
  const auto model = Model(Sfs2008());
  std::map<uint64_t, int> chosen;
  int total = 0;
  for (uint32_t stream = 0; stream < 8; ++stream) {
    for (const Operation& operation : Draw(*model, 0, stream, 8, 0, 50'000)) {
      if (operation.object.kind() != ObjectKind::kFile) continue;
      ++chosen[operation.object.number()];
      ++total;
    }
  }
  ASSERT_EQ(chosen.size(), 576u);
  double chi_square = 0;
  const double expected = total / 576.0;
  for (const auto& [file, count] : chosen) chi_square += (count - expected) * (count - expected) / expected;
  // 575 degrees of freedom, standard deviation 34.
  EXPECT_NEAR(chi_square, 575, 4 * 34);
}

TEST(OperationStreamTest, LengthsAndAppendsFollowTheirTables) {
  v1::Workload workload = Sfs2008();
  workload.mutable_file_set()->clear_file_size();
  v1::SizeShare* size = workload.mutable_file_set()->add_file_size();
  size->set_size(64 << 20);  // nothing is cut
  size->set_share(1);
  const auto model = Model(workload);
  std::map<double, double> reads;
  std::map<double, double> writes;
  double read_count = 0;
  double write_count = 0;
  double appends = 0;
  for (const Operation& operation : Draw(*model, 0, 0, 1, 0, 1'000'000)) {
    if (operation.kind == v1::OPERATION_READ) {
      ++read_count;
      ++reads[operation.length];
    } else if (operation.kind == v1::OPERATION_WRITE) {
      ++write_count;
      ++writes[operation.length];
      appends += operation.offset >= 64 << 20;
    }
  }
  // Four standard deviations at most.
  for (const auto& entry : workload.read_size()) EXPECT_NEAR(reads[entry.size()] / read_count, entry.share(), 0.005);
  for (const auto& entry : workload.write_size()) EXPECT_NEAR(writes[entry.size()] / write_count, entry.share(), 0.006);
  EXPECT_NEAR(appends / write_count, 0.7, 0.006);
}

TEST(OperationStreamTest, SameSeedGivesTheSameOperationsHoweverStreamsAreDealt) {
  // Agents hold streams and nothing else: one agent, two or seven draw the same sequences, in whatever order they come.
  constexpr uint32_t kStreams = 14;
  constexpr int kCount = 500;
  std::map<uint32_t, std::vector<Operation>> first;
  for (const uint32_t agents : {1u, 2u, 7u}) {
    std::map<uint32_t, std::vector<Operation>> drawn;
    for (uint32_t agent = 0; agent < agents; ++agent) {
      const auto model = Model(Sfs2008());
      std::vector<uint32_t> numbers;
      std::vector<OperationStream> streams;
      for (uint32_t stream = agent; stream < kStreams; stream += agents) {
        numbers.push_back(stream);
        streams.emplace_back(model.get(), model->files().CountsAt(10), stream, kStreams, 2);
      }
      for (int i = 0; i < kCount; ++i) {
        for (size_t s = 0; s < streams.size(); ++s) drawn[numbers[s]].push_back(streams[s].Next());
      }
    }
    if (first.empty()) first = drawn;
    EXPECT_TRUE(drawn == first) << agents;
  }
}

TEST(OperationStreamTest, SeedsStreamsAndPointsDiffer) {
  const auto model = Model(Sfs2008());
  const std::vector<Operation> base = Draw(*model, 10, 0, 2, 0, 1000);
  const auto alike = [&](const std::vector<Operation>& other) {
    int count = 0;
    for (size_t i = 0; i < base.size(); ++i) count += base[i].kind == other[i].kind;
    return count;
  };
  EXPECT_TRUE(base == Draw(*model, 10, 0, 2, 0, 1000));
  // Two independent draws of the mix are alike in about 18 % of cases.
  EXPECT_NEAR(alike(Draw(*model, 10, 1, 2, 0, 1000)), 177, 60);
  EXPECT_NEAR(alike(Draw(*model, 10, 0, 2, 1, 1000)), 177, 60);
  EXPECT_NEAR(alike(Draw(*Model(Sfs2008(), 2), 10, 0, 2, 0, 1000)), 177, 60);
}

TEST(OperationStreamTest, CreatedFilesAndGenerationsNeverMeetAcrossPoints) {
  const auto model = Model(Sfs2008());
  absl::flat_hash_set<uint64_t> created;
  absl::flat_hash_set<uint64_t> generations;
  size_t creates = 0;
  size_t writes = 0;
  for (uint32_t point = 0; point < 4; ++point) {
    for (const Operation& operation : Draw(*model, 10, 0, 1, point, 50'000)) {
      if (operation.kind == v1::OPERATION_CREATE) {
        ++creates;
        created.insert(operation.object.value);
      } else if (operation.kind == v1::OPERATION_WRITE) {
        ++writes;
        generations.insert(operation.generation);
      }
    }
  }
  EXPECT_EQ(created.size(), creates);
  EXPECT_EQ(generations.size(), writes);
}

std::string Text(const Operation& o) {
  return absl::StrFormat("%s %016x in %016x %d+%d g%x", std::string(OperationName(o.kind)), o.object.value,
                         o.parent.value, o.offset, o.length, o.generation);
}

// A change here changes what every seed means: results before and after it no longer ran the same operations.
TEST(OperationStreamTest, LawIsPinned) {
  const auto model = Model(Sfs2008());
  const std::vector<Operation> drawn = Draw(*model, 100, 5, 64, 3, 100'000);
  std::vector<std::string> texts;
  for (int i = 0; i < 12; ++i) texts.push_back(Text(drawn[static_cast<size_t>(i)]));
  EXPECT_THAT(texts, ::testing::ElementsAre("GETATTR 3000000000001ea8 in 2000000000000105 0+0 g0",
                                            "LOOKUP 3000000000000817 in 2000000000000045 0+0 g0",
                                            "WRITE 3000000000003532 in 20000000000001c5 65536+6553 g30000000003",
                                            "GETATTR 3000000000001eb1 in 2000000000000105 0+0 g0",
                                            "LOOKUP 3000000000000096 in 2000000000000005 0+0 g0",
                                            "LOOKUP 3000000000003ca1 in 2000000000000205 0+0 g0",
                                            "WRITE 3000000000005332 in 20000000000002c5 0+4096 g30000000007",
                                            "GETATTR 3000000000000096 in 2000000000000005 0+0 g0",
                                            "LOOKUP 3000000000000fb3 in 2000000000000085 0+0 g0",
                                            "READDIRPLUS 2000000000000145 in 1000000000000000 0+0 g0",
                                            "FSSTAT 0000000000000000 in 0000000000000000 0+0 g0",
                                            "WRITE 3000000000002630 in 2000000000000145 4096+409 g3000000000c"));
  uint64_t hash = 0;
  for (const Operation& o : drawn) {
    hash =
        MixKey(hash, static_cast<uint64_t>(o.kind), o.object.value, o.parent.value, o.offset, o.length, o.generation);
  }
  EXPECT_EQ(hash, 1658340832360492206u);
}

TEST(OperationStreamTest, MaxLengthIsTheLongestThatCanBeDrawn) {
  EXPECT_EQ(Model(Sfs2008())->max_length(), 256u << 10);
  EXPECT_EQ(Model(Sfs97())->max_length(), 8u << 10);
}

TEST(OperationStreamTest, AnInvalidWorkloadIsRefused) {
  v1::Workload workload = Sfs2008();
  workload.mutable_mix(0)->set_share(0.5);
  const auto model = WorkloadModel::Create(workload, 1);
  EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(model.status().message()), ::testing::HasSubstr("mix: the shares add up to 124 %"));
}

TEST(OperationTest, NamesAreThoseOfSpecs) {
  EXPECT_EQ(OperationName(v1::OPERATION_GETATTR), "GETATTR");
  EXPECT_EQ(OperationName(v1::OPERATION_READDIRPLUS), "READDIRPLUS");
  EXPECT_EQ(OperationName(static_cast<v1::OperationKind>(99)), "UNSPECIFIED");
}

}  // namespace
}  // namespace crest
