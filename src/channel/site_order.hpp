// Memory orders that a run gives to places in the program, in place of those that the program passes (--orders). The
// driver finds the places in the program's files (orders/); the worker looks them up at every atomic operation, and
// writes down what was executed there.
#pragma once

#include <cstdint>

#include "graph/event.hpp"

namespace heddle::channel {

/// Which operations at a place an entry is about. The last two add a fence.
enum class SiteOperation : std::uint8_t {
  load,
  store,
  read_modify_write,
  compare_exchange,  ///< that succeeds
  failed_exchange,
  fence,
  fence_before,
  fence_after,
};

struct SiteOrder {
  std::uint64_t module;   ///< hash of the path of the program or library
  std::uint64_t address;  ///< in the file: where the call of the operation, or of a function around it, returns to
  SiteOperation operation;
  graph::MemoryOrder order = graph::MemoryOrder::plain;  ///< plain: the program's fence is left out
  bool keeps_order = false;  ///< the program's own order is used: the entry is there to be counted

  // Written by the worker.
  bool is_shared = false;         ///< several threads accessed the variable in one execution
  std::uint32_t orders_seen = 0;  ///< that the program passed: a bit for each graph::MemoryOrder
  std::uint64_t executed = 0;     ///< how often, not counting executions that a search made without the program
};

}  // namespace heddle::channel
