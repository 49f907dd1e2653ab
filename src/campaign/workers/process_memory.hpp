// How much memory a worker uses, from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace heddle::campaign {

/// Bytes of memory that the process, or the child that runs an execution for it, has in use, the channel included: the
/// larger number. 0 if it is not known.
std::uint64_t memory_in_use(pid_t process);

/// The most that memory_in_use() of a worker may be if `max_memory` is the limit for the heap of an execution.
std::uint64_t memory_limit(std::uint64_t max_memory);

}  // namespace heddle::campaign
