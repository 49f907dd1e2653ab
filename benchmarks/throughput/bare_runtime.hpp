// What an execution costs with fibers and nothing else: the same instrumented program, every atomic access a scheduling
// point where a random thread continues, but no memory model, no graph, no race checks, no record of anything. The
// measure for what heddle adds.
#pragma once

#include <cstdint>

namespace bare {

/// Runs body(argument) `executions` times as the first of the fibers; calls `reset` after each, if given.
void run(std::uint64_t executions, void (*body)(void*), void* argument, void (*reset)() = nullptr);

struct Counts {
  std::uint64_t visible = 0;  ///< atomic accesses, locks, creates, joins, ends of threads
  std::uint64_t plain = 0;    ///< plain accesses
};
/// Of all executions so far.
const Counts& counts();

/// Nanoseconds from one fiber to another and back, thread pointers included.
double round_trip();

/// Seconds of processor time of this process: what others do meanwhile does not count.
double now();

}  // namespace bare
