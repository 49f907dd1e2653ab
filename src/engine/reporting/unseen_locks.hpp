// Inline assembly with a lock prefix, such as a lock of "lock bts": the compiler's instrumentation does not announce
// it, so heddle does not know which accesses it orders. The compilers turn every atomic operation of instrumented code
// into a call of the runtime. So an instruction with a lock prefix in such code, or an exchange with memory, is inline
// assembly, or in a function that was exempt from instrumentation.
//
// Accesses that seem to race are reported as a warning if both are made in a function that contains such an
// instruction, or calls a function that does, or whose caller does.
#pragma once

#include <cstdint>

#include "engine/isolation/modules.hpp"
#include "engine/threads/call_stacks.hpp"

namespace heddle::engine {

class UnseenLocks {
 public:
  UnseenLocks(const Modules& modules, const CallStackTree& stacks) : modules_(modules), stacks_(stacks) {}

  /// Whether the code around an access contains an instruction with a lock prefix. `stack` is that of the function.
  bool are_around(std::uint64_t site, std::uint32_t stack);

 private:
  struct Known {
    std::uint64_t site = 0;
    std::uint64_t caller = 0;
    bool result = false;
  };

  bool has_locked(std::uint64_t address, unsigned depth) const;
  bool is_in_function(std::uint64_t begin, std::uint64_t end, unsigned depth) const;

  const Modules& modules_;
  const CallStackTree& stacks_;
  Known known_[64];  ///< by the low bits of the site; entries replace each other
};

}  // namespace heddle::engine
