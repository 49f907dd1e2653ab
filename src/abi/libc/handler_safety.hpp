// Functions that POSIX does not allow in a handler of a signal that may have interrupted any function.
#pragma once

#include <cstdint>

#include "abi/start/runtime.hpp"

namespace heddle::abi {

/// `function` may be another name of the function, as the headers of the C library choose it: __printf_chk. Reports the
/// call if POSIX does not list the function as safe, and the C library's function uses locks or state of its own.
/// Functions that POSIX does not list either, but that only read or write what their arguments point to, are not
/// reported.
[[gnu::cold, gnu::noinline]] void report_if_unsafe(engine::Engine& engine, const char* function, std::uint64_t site);

/// The current thread calls the function of the C library, from instrumented code.
inline void check_in_handler(engine::Engine& engine, const char* function, std::uint64_t site) {
  if (engine.current().asynchronous_handlers != 0) [[unlikely]]
    report_if_unsafe(engine, function, site);
}
/// Checks a call that may also come from other code, or outside of an execution.
inline void check_in_handler(const char* function, std::uint64_t site) {
  if (engine::Engine* engine = running_for_instrumented(site)) check_in_handler(*engine, function, site);
}

}  // namespace heddle::abi
