// One execution as the prediction sees it: accesses to shared memory, locks, and what orders threads in every
// execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::prediction {

struct Step {
  enum class Kind : std::uint8_t {
    load,
    store,
    rmw,
    lock,         ///< acquires a lock
    shared_lock,  ///< acquires a lock that other readers may hold
    unlock,
    release,  ///< thread creation, end of a thread: steps of kind `order` refer to it
    order,    ///< thread start, join: an earlier `release` happens before it, in every execution that has both
  };

  Kind kind = Kind::load;
  std::uint32_t thread = 0;
  std::uint32_t label = 0;   ///< accesses
  std::uint64_t object = 0;  ///< accesses: the location; locks: the lock; order: the position of the `release`

  bool is_access() const { return kind <= Kind::rmw; }
  bool writes() const { return kind == Kind::store || kind == Kind::rmw; }
};

/// In the order of execution.
using Trace = std::vector<Step>;

}  // namespace heddle::prediction
