#pragma once

#include <cstdint>

#include "graph/event.hpp"

namespace heddle::engine {

/// An atomic access of the program and where it was made.
struct AccessNote {
  graph::EventId event;
  std::uint32_t stack;  ///< in the tree of call stacks
  std::uintptr_t address;
};

}  // namespace heddle::engine
