// The reads that a thread has made since its last effect, with its registers and its stack at each, and its plain
// writes in between. See retry_loops.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "engine/threads/caller_registers.hpp"

namespace heddle::engine {

struct RetryWindow {
  static constexpr std::uint32_t most_reads = 12, most_writes = 12;

  struct Read {
    CallerRegisters registers;
    std::span<std::byte> stack;  ///< from the return address to the end
    std::uint64_t stack_floor = 0;
    std::uint32_t capacity = 0;  ///< of the memory of `stack`
    std::uint32_t index = 0;     ///< of the thread's newest event before the read
    std::uint32_t writes = 0;    ///< plain writes before the read
    std::uint64_t hash = 0;      ///< of registers and stack
    std::uint64_t expected = 0;  ///< compare-exchange with a pointer to it: the expected value
  };
  struct Write {
    std::uint64_t address;
    std::uint64_t size;
  };

  Read reads[most_reads];
  Write writes[most_writes];
  std::uint32_t read_count = 0, write_count = 0;
  std::uint32_t failures = 0;     ///< emulations in this execution after which the thread had to continue
  std::uint32_t with_memory = 0;  ///< reads, from the first on, that may have memory for a stack

  /// The thread had an effect, or did something that is not known here.
  void forget() { read_count = write_count = 0; }
  void record_write(std::uint64_t address, std::uint64_t size) {
    if (read_count == 0) return;
    if (write_count == most_writes) return forget();
    writes[write_count++] = {address, size};
  }
  /// A new execution: the memory of the stacks is gone. Sampling has none, and touches none of the reads here.
  void reset() {
    forget();
    failures = 0;
    for (std::uint32_t i = 0; i < with_memory; ++i) reads[i].capacity = 0;
    with_memory = 0;
  }
};

}  // namespace heddle::engine
