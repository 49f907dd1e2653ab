// What a worker writes about the accesses of an execution, for heddle predict: one AccessTrace with its steps behind
// it, then that of the next execution, at recordings_offset.
#pragma once

#include <cstdint>

#include "graph/event.hpp"

namespace heddle::channel {

struct TracedStep {
  enum class Kind : std::uint8_t {
    load,
    store,
    rmw,
    failed_exchange,  ///< a compare-exchange that found another value: a load
    lock,
    shared_lock,
    unlock,
    release,  ///< thread creation, end of a thread
    order,    ///< thread start, join: behind the `release` at position `object`
    last = order,
  };
  static constexpr std::uint32_t depth = 3;

  std::uint64_t pcs[depth];  ///< accesses: the place, and the return addresses of two callers
  std::uint64_t
      names[depth];       ///< accesses: the names of the place by one, two and three of them (strategies::site_name)
  std::uint64_t object;   ///< a number for the location or the lock; order: a position
  std::uint64_t address;  ///< accesses
  std::uint32_t thread;
  Kind kind;
  graph::MemoryOrder order;
};

struct AccessTrace {
  std::uint64_t execution;
  std::uint64_t steps;     ///< TracedSteps that follow
  std::uint64_t left_out;  ///< steps at the end of the execution that did not fit

  /// With more steps than this, an execution is cut.
  static constexpr std::uint64_t most_steps = 100'000;
};

}  // namespace heddle::channel
