// What an operation on a synchronisation object makes of the object's state, for the exhaustive search
// (explored_sync.cpp).
#pragma once

#include <cstdint>

#include "graph/event.hpp"

namespace heddle::engine {

struct Transition {
  enum class Kind : std::uint8_t { changes, keeps, waits };
  Kind kind;
  graph::Value written;  ///< changes
};

struct Rule {
  Transition (*apply)(graph::Value state, const Rule& rule) = nullptr;
  std::uint64_t parameter = 0;
  bool tries = false;    ///< it gives up rather than wait
  bool may_try = false;  ///< whether it waits, or why it gives up, is a choice
};

}  // namespace heddle::engine
