// The memory orders that an operation can have, ordered by strength. What an execution shows under some orders it also
// shows under weaker ones: they have less happens-before, and fewer seq_cst events.
//
//   load, failed compare-exchange      relaxed < acquire < seq_cst
//   store                              relaxed < release < seq_cst
//   read-modify-write                  relaxed < acquire, release < acq_rel < seq_cst
//   fence                              none < acquire, release < acq_rel < seq_cst
//
// `plain` stands for "none". consume is acquire, as compilers have it. A relaxed fence has no effect, so it is none.
#pragma once

#include <span>
#include <vector>

#include "channel/site_order.hpp"

namespace heddle::orders {

using channel::SiteOperation;
using graph::MemoryOrder;

/// Weakest first: each order comes after all that are weaker.
std::span<const MemoryOrder> orders_of(SiteOperation operation);
MemoryOrder weakest(SiteOperation operation);
MemoryOrder strongest(SiteOperation operation);

/// The order in orders_of(operation) with the same effect. A load that was given acq_rel is treated as acquire.
MemoryOrder effective(SiteOperation operation, MemoryOrder order);

/// Whether `a` is `b`, or weaker.
bool is_at_most(MemoryOrder a, MemoryOrder b);

/// The strongest orders among those that are weaker than `order`: one, or two.
std::vector<MemoryOrder> one_step_weaker(SiteOperation operation, MemoryOrder order);

bool is_fence(SiteOperation operation);

}  // namespace heddle::orders
