// A part of the search as bytes, so that another process, machine or run can search it: one or more branches, each with
// the plan of its first graph. Events are named by thread and index, so the bytes mean the same graphs wherever the
// same program runs.
//
//   subtree  branches, in the order in which they are taken from the back: the search takes the last one first
//   branch   its size in bytes (4), its estimated share of the whole search (8), the number of planned events and the
//            events themselves, as varints
//
// Bytes that are no subtree are recognised, so that a damaged file does not start a search.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "exploration/graph_plan.hpp"

namespace heddle::exploration {

using Bytes = std::span<const std::uint8_t>;

struct Branch {
  double share = 1;
  std::span<const PlannedEvent> plan;
};

/// Writes a branch at the front of `out` and returns its size. Returns 0 if there is no room for it.
std::size_t write_branch(const Branch& branch, std::span<std::uint8_t> out);
/// Removes the first branch from the front of `bytes` and returns its own bytes. Nothing: the bytes are damaged.
std::optional<Bytes> split_branch(Bytes& bytes);
/// `bytes` is what split_branch() returned. Appends the plan to `plan`. Nothing: the bytes are damaged.
std::optional<double> read_branch(Bytes bytes, base::ArenaVector<PlannedEvent>& plan, base::Arena& arena);
/// The estimated share of a branch, without a look at its plan.
double share_of_branch(Bytes bytes);

/// Whether the bytes are branches, without a look at their plans.
bool is_subtree(Bytes bytes);

}  // namespace heddle::exploration
