#include "engine/memory/site_orders.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace heddle::engine {

namespace {

// An operation can be inside functions that only pass it on: std::atomic<T>::store around std::__atomic_base<T>::store.
// The driver names the call of the outermost one, and makes sure that such functions call no other code.
constexpr std::size_t most_wrappers = 4;

}  // namespace

void SiteOrders::set(std::span<const channel::SiteOrder> table, const Modules& modules, base::Arena& arena) {
  entries_.forget();
  for (const Module& module : modules.all()) {
    const std::uint64_t path = base::hash_text(module.path);
    for (const channel::SiteOrder& site : table)
      if (site.module == path) entries_.push_back(arena, {module.base + site.address, site.operation, site.order});
  }
  std::sort(entries_.begin(), entries_.end());
}

std::optional<graph::MemoryOrder> SiteOrders::find_at(channel::SiteOperation operation, std::uint64_t address) const {
  const Entry wanted{address, operation, graph::MemoryOrder::plain};
  for (const Entry* entry = std::lower_bound(entries_.begin(), entries_.end(), wanted);
       entry != entries_.end() && entry->address == address; ++entry)
    if (entry->operation == operation) return entry->order;
  return std::nullopt;
}

std::optional<graph::MemoryOrder> SiteOrders::find(channel::SiteOperation operation, std::uint64_t site,
                                                   std::uint32_t stack) const {
  // The place of an operation is the last byte of its call (HEDDLE_CALLER), those of its callers are return addresses.
  if (const auto order = find_at(operation, site + 1)) return order;
  std::uint64_t callers[most_wrappers];
  const std::size_t count = stacks_.unwind(stack, callers);
  for (std::size_t i = 0; i < count; ++i)
    if (const auto order = find_at(operation, callers[i])) return order;
  return std::nullopt;
}

}  // namespace heddle::engine
