// What tests of engines share.
#ifndef CREST_AGENT_ENGINE_ENGINE_TEST_UTIL_H_
#define CREST_AGENT_ENGINE_ENGINE_TEST_UTIL_H_

#include <set>
#include <vector>

#include "agent/engine/engine.h"
#include "crest/v1/spec.pb.h"
#include "gtest/gtest.h"

namespace crest {

/// Remembers what came back, and fails the test when a token comes back that is not out.
class TokenSink final : public CompletionSink {
 public:
  void Expect(uint64_t token) { EXPECT_TRUE(out_.insert(token).second) << "token " << token << " used twice"; }
  void OnCompletion(const Completion& completion) override {
    EXPECT_EQ(out_.erase(completion.token), 1u) << "token " << completion.token << " came back, but was not out";
    EXPECT_LE(completion.sent, completion.done);
    completions.push_back(completion);
  }
  size_t out() const { return out_.size(); }

  std::vector<Completion> completions;

 private:
  std::set<uint64_t> out_;
};

/// A file set small enough for any target.
inline v1::Workload SmallWorkload() {
  v1::Workload workload;
  workload.set_name("conformance");
  v1::FileSetSpec& files = *workload.mutable_file_set();
  files.set_bytes_per_op_rate(1 << 20);
  files.set_accessed(0.3);
  files.set_files_per_directory(30);
  files.set_io_files_per_non_io_file(50);
  files.set_io_files_per_symlink(2000);
  files.set_selection(v1::SELECTION_UNIFORM);
  v1::SizeShare& size = *files.add_file_size();
  size.set_size(64 << 10);
  size.set_share(1);
  return workload;
}

}  // namespace crest

#endif  // CREST_AGENT_ENGINE_ENGINE_TEST_UTIL_H_
