#include "engine/memory/site_orders.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace heddle::engine {

using channel::SiteOperation;
using channel::SiteOrder;

namespace {

// An operation can be inside functions that only pass it on: std::atomic<T>::store around std::__atomic_base<T>::store.
// The driver names the call of the outermost one, and makes sure that such functions call no other code.
constexpr std::size_t most_wrappers = 4;

}  // namespace

void SiteOrders::set(std::span<SiteOrder> table, const Modules& modules, base::Arena& arena) {
  entries_.forget();
  counts_ = std::any_of(table.begin(), table.end(), [](const SiteOrder& site) { return site.keeps_order; });
  for (const Module& module : modules.all()) {
    const std::uint64_t path = base::hash_text(module.path);
    for (SiteOrder& site : table)
      if (site.module == path) entries_.push_back(arena, {module.base + site.address, &site});
  }
  std::sort(entries_.begin(), entries_.end());
}

SiteOrder* SiteOrders::row_at(SiteOperation operation, std::uint64_t address) const {
  for (const Entry* entry = std::lower_bound(entries_.begin(), entries_.end(), Entry{address, nullptr});
       entry != entries_.end() && entry->address == address; ++entry)
    if (entry->row->operation == operation) return entry->row;
  return nullptr;
}

SiteOrder* SiteOrders::row_of(SiteOperation operation, std::uint64_t site, std::uint32_t stack) const {
  // The place of an operation is the last byte of its call (HEDDLE_CALLER), those of its callers are return addresses.
  if (SiteOrder* row = row_at(operation, site + 1)) return row;
  std::uint64_t callers[most_wrappers];
  const std::size_t count = stacks_.unwind(stack, callers);
  for (std::size_t i = 0; i < count; ++i)
    if (SiteOrder* row = row_at(operation, callers[i])) return row;
  return nullptr;
}

std::optional<graph::MemoryOrder> SiteOrders::find(SiteOperation operation, std::uint64_t site,
                                                   std::uint32_t stack) const {
  const SiteOrder* row = row_of(operation, site, stack);
  if (row == nullptr || row->keeps_order) return std::nullopt;
  return row->order;
}

void SiteOrders::count(SiteOperation operation, std::uint64_t site, std::uint32_t stack,
                       graph::MemoryOrder order) const {
  SiteOrder* row = row_of(operation, site, stack);
  if (row == nullptr) return;
  ++row->executed;
  row->orders_seen |= 1U << static_cast<unsigned>(order);
}

void SiteOrders::mark_shared(const graph::ExecutionGraph& graph) const {
  if (!counts_) return;
  const auto mark = [&](SiteOperation operation, const graph::Event& event) {
    if (SiteOrder* row = row_of(operation, event.site, event.stack)) row->is_shared = true;
  };
  for (const graph::Event& event : graph.events()) {
    if (event.location == graph::no_location || graph.location(event.location).accessed_by.size() < 2) continue;
    if (event.kind == graph::EventKind::store) mark(SiteOperation::store, event);
    if (event.kind == graph::EventKind::load) mark(SiteOperation::load, event);
    if (event.kind == graph::EventKind::rmw) mark(SiteOperation::read_modify_write, event);
    if (graph::reads(event.kind)) {
      mark(SiteOperation::compare_exchange, event);
      mark(SiteOperation::failed_exchange, event);
    }
  }
}

}  // namespace heddle::engine
