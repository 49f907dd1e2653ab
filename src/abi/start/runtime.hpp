// What entry points need of the runtime: the engine, which is the only global, and the place of the call.
#pragma once

#include <time.h>

#include <cstdint>
#include <optional>

#include "engine/engine.hpp"

namespace heddle::abi {

/// Null until libheddle is loaded as a worker.
extern engine::Engine* engine_pointer;

/// The engine while one of the program's threads runs. Null before main, between executions, and in code of the runtime
/// outside the program's fibers; an entry point then calls the C library.
inline engine::Engine* running() { return engine::Engine::running(); }
/// running() if the call comes from instrumented code, else null. Only accesses of such code take part in race checks.
inline engine::Engine* running_for_instrumented(std::uint64_t site) {
  engine::Engine* engine = running();
  return engine != nullptr && engine->modules().is_instrumented_code(site) ? engine : nullptr;
}

/// running() unless the call comes from the C library or the unwinder. Threads are not switched inside these, and the
/// order that their locks impose must not count as synchronisation.
inline engine::Engine* running_for_program(std::uint64_t site) {
  engine::Engine* engine = running();
  return engine == nullptr || engine::is_system_code(reinterpret_cast<const void*>(site)) ? nullptr : engine;
}

/// Defined by programs that were compiled with heddle cc --plain=relaxed.
extern "C" __attribute__((weak, visibility("default"))) const char heddle_plain_is_relaxed;
/// Whether atomic accesses of the program may be plain accesses in its source code.
inline bool plain_is_relaxed() { return &heddle_plain_is_relaxed != nullptr; }

/// What getpid() returns to the program, in every execution.
inline constexpr int program_pid = 4242;
/// What gettid() returns in the thread.
inline int thread_id(const engine::ProgramThread& thread) { return program_pid + static_cast<int>(thread.place); }

/// The registers that entry_thunks.cpp saved at the last call.
engine::CallerRegisters& caller_registers();

inline std::uintptr_t address_of(const volatile void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// Whether this is a point in time, perhaps one before 1970. The C library checks no more of a deadline.
inline bool is_time(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < 1000000000; }
/// Whether this is a duration, or a time since 1970: what the kernel checks.
inline bool is_duration(const timespec& time) { return time.tv_sec >= 0 && is_time(time); }

/// The nanoseconds of a duration; 0 if it is negative.
inline std::uint64_t nanoseconds(const timespec& time) {
  return time.tv_sec < 0
             ? 0
             : static_cast<std::uint64_t>(time.tv_sec) * 1000000000ULL + static_cast<std::uint64_t>(time.tv_nsec);
}
/// The virtual time (engine.scheduler().time().now()) of an absolute time on this clock.
std::uint64_t virtual_deadline(clockid_t clock, const timespec& time);
/// Whether the C library has waits that go by this clock.
inline bool is_clock_of_waits(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

}  // namespace heddle::abi

/// The address of the call of the current entry point: a byte of the call instruction.
#define HEDDLE_CALLER (reinterpret_cast<std::uint64_t>(__builtin_return_address(0)) - 1)
