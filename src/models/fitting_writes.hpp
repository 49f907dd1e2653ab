// The writes that a read-modify-write or a compare-exchange may read, without building a list. For reads for which
// ModelState::readable_from() gives the oldest readable position in modification order. The newest write always fits.
#pragma once

#include <cstdint>
#include <optional>

#include "models/memory_model.hpp"

namespace heddle::models {

/// For a read-modify-write: atomicity allows one reader of this kind per write.
class FitsUpdate {
 public:
  explicit FitsUpdate(std::uint32_t oldest) : oldest_(oldest) {}
  std::uint32_t oldest() const { return oldest_; }
  bool operator()(const graph::Event& write) const { return write.overwritten_by == graph::no_event; }

 private:
  std::uint32_t oldest_;
};

/// For a compare-exchange: a load of other values, or an update of the expected value. The two may have different
/// memory orders, and so different oldest positions.
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
  /// The fitting writes from position `oldest` on.
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
  /// The write with this number, counted from 0 in modification order.
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
