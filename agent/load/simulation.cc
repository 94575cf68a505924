#include "agent/load/simulation.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

namespace crest {

void RunSimulation(absl::Span<const SimulatedGenerator> generators, SimulatedClock& clock,
                   const std::function<void(size_t)>& on_turn) {
  // Generators by the moment at which they want their next turn; equal moments in the order of their numbers.
  using Turn = std::pair<MonoTime, size_t>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (size_t i = 0; i < generators.size(); ++i) turns.push({clock.Now(), i});
  while (!turns.empty()) {
    const auto [moment, i] = turns.top();
    turns.pop();
    clock.AdvanceTo(moment);
    const SimulatedGenerator& turn = generators[i];
    turn.engine->Reap(clock.Now(), *turn.generator);
    const MonoTime wake = turn.generator->Dispatch();
    if (on_turn) on_turn(i);
    if (!turn.generator->ended()) turns.push({std::min(wake, turn.engine->NextCompletion()), i});
  }
}

}  // namespace crest
