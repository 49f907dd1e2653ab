// The doors' view of the runtime: the one global of the library, and where a call came from.
#pragma once

#include <time.h>

#include <cstdint>
#include <optional>

#include "engine/engine.hpp"

namespace heddle::abi {

/// Null until libheddle is loaded as a worker.
extern engine::Engine* engine_pointer;

/// The engine while the program runs under it; null before main, between executions, and in code of our own that
/// runs outside the program's fibers. Whoever gets null lets the C library do the work.
inline engine::Engine* running() { return engine::Engine::running(); }
/// The same for calls whose effect on memory may be judged: those from instrumented code.
inline engine::Engine* judging(std::uint64_t site) {
  engine::Engine* engine = running();
  return engine != nullptr && engine->modules().is_instrumented_code(site) ? engine : nullptr;
}

/// The same for locks and the like: those inside the C library and the unwinder are none of the program's. Nobody is
/// switched out in there, and the order they happen to impose must not count as synchronisation.
inline engine::Engine* running_for(std::uint64_t site) {
  engine::Engine* engine = running();
  return engine == nullptr || engine::is_system_code(reinterpret_cast<const void*>(site)) ? nullptr : engine;
}

/// What the doors noted last.
engine::CallerRegisters& caller_registers();

inline std::uintptr_t address_of(const volatile void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// Nanoseconds of a time span; negative ones count as none.
inline std::uint64_t nanoseconds(const timespec& time) {
  return time.tv_sec < 0
             ? 0
             : static_cast<std::uint64_t>(time.tv_sec) * 1000000000ULL + static_cast<std::uint64_t>(time.tv_nsec);
}
/// The virtual moment (engine.scheduler().now()) that an absolute time on this clock stands for.
std::uint64_t virtual_deadline(clockid_t clock, const timespec& time);

}  // namespace heddle::abi

/// The place in the program that called the current entry point: a byte of the call instruction.
#define HEDDLE_CALLER (reinterpret_cast<std::uint64_t>(__builtin_return_address(0)) - 1)
