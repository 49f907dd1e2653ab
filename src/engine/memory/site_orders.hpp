// The memory orders that the run gives to places in the program (--orders), in place of those that the program passes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "channel/site_order.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/threads/call_stacks.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::engine {

class SiteOrders {
 public:
  explicit SiteOrders(const CallStackTree& stacks) : stacks_(stacks) {}

  /// Entries for modules that are not loaded have no effect. `table` outlives this object, and gets the counts.
  void set(std::span<channel::SiteOrder> table, const Modules& modules, base::Arena& arena);
  /// Whether the run has a table. If not, nothing below needs to be asked.
  bool any() const { return !entries_.empty(); }

  /// The order for an operation at the place `site`, which was called on the call stack `stack`; nothing: the run does
  /// not change it.
  std::optional<graph::MemoryOrder> find(channel::SiteOperation operation, std::uint64_t site,
                                         std::uint32_t stack) const;
  /// The program executes the operation, and passes this order.
  void count(channel::SiteOperation operation, std::uint64_t site, std::uint32_t stack, graph::MemoryOrder order) const;
  /// An execution has ended: if places are counted, marks those whose variables several threads have accessed.
  void mark_shared(const graph::ExecutionGraph& graph) const;

 private:
  struct Entry {
    std::uint64_t address;  ///< in memory
    channel::SiteOrder* row;
    bool operator<(const Entry& other) const { return address < other.address; }
  };
  channel::SiteOrder* row_at(channel::SiteOperation operation, std::uint64_t address) const;
  /// Null: the table has no such place.
  channel::SiteOrder* row_of(channel::SiteOperation operation, std::uint64_t site, std::uint32_t stack) const;

  const CallStackTree& stacks_;
  base::ArenaVector<Entry> entries_;  ///< sorted by address
  bool counts_ = false;               ///< some entries are there to be counted
};

}  // namespace heddle::engine
