#include "agent/load/paced_loop.h"

#include <sys/prctl.h>

#include <algorithm>

namespace crest {
namespace {

// Waking from a sleep costs up to about this much; spun instead, so that an operation leaves when it is due.
constexpr int64_t kSpinNs = 50'000;
// Longest sleep: how soon a stop is noticed.
constexpr int64_t kPollNs = 50'000'000;
constexpr absl::Duration kDrainWhenStopped = absl::Seconds(1);

void Wait(MonoTime wake, Generator& generator, Engine& engine, Clock& clock) {
  const MonoTime begin = clock.Now();
  if (wake - begin > kSpinNs) {
    engine.Reap(std::min(wake + -kSpinNs, begin + kPollNs), generator);
    return;
  }
  MonoTime now = begin;
  const int in_flight = engine.in_flight();
  if (in_flight == 0) {
    while (now < wake) now = clock.Now();
  } else {
    // A Reap whose time has passed polls. What it delivers may let another operation go.
    do {
      engine.Reap(MonoTime(), generator);
      now = clock.Now();
    } while (now < wake && engine.in_flight() == in_flight);
  }
  generator.AddSpin(now - begin);
}

}  // namespace

void RunPaced(Generator& generator, Engine& engine, Clock& clock, absl::Duration drain) {
  prctl(PR_SET_TIMERSLACK, 1);
  for (;;) {
    const MonoTime wake = generator.Dispatch();
    if (generator.ended()) break;
    Wait(wake, generator, engine, clock);
  }
  const absl::Duration patience = generator.summary().stopped ? std::min(drain, kDrainWhenStopped) : drain;
  const MonoTime give_up = clock.Now() + patience;
  while (engine.in_flight() > 0) {
    const MonoTime now = clock.Now();
    if (now >= give_up) break;
    engine.Reap(std::min(give_up, now + kPollNs), generator);
  }
}

}  // namespace crest
