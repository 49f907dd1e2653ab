// Assertions that stay on in release builds. A failed CHECK is a fault of heddle, never of the program under test. It
// ends the process in a way that cannot be mistaken for a finding.
#pragma once

namespace heddle::base {

/// Called with the text of the failed check; must not return. The runtime installs a handler that reports through the
/// worker's channel. Without a handler the text goes to standard error and the process traps.
using CheckHandler = void (*)(const char* file, int line, const char* condition, const char* message);

void set_check_handler(CheckHandler handler);
[[noreturn, gnu::cold]] void check_failed(const char* file, int line, const char* condition, const char* message);

}  // namespace heddle::base

#define HEDDLE_CHECK(condition, message)                                     \
  do {                                                                       \
    if (!(condition)) [[unlikely]]                                           \
      ::heddle::base::check_failed(__FILE__, __LINE__, #condition, message); \
  } while (false)
