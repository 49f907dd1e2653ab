// What PlainMemory tells about plain accesses if the execution is recorded (engine/recording/execution_watch.hpp).
#pragma once

#include <cstdint>

#include "channel/finding_record.hpp"

namespace heddle::engine {

class AccessWatch {
 public:
  /// The current thread is about to make the access, or has allocated or is about to free the block. `stack` is the
  /// number of its stack in the tree of call stacks, below `site`.
  virtual void record_plain_access(channel::AccessKind kind, std::uintptr_t address, std::size_t size,
                                   std::uint64_t site, std::uint32_t stack) = 0;

 protected:
  ~AccessWatch() = default;
};

}  // namespace heddle::engine
