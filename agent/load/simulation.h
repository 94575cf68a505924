// Many generators on one thread and one virtual clock.
#ifndef CREST_AGENT_LOAD_SIMULATION_H_
#define CREST_AGENT_LOAD_SIMULATION_H_

#include <functional>

#include "absl/types/span.h"
#include "agent/load/generator.h"

namespace crest {

/// A generator and the engine it submits to.
struct SimulatedGenerator {
  Generator* generator;
  Engine* engine;
};

/// Plays one load point that every generator has begun: the clock moves to the least wake-up time whenever all of them
/// wait, so every run is the same. `on_turn`, if set, is called with a generator's index after each of its turns (to
/// take its records).
void RunSimulation(absl::Span<const SimulatedGenerator> generators, SimulatedClock& clock,
                   const std::function<void(size_t)>& on_turn = nullptr);

}  // namespace crest

#endif  // CREST_AGENT_LOAD_SIMULATION_H_
