// Values of atomic operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/operations/operation.hpp"
#include "graph/event.hpp"

namespace heddle::engine {

inline graph::Value truncated(graph::Value value, std::size_t size) {
  return size == 16 ? value : static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - 8 * size));
}

/// What a read-modify-write operation makes of the value that it reads.
inline graph::Value apply(Operation operation, graph::Value old, graph::Value operand) {
  switch (operation) {
    case Operation::atomic_exchange: return operand;
    case Operation::atomic_add: return old + operand;
    case Operation::atomic_sub: return old - operand;
    case Operation::atomic_and: return old & operand;
    case Operation::atomic_or: return old | operand;
    case Operation::atomic_xor: return old ^ operand;
    case Operation::atomic_nand: return ~(old & operand);
    default: return old;
  }
}

}  // namespace heddle::engine
