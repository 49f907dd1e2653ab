// The memory orders that the run gives to places in the program (--orders), in place of those that the program passes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "channel/site_order.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/threads/call_stacks.hpp"

namespace heddle::engine {

class SiteOrders {
 public:
  explicit SiteOrders(const CallStackTree& stacks) : stacks_(stacks) {}

  /// Entries for modules that are not loaded have no effect.
  void set(std::span<const channel::SiteOrder> table, const Modules& modules, base::Arena& arena);
  /// Whether the run changes any order. If not, nothing below needs to be asked.
  bool any() const { return !entries_.empty(); }

  /// The order for an operation at the place `site`, which was called on the call stack `stack`; nothing: the run does
  /// not change it.
  std::optional<graph::MemoryOrder> find(channel::SiteOperation operation, std::uint64_t site,
                                         std::uint32_t stack) const;

 private:
  struct Entry {
    std::uint64_t address;  ///< in memory
    channel::SiteOperation operation;
    graph::MemoryOrder order;
    bool operator<(const Entry& other) const { return address < other.address; }
  };
  std::optional<graph::MemoryOrder> find_at(channel::SiteOperation operation, std::uint64_t address) const;

  const CallStackTree& stacks_;
  base::ArenaVector<Entry> entries_;  ///< sorted by address
};

}  // namespace heddle::engine
