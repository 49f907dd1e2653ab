#include "base/check.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace heddle::base {

namespace {
// Reports a fault of heddle. This is the only global variable below engine/.
CheckHandler installed_handler = nullptr;

void print(const char* text) { [[maybe_unused]] auto written = ::write(STDERR_FILENO, text, std::strlen(text)); }
}  // namespace

void set_check_handler(CheckHandler handler) { installed_handler = handler; }

void check_failed(const char* file, int line, const char* condition, const char* message) {
  if (installed_handler != nullptr) installed_handler(file, line, condition, message);
  char number[16];
  std::snprintf(number, sizeof number, "%d", line);
  for (const char* part : {"heddle: internal error at ", file, ":", static_cast<const char*>(number), ": ", condition,
                           ": ", message, "\n"})
    print(part);
  __builtin_trap();
}

}  // namespace heddle::base

/// Tables of virtual functions of abstract classes refer to this function. The C++ library defines it, but the runtime
/// is linked without that library.
extern "C" [[gnu::visibility("hidden"), noreturn]] void __cxa_pure_virtual() {
  heddle::base::check_failed(__FILE__, __LINE__, "the function is defined", "a pure virtual function was called");
}
