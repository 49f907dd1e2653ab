// The plain search: every order of events, one after the other, depth first. For models whose axioms speak of more than
// po, rf and mo, so that exploration.hpp does not apply (c11: the order in which seq_cst events were executed). What is
// met again is not followed again, so memory grows with the number of states; a graph that was seen is not counted
// again.
#pragma once

#include "base/arena.hpp"
#include "graph/execution_graph.hpp"
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

class Enumeration final : public strategies::Strategy {
 public:
  /// `arena` is for everything that is remembered.
  Enumeration(const graph::ExecutionGraph& graph, base::Arena& arena)
      : graph_(graph), arena_(arena), states_(arena), graphs_(arena) {}

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const strategies::Choice& choice) override;
  void end_execution(strategies::Outcome outcome) override;
  /// The execution leads to nothing new.
  bool is_abandoned() const override { return is_abandoned_; }

 private:
  struct Decision {
    std::uint32_t index;
    std::uint32_t options;
  };
  std::uint64_t execution() const;
  std::uint64_t state() const;
  std::uint32_t decide(std::uint32_t options);

  const graph::ExecutionGraph& graph_;
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
