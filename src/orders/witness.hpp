// What an execution with a bug says about memory orders. Its graph, with places of the program in place of the orders
// that it was found with, is an execution under any orders with which the model's axioms accept it: orders have no
// influence on what a thread does with the values that it reads. Then the bug shows under these orders, too, and the
// program need not be run with them. A check takes microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/arena.hpp"
#include "graph/event.hpp"
#include "models/memory_model.hpp"
#include "orders/minimal_search.hpp"

namespace heddle::orders {

inline constexpr std::uint32_t no_dimension = 0xffffffffU;

/// An event of the execution graph.
struct WitnessEvent {
  graph::EventKind kind = graph::EventKind::load;
  graph::MemoryOrder order = graph::MemoryOrder::plain;  ///< of an event without a dimension
  std::uint8_t size = 0;
  bool is_failed_exchange = false;
  std::uint32_t thread = 0xffffffffU;  ///< none: an initial value
  std::uint32_t index = 0;             ///< in the order of its thread, also between those of plain accesses
  std::uint32_t location = 0xffffffffU;
  std::uint32_t reads_from = 0xffffffffU;  ///< a position in Witness::events
  std::uint32_t mo_position = 0;
  /// Of the assignment: the order that the event has. no_dimension: it keeps its own.
  std::uint32_t dimension = no_dimension;
  /// A failed compare-exchange: the dimension of its success, which store buffers look at.
  std::uint32_t success_dimension = no_dimension;
  std::vector<std::uint32_t> synchronised = {};  ///< releasing events of synchronisation objects and threads
  std::uint32_t site = 0xffffffffU;              ///< in orders::SiteList; none: it is no operation of the list
};

/// An access that takes part in a race; plain accesses are no events, and have the index between two of them.
struct RacingAccess {
  std::uint32_t thread = 0;
  std::uint32_t index = 0;
};

struct Race {
  RacingAccess first, second;
};

struct Witness {
  std::vector<WitnessEvent> events;  ///< in the order of execution
  std::uint32_t threads = 0;
  std::uint32_t locations = 0;
  /// The bug is a race of these two. Nothing: the bug is what the threads did with the values that they had read.
  std::optional<Race> race;
  std::uint64_t finding = 0;  ///< key of the bug
};

/// Relations have a bit for each pair of events: longer executions are not checked.
inline constexpr std::size_t longest_witness = 300;

/// Checks one witness under many assignments. Remembers answers by the orders of the dimensions that its events have.
class WitnessCheck {
 public:
  /// The witness has at most longest_witness events.
  WitnessCheck(Witness witness, const models::MemoryModel& model, models::ReleaseSequence release_sequence);

  /// Whether the execution is possible under these orders, and shows its bug.
  bool shows_under(const Assignment& assignment, base::Arena& scratch);
  std::uint64_t finding() const { return witness_.finding; }
  /// The dimensions on which the answer depends, sorted.
  const std::vector<std::uint32_t>& dimensions() const { return dimensions_; }

 private:
  bool check(const Assignment& assignment, base::Arena& scratch) const;
  void build_graph(const Assignment& assignment, graph::ExecutionGraph& graph) const;
  /// Whether no happens-before orders the two accesses.
  bool races(const graph::ExecutionGraph& graph, base::Arena& scratch) const;

  Witness witness_;
  const models::MemoryModel& model_;
  models::ReleaseSequence release_sequence_;
  std::vector<std::uint32_t> dimensions_;
  std::map<std::vector<graph::MemoryOrder>, bool> known_;  ///< by the orders of dimensions_
};

}  // namespace heddle::orders
