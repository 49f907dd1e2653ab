#include "findings/stack_ends.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace heddle::findings {

namespace {

bool is_heddle(const Frame& frame) { return frame.module.starts_with("libheddle.so"); }

/// Code of the C++ library and the compiler's headers.
bool is_system_library(const Frame& frame) {
  const std::string_view file = frame.file;
  return frame.module.starts_with("libstdc++.so") || frame.module.starts_with("libc++.so") ||
         (file.starts_with("/usr/include/") && file.find("/c++/") != file.npos) || file.starts_with("/usr/lib/gcc/") ||
         file.starts_with("/usr/lib/llvm");
}

/// Code between the start of a thread and the function of the program that it runs.
bool is_start_up(const Frame& frame) {
  static constexpr std::array exact = {"_start", "start_thread", "clone", "clone3", "execute_native_thread_routine"};
  static constexpr std::array prefixes = {"__libc_start",
                                          "__clone",
                                          "std::thread::_",
                                          "std::__invoke",
                                          "std::error_code::",
                                          "_dl_",
                                          "call_init",
                                          "std::jthread::_S_create",
                                          "__static_initialization_and_destruction",
                                          "_GLOBAL__sub_I"};
  static constexpr std::array inside = {"std::thread::_Invoker<", "std::thread::_State_impl<", "std::__invoke_impl<",
                                        "std::__invoke_result<",  "std::__thread_proxy",       "std::__thread_execute"};
  const std::string_view name = frame.function;
  if (name.empty()) return frame.module.starts_with("libc.so") || frame.module.starts_with("ld-linux");
  // The demangled names of templates begin with the result type.
  return std::any_of(exact.begin(), exact.end(), [&](std::string_view e) { return name == e; }) ||
         std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return name.starts_with(p); }) ||
         std::any_of(inside.begin(), inside.end(),
                     [&](std::string_view i) { return name.substr(0, name.find('(')).find(i) != name.npos; });
}

}  // namespace

bool is_library_frame(const Frame& frame) { return is_system_library(frame) || is_start_up(frame); }

void trim_stack(std::vector<Frame>& frames) {
  const auto first = std::find_if_not(frames.begin(), frames.end(), is_heddle);
  const auto cut_after = [&](auto is_outside) {
    auto last = frames.end();
    while (last != first && is_outside(*std::prev(last))) --last;
    return last;
  };
  // If the stack has no frame of the program, the frames of libraries stay.
  auto last = cut_after([](const Frame& f) { return is_heddle(f) || is_library_frame(f); });
  if (last == first) last = cut_after([](const Frame& f) { return is_heddle(f) || is_start_up(f); });
  if (last == first) last = cut_after(is_heddle);
  if (last == first) return;
  frames.erase(last, frames.end());
  frames.erase(frames.begin(), first);
  // Between a signal handler and the function that it interrupted. Entry points, such as pthread_once, stay.
  std::erase_if(frames, [](const Frame& f) { return is_heddle(f) && f.function.starts_with("heddle_"); });
}

}  // namespace heddle::findings
