// Runs one generator on the calling thread in real time.
#ifndef CREST_AGENT_LOAD_PACED_LOOP_H_
#define CREST_AGENT_LOAD_PACED_LOOP_H_

#include "absl/time/time.h"
#include "agent/engine/engine.h"
#include "agent/load/generator.h"
#include "base/clock.h"

namespace crest {

/// Plays the load point that `generator` has begun until it has ended, then waits up to `drain` for operations in
/// flight. Between operations it sleeps in Engine::Reap until shortly before the next is due and spins the rest, since
/// a sleeping thread wakes tens of microseconds late. Sets the thread's timer slack to 1 ns.
void RunPaced(Generator& generator, Engine& engine, Clock& clock, absl::Duration drain);

}  // namespace crest

#endif  // CREST_AGENT_LOAD_PACED_LOOP_H_
