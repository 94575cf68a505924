// What is touched must not depend on how the load is divided over streams. SFS 2.0 was withdrawn for that defect
// (http://www.spec.org/sfs97/sfs97_defects.html): few processes at a high rate each touched as little as a hundredth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "workloads/arrival_schedule.h"
#include "workloads/operation_stream.h"
#include "workloads/profile_for_test.h"

namespace crest {
namespace {

constexpr double kRate = 2000;  // op/s over all streams: 15,428 directories, 138,852 accessed files
constexpr uint32_t kStreamCounts[] = {4, 40, 400};

// One load point, its operations in the order in which they are due.
template <typename Visit>
void PlayPoint(const WorkloadModel& model, uint32_t stream_count, double seconds, const Visit& visit) {
  const FileSetCounts counts = model.files().CountsAt(kRate);
  std::vector<OperationStream> operations;
  std::vector<ArrivalSchedule> arrivals;
  using Due = std::pair<int64_t, uint32_t>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> next;
  for (uint32_t stream = 0; stream < stream_count; ++stream) {
    operations.emplace_back(&model, counts, stream, stream_count, 1);
    arrivals.emplace_back(model.workload().arrivals(), kRate / stream_count, model.seed(), stream, 1);
    next.emplace(arrivals.back().due_ns(), stream);
  }
  while (static_cast<double>(next.top().first) < seconds * 1e9) {
    const uint32_t stream = next.top().second;
    next.pop();
    visit(operations[stream].Next());
    arrivals[stream].Advance();
    next.emplace(arrivals[stream].due_ns(), stream);
  }
}

struct Touched {
  double operations = 0;
  double files = 0;       // distinct files
  double file_bytes = 0;  // their nominal sizes
  double bytes = 0;       // distinct 4 KiB blocks read or written
};

Touched Measure(const WorkloadModel& model, uint32_t stream_count, double seconds) {
  Touched touched;
  absl::flat_hash_set<uint64_t> files;
  absl::flat_hash_set<uint64_t> blocks;
  PlayPoint(model, stream_count, seconds, [&](const Operation& operation) {
    ++touched.operations;
    if (operation.object.kind() != ObjectKind::kFile) return;
    const uint64_t file = operation.object.number();
    if (files.insert(file).second) touched.file_bytes += static_cast<double>(model.files().FileSize(file));
    for (uint64_t at = operation.offset; at < operation.offset + operation.length; at += 4096) {
      blocks.insert(file << 16 | at >> 12);
    }
  });
  touched.files = static_cast<double>(files.size());
  touched.bytes = static_cast<double>(blocks.size()) * 4096;
  return touched;
}

class WorkingSetTest : public ::testing::Test {
 protected:
  std::unique_ptr<const WorkloadModel> model_ = *WorkloadModel::Create(ProfileForTest("sfs2008-nfs"), 1);
};

TEST_F(WorkingSetTest, TheAccessedSetIsTheSameForAnyNumberOfStreams) {
  const FileSetCounts counts = model_->files().CountsAt(kRate);
  std::set<std::vector<uint64_t>> sets;
  for (const uint32_t stream_count : kStreamCounts) {
    std::vector<uint64_t> accessed;
    for (uint32_t stream = 0; stream < stream_count; ++stream) {
      const FileSetSlice slice(&model_->files(), counts, stream, stream_count);
      for (uint64_t i = 0; i < slice.accessed_count(); ++i) accessed.push_back(slice.AccessedFile(i));
    }
    std::sort(accessed.begin(), accessed.end());
    EXPECT_EQ(accessed.size(), counts.directories * 9);
    sets.insert(std::move(accessed));
  }
  EXPECT_EQ(sets.size(), 1u);
}

TEST_F(WorkingSetTest, WhatAPointTouchesIsTheSameForAnyNumberOfStreams) {
  // Over 60 s about half of the accessed files are touched: where a narrower choice would show most.
  std::map<uint32_t, Touched> touched;
  for (const uint32_t stream_count : kStreamCounts) touched[stream_count] = Measure(*model_, stream_count, 60);
  const Touched& base = touched[40];
  EXPECT_NEAR(base.operations, kRate * 60, kRate * 60 * 0.01);
  // Even choice with replacement: all × (1 − exp(−choices per file)), 89 % of operations choosing an accessed file.
  const double accessed = static_cast<double>(model_->files().CountsAt(kRate).directories) * 9;
  const double expected = accessed * -std::expm1(-0.89 * kRate * 60 / accessed);
  EXPECT_NEAR(base.files / expected, 1, 0.01);
  for (const auto& [stream_count, other] : touched) {
    EXPECT_NEAR(other.files / base.files, 1, 0.02) << stream_count;
  }
}

TEST_F(WorkingSetTest, BytesTouchedOverAWholePointAreTheSameForAnyNumberOfStreams) {
  std::map<uint32_t, Touched> touched;
  for (const uint32_t stream_count : kStreamCounts) touched[stream_count] = Measure(*model_, stream_count, 300);
  const Touched& base = touched[40];
  for (const auto& [stream_count, other] : touched) {
    EXPECT_NEAR(other.files / base.files, 1, 0.02) << stream_count;
    EXPECT_NEAR(other.file_bytes / base.file_bytes, 1, 0.02) << stream_count;
    EXPECT_NEAR(other.bytes / base.bytes, 1, 0.02) << stream_count;
  }
}

}  // namespace
}  // namespace crest
