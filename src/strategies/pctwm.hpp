#pragma once

#include "strategies/priorities.hpp"

namespace heddle::strategies {

extern const StrategyDescriptor pctwm_strategy;

/// Can the event be the sink of a communication between threads? Algorithm 1's isCommunicationEvent.
bool is_communication_event(graph::EventKind kind, graph::MemoryOrder order, bool stores_are_immediate);

class PctwmStrategy final : public Strategy, public Adjustable {
 public:
  struct Parameters {
    std::uint32_t depth = 0;                   ///< d <= k_com
    std::optional<std::uint32_t> length = {};  ///< k_com; nothing: drawn for every sink
    std::uint32_t history = 1;                 ///< h
    bool uses_older_places = false;            ///< stores may go elsewhere than last in modification order
  };
  /// Of the descriptor.
  enum ParameterIndex : std::size_t { depth, length, history, stores };
  static constexpr std::uint32_t max_depth = PrioritySchedule::max_points;

  PctwmStrategy(std::uint64_t seed, const Parameters& parameters, base::Arena& arena);

  void set_parameters(const ParameterValues& values) override {
    parameters_ = {.depth = values.whole(depth),
                   .length = values.known_whole(length),
                   .history = values.whole(history),
                   .uses_older_places = values.whole(stores) != 0};
  }
  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const Choice& choice) override;
  FastPath fast_path() override { return {.decider = this, .calls = {.end_execution = false}}; }
  Facets facets() override { return {.adjustable = this}; }
  void executed(const graph::Event& event) override { schedule_.executed(event); }
  Observation observation() override { return {.length = schedule_.counted()}; }
  std::uint64_t escapes() const override { return schedule_.escapes() + stale_escapes_; }

  const PrioritySchedule& schedule() const { return schedule_; }

 private:
  std::uint32_t choose_write(const Choice& choice);
  std::uint32_t choose_slot(const Choice& choice);
  bool has_read_old_values_too_often(graph::ThreadId thread);

  std::uint64_t seed_;
  Parameters parameters_;
  base::Arena& arena_;  ///< outlives executions
  PrioritySchedule schedule_;
  /// By thread: reads that passed over a newer write since the thread's last escape.
  base::ArenaVector<std::uint32_t> old_reads_;
  std::uint64_t stale_escapes_ = 0;
};

}  // namespace heddle::strategies
