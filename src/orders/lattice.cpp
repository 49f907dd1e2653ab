#include "orders/lattice.hpp"

#include <algorithm>
#include <array>

namespace heddle::orders {

namespace {

using enum MemoryOrder;

constexpr std::array loads{relaxed, acquire, seq_cst};
constexpr std::array stores{relaxed, release, seq_cst};
constexpr std::array updates{relaxed, acquire, release, acq_rel, seq_cst};
constexpr std::array fences{plain, acquire, release, acq_rel, seq_cst};

}  // namespace

std::span<const MemoryOrder> orders_of(SiteOperation operation) {
  switch (operation) {
    case SiteOperation::load:
    case SiteOperation::failed_exchange: return loads;
    case SiteOperation::store: return stores;
    case SiteOperation::read_modify_write:
    case SiteOperation::compare_exchange: return updates;
    default: return fences;
  }
}

MemoryOrder weakest(SiteOperation operation) { return orders_of(operation).front(); }
MemoryOrder strongest(SiteOperation operation) { return orders_of(operation).back(); }

MemoryOrder effective(SiteOperation operation, MemoryOrder order) {
  const auto orders = orders_of(operation);
  if (order == consume) order = acquire;
  if (std::find(orders.begin(), orders.end(), order) != orders.end()) return order;
  // The strongest one that the given order includes.
  MemoryOrder found = orders.front();
  for (const MemoryOrder candidate : orders)
    if (is_at_most(candidate, order)) found = candidate;
  return found;
}

bool is_at_most(MemoryOrder a, MemoryOrder b) {
  if (a == b || a == plain) return true;
  if (a == relaxed) return b != plain;
  if (a == consume) return is_at_most(acquire, b);
  if (a == acquire || a == release) return b == acq_rel || b == seq_cst || (a == acquire && b == consume);
  return a == acq_rel && b == seq_cst;
}

std::vector<MemoryOrder> one_step_weaker(SiteOperation operation, MemoryOrder order) {
  std::vector<MemoryOrder> weaker;
  for (const MemoryOrder candidate : orders_of(operation))
    if (candidate != order && is_at_most(candidate, order)) weaker.push_back(candidate);
  std::erase_if(weaker, [&](MemoryOrder candidate) {
    return std::any_of(weaker.begin(), weaker.end(),
                       [&](MemoryOrder other) { return other != candidate && is_at_most(candidate, other); });
  });
  return weaker;
}

bool is_fence(SiteOperation operation) { return operation >= SiteOperation::fence; }

}  // namespace heddle::orders
