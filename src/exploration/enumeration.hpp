// The plain search: every order of events, depth first. For models whose axioms use more than po, rf and mo, such as
// the order in which c11 executes seq_cst events, so that exploration.hpp does not apply. The search remembers the
// states that it met and does not continue from a known state, so memory grows with the number of states. It counts
// each graph once.
#pragma once

#include "base/arena.hpp"
#include "graph/execution_graph.hpp"
#include "models/memory_model.hpp"
#include "strategies/strategy.hpp"

namespace heddle::exploration {

/// A set of hashes that grows in an arena.
class HashSet {
 public:
  explicit HashSet(base::Arena& arena) : arena_(arena), slots_(arena.create_array<std::uint64_t>(1024)) {}
  /// False: it was there.
  bool insert(std::uint64_t hash);

 private:
  static std::uint64_t& slot(std::span<std::uint64_t> slots, std::uint64_t hash);
  base::Arena& arena_;
  std::span<std::uint64_t> slots_;  // open addressing; 0 is empty
  std::size_t count_ = 0;
};

class Enumeration final : public strategies::Strategy, public strategies::ExecutionControl {
 public:
  /// `state` points to the model's state of the execution that runs. `arena` holds everything that the search
  /// remembers.
  Enumeration(const graph::ExecutionGraph& graph, models::ModelState* const& state, base::Arena& arena)
      : graph_(graph), model_state_(state), arena_(arena), states_(arena), graphs_(arena) {}

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const strategies::Choice& choice) override;
  void end_execution(strategies::Outcome outcome) override;
  strategies::Facets facets() override { return {.control = this}; }
  /// There is no memory for further states. The search cannot continue.
  bool is_out_of_memory() const { return arena_.is_half_full(); }
  /// The execution leads to nothing new.
  bool is_abandoned() const override { return is_abandoned_; }

 private:
  struct Decision {
    std::uint32_t index;
    std::uint32_t options;
  };
  std::uint64_t execution() const;
  std::uint64_t state() const;
  std::uint64_t state_before(const strategies::Choice& choice) const;
  static std::uint32_t find_yielding(const strategies::Choice& choice);
  std::uint32_t decide(std::uint32_t options);

  const graph::ExecutionGraph& graph_;
  models::ModelState* const& model_state_;
  base::Arena& arena_;
  base::ArenaVector<Decision> decisions_;
  std::size_t next_ = 0;       ///< which decision comes next
  std::uint64_t details_ = 0;  ///< of this execution, whatever their order
  bool has_begun_ = false;
  bool is_abandoned_ = false;
  HashSet states_;
  HashSet graphs_;
};

}  // namespace heddle::exploration
