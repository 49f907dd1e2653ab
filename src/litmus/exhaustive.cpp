#include "litmus/exhaustive.hpp"

#include <memory>

namespace heddle::litmus {

namespace {

// A run of a litmus test has tens of events, and a step has some 60 bytes. At most as many runs are pending as the test
// has choices. Pages that are not touched cost nothing.
constexpr std::size_t run_memory = std::size_t{4} << 20;
constexpr std::size_t pending_memory = std::size_t{64} << 20;

class OwnedArena {
 public:
  explicit OwnedArena(std::size_t size)
      : memory_(std::make_unique_for_overwrite<std::byte[]>(size)), arena_({memory_.get(), size}) {}
  base::Arena& operator*() { return arena_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  base::Arena arena_;
};

/// Ends runs whose plan describes an inconsistent graph.
class StopsWhenAbandoned final : public RunObserver {
 public:
  explicit StopsWhenAbandoned(const exploration::Exploration& search) : search_(search) {}
  bool may_continue(const graph::ExecutionGraph&, const models::ModelState&) override {
    return !search_.is_abandoned();
  }

 private:
  const exploration::Exploration& search_;
};

}  // namespace

ExplorationSummary explore(const Test& test, const models::MemoryModel& model,
                           const std::function<void(const Interpreter&)>& visit, const StopFlag* stop,
                           std::uint32_t first_twin) {
  OwnedArena run_arena(run_memory), pending_arena(pending_memory);
  Interpreter interpreter(test, *model.for_exploration());
  exploration::Exploration search(interpreter.graph(), *run_arena, *pending_arena);
  StopsWhenAbandoned observer(search);
  for (std::uint32_t t = first_twin; t < test.threads.size(); ++t)
    if (t != first_twin) search.set_twin(graph::ThreadId{t}, graph::ThreadId{t - 1});
  ExplorationSummary summary;
  while (const auto outcome = interpreter.run(search, 0, &observer)) {
    HEDDLE_CHECK(!search.has_diverged(), "a litmus test did not do the same again");
    if (search.is_abandoned()) continue;
    if (!interpreter.fault().empty()) summary.fault = interpreter.fault();
    if (*outcome == strategies::Outcome::completed) visit(interpreter);
    if (!is_set(stop)) continue;
    summary.is_complete = false;
    break;
  }
  summary.statistics = search.statistics();
  return summary;
}

}  // namespace heddle::litmus
