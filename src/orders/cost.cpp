// Weights. A hundred units are about one cycle:
//
// - x86-64: a locked instruction, and thus xchg, took 12 cycles on an AMD EPYC whose store buffer was empty, a mov less
//   than one. The locked instruction that gcc emits for a fence takes as long as xchg; mfence took 47.
// - Armv8: the figures are not measured, they only rank. A load-acquire waits for earlier store-releases alone, a
//   store-release for all earlier accesses. A dmb ishld waits for loads, a dmb ish also for stores, and it is assumed
//   to be as slow as a locked instruction of x86-64.
// - The strength of the order decides between choices with the same instructions: a single unit a step, so that the
//   weaker one comes first. It takes 66 operations to outweigh the smallest other difference.
#include "orders/cost.hpp"

#include <utility>

namespace heddle::orders {

namespace {

using channel::SiteOperation;
using graph::MemoryOrder;

constexpr int x86_barrier = 1200;
constexpr int arm_load_acquire = 200;
constexpr int arm_store_release = 400;
constexpr int arm_load_barrier = 400;
constexpr int arm_full_barrier = 1200;

/// Steps above relaxed.
int strength(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::plain:
    case MemoryOrder::relaxed: return 0;
    case MemoryOrder::consume:
    case MemoryOrder::acquire:
    case MemoryOrder::release: return 1;
    case MemoryOrder::acq_rel: return 2;
    case MemoryOrder::seq_cst: return 3;
  }
  return 0;
}

SiteCost load_cost(MemoryOrder order) {
  // Compilers treat consume as acquire.
  if (!is_acquire(order)) return {"mov", "ldr", "ldr", 0};
  return {"mov", "ldar", "ldar", arm_load_acquire};
}

SiteCost store_cost(MemoryOrder order) {
  if (is_seq_cst(order)) return {"xchg / mov+mfence", "stlr", "stlr", x86_barrier + arm_store_release};
  if (is_release(order)) return {"mov", "stlr", "stlr", arm_store_release};
  return {"mov", "str", "str", 0};
}

SiteCost fence_cost(MemoryOrder order) {
  if (is_seq_cst(order)) return {"lock or / mfence", "dmb ish", "dmb ish", x86_barrier + arm_full_barrier};
  if (is_release(order)) return {"", "dmb ish", "dmb ish", arm_full_barrier};
  if (is_acquire(order)) return {"", "dmb ishld", "dmb ishld", arm_load_barrier};
  return {};
}

std::string pair_of(bool acquires, bool releases) {
  return std::string(acquires ? "ldaxr" : "ldxr") + (releases ? "+stlxr" : "+stxr");
}

std::string single_of(std::string mnemonic, bool acquires, bool releases) {
  if (acquires) mnemonic += 'a';
  if (releases) mnemonic += 'l';
  return mnemonic;
}

/// x86-64 has the same instruction for all orders.
SiteCost update_cost(const char* x86, const char* arm_lse, bool acquires, bool releases) {
  return {x86, pair_of(acquires, releases), single_of(arm_lse, acquires, releases),
          (acquires ? arm_load_acquire : 0) + (releases ? arm_store_release : 0)};
}

SiteCost add_strength(SiteCost cost, int steps) {
  cost.weight += steps;
  return cost;
}

/// Whether a failed compare-exchange acquires and a successful one does not. gcc emits the instructions of seq_cst
/// then.
bool is_stronger_than(MemoryOrder failure, MemoryOrder success) { return is_acquire(failure) && !is_acquire(success); }

}  // namespace

SiteCost cost_of(SiteOperation operation, MemoryOrder order) {
  switch (operation) {
    case SiteOperation::load: return add_strength(load_cost(order), strength(order));
    case SiteOperation::store: return add_strength(store_cost(order), strength(order));
    case SiteOperation::read_modify_write:
      return add_strength(update_cost("lock xadd", "ldadd", is_acquire(order), is_release(order)), strength(order));
    case SiteOperation::compare_exchange: return cost_of_exchange(order, MemoryOrder::relaxed);
    case SiteOperation::failed_exchange: return cost_of_exchange(MemoryOrder::relaxed, order);
    case SiteOperation::fence:
    case SiteOperation::fence_before:
    case SiteOperation::fence_after: return add_strength(fence_cost(order), strength(order));
  }
  return {};
}

SiteCost cost_of_exchange(MemoryOrder success, MemoryOrder failure) {
  const bool acquires = is_acquire(success) || is_acquire(failure);
  // clang has no instructions for a seq_cst load that stand between those of acquire and those of seq_cst.
  const bool releases = is_release(success) || is_seq_cst(failure);
  SiteCost cost = update_cost("lock cmpxchg", "cas", acquires, releases);
  if (is_stronger_than(failure, success) && !releases) {
    cost.arm = pair_of(true, true) + " / " + cost.arm;
    cost.arm_lse = single_of("cas", true, true) + " / " + cost.arm_lse;
  }
  return add_strength(std::move(cost), strength(success) + strength(failure));
}

}  // namespace heddle::orders
