// What a read-modify-write or a compare-exchange may read, without a list, where MemoryModel::readable_from says from
// which place in modification order on a read may read anything. The newest write always fits.
#pragma once

#include <cstdint>
#include <optional>

#include "models/memory_model.hpp"

namespace heddle::models {

/// A read-modify-write: atomicity allows one to each write.
class FitsUpdate {
 public:
  explicit FitsUpdate(std::uint32_t oldest) : oldest_(oldest) {}
  std::uint32_t oldest() const { return oldest_; }
  bool operator()(const graph::Event& write) const { return write.overwritten_by == graph::no_event; }

 private:
  std::uint32_t oldest_;
};

/// A compare-exchange: a load of other values, or an update of the expected one. The memory orders of the two differ,
/// and so may the places.
class FitsCompareExchange {
 public:
  FitsCompareExchange(std::uint32_t oldest_for_load, std::uint32_t oldest_for_update, graph::Value expected)
      : oldest_for_load_(oldest_for_load), oldest_for_update_(oldest_for_update), expected_(expected) {}
  std::uint32_t oldest() const { return oldest_for_load_ < oldest_for_update_ ? oldest_for_load_ : oldest_for_update_; }
  bool operator()(const graph::Event& write) const {
    if (write.written != expected_) return write.mo_position >= oldest_for_load_;
    return write.mo_position >= oldest_for_update_ && write.overwritten_by == graph::no_event;
  }

 private:
  std::uint32_t oldest_for_load_, oldest_for_update_;
  graph::Value expected_;
};

template <typename Fits>
class FittingWrites {
 public:
  /// Those behind `oldest` only, too.
  FittingWrites(const graph::ExecutionGraph& graph, graph::LocationId location, const Fits& fits, std::uint32_t oldest)
      : graph_(graph), order_(graph.location(location).modification_order.span()), fits_(fits),
        oldest_(oldest > fits.oldest() ? oldest : fits.oldest()) {}

  std::uint32_t size() const {
    if (oldest_ + std::size_t{1} == order_.size()) return 1;
    std::uint32_t count = 0;
    for (const graph::EventId write : order_.subspan(oldest_)) count += fits_(graph_.event(write)) ? 1 : 0;
    return count;
  }
  graph::EventId newest() const { return order_.back(); }
  /// In modification order, from 0 on.
  graph::EventId operator[](std::uint32_t number) const {
    std::size_t at = oldest_;
    for (;; ++at)
      if (fits_(graph_.event(order_[at])) && number-- == 0) return order_[at];
  }

 private:
  const graph::ExecutionGraph& graph_;
  std::span<const graph::EventId> order_;
  const Fits& fits_;
  std::uint32_t oldest_;
};

}  // namespace heddle::models
