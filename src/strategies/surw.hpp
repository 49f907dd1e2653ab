#pragma once

#include "base/random.hpp"
#include "graph/execution_graph.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

extern const StrategyDescriptor surw_strategy;

class SurwStrategy final : public Strategy, public GraphReader, public Adjustable {
 public:
  /// `arena` outlives executions.
  SurwStrategy(std::uint64_t seed, base::Arena& arena) : seed_(seed), arena_(arena) {}

  void set_parameters(const ParameterValues& values) override { interesting_groups_ = values.whole(0); }
  void set_graph(const graph::ExecutionGraph& graph) override { graph_ = &graph; }
  void set_thread_averages(const ThreadAverages& averages) override { averages_ = &averages; }
  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const Choice& choice) override;
  FastPath fast_path() override { return {.decider = this, .calls = {.end_execution = false}}; }
  Facets facets() override { return {.graph_reader = this, .adjustable = this}; }
  void executed(const graph::Event& event) override;
  Observation observation() override;
  std::uint64_t escapes() const override { return escapes_; }

 private:
  static constexpr std::uint32_t no_parent = 0xffffffffU;
  struct ThreadWeight {
    std::uint64_t execution;  ///< the execution that these values are of
    std::uint32_t place;      ///< in met_
    std::int64_t left;        ///< interesting events that are expected of it and of the threads that it will create
  };

  ThreadWeight& state(graph::ThreadId thread) {
    const std::size_t at = number(thread);
    return at < threads_.size() && threads_[at].execution == execution_ ? threads_[at] : meet(thread);
  }
  [[gnu::noinline]] ThreadWeight& meet(graph::ThreadId thread);
  void start(const graph::Event& event);
  void draw_groups();
  bool is_interesting(const Option& option) const;
  std::int64_t expected_events(std::uint64_t thread_name) const;
  std::uint32_t choose_thread(const Choice& choice);
  std::uint32_t draw_by_weight(const Choice& choice);

  std::uint64_t seed_;
  base::Arena& arena_;
  const graph::ExecutionGraph* graph_ = nullptr;
  const ThreadAverages* averages_ = nullptr;
  base::Random random_;
  std::uint32_t interesting_groups_ = 0;  ///< the parameter `locations`
  std::uint32_t mask_ = 0;                ///< the groups that are interesting in this execution
  std::uint64_t execution_ = 0;
  base::ArenaVector<ThreadWeight> threads_;  ///< by thread; entries may be of an older execution
  base::ArenaVector<ThreadEvents> met_;  ///< the events of the threads of this execution, in the order of their start
  base::ArenaVector<std::uint32_t> parents_;  ///< of met_: places in met_, or no_parent
  base::ArenaVector<std::uint32_t> free_;     ///< of one choice: options that need not wait
  std::uint32_t free_run_ = 0;                ///< choices in a row that left interesting operations waiting
  std::uint64_t escapes_ = 0;
};

}  // namespace heddle::strategies
