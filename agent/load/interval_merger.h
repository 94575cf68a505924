// Makes one agent's interval reports out of its generators' records.
#ifndef CREST_AGENT_LOAD_INTERVAL_MERGER_H_
#define CREST_AGENT_LOAD_INTERVAL_MERGER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "agent/engine/engine.h"
#include "agent/load/recorder.h"
#include "crest/v1/agent.pb.h"

namespace crest {

/// Collects one load point. Not thread-safe.
class IntervalMerger {
 public:
  /// `engine` names outcomes; it outlives the merger.
  IntervalMerger(uint32_t point, size_t generators, const Engine* engine);

  /// Records of one generator come in the order of their intervals.
  void Add(size_t generator, const IntervalRecord& record);

  /// The next interval that no generator will add to any more; nullopt when there is none yet. host_load is the
  /// caller's.
  std::optional<v1::IntervalReport> Next();

  /// Every generator has sent its last record, and Next has yielded all.
  bool finished() const;

 private:
  struct Pending {
    IntervalRecord sum;
    bool begun = false;
  };

  bool Complete(uint32_t index) const;
  v1::IntervalReport MakeReport(const IntervalRecord& record);
  void Merge(IntervalRecord& into, const IntervalRecord& from) const;

  uint32_t point_;
  const Engine* engine_;
  std::vector<uint32_t> next_index_;              // by generator: the first interval it has not sent
  uint32_t reported_ = 0;                         // intervals yielded by Next
  uint32_t known_ = 0;                            // intervals that some generator has sent
  std::deque<std::unique_ptr<Pending>> pending_;  // from reported_ on
  std::vector<std::unique_ptr<Pending>> spare_;   // a record is large: one is used again and again
  // Per operation since its histograms were last sent.
  std::unique_ptr<IntervalRecord> unsent_;
  int unsent_intervals_ = 0;
};

}  // namespace crest

#endif  // CREST_AGENT_LOAD_INTERVAL_MERGER_H_
