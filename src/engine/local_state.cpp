// What a thread has by itself when it calls heddle: the registers that calls preserve (all others are dead or on the
// stack by then), and its stack. The unwinder finds both as they were in the program's own frame, whatever heddle's
// functions did to them since.
#include <unwind.h>

#include "base/hash.hpp"
#include "engine/engine.hpp"

namespace heddle::engine {

namespace {

// DWARF numbers of the preserved registers.
#if defined(__x86_64__)
constexpr int preserved[] = {3, 6, 12, 13, 14, 15};
#else
constexpr int preserved[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
#endif

}  // namespace

struct LocalState {
  const Engine& engine;
  std::uintptr_t stack_end;
  std::uint64_t hash = 0;

  static _Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
    auto& self = *static_cast<LocalState*>(data);
    if (!self.engine.is_foreign_code(static_cast<std::uint64_t>(_Unwind_GetIP(context)))) return _URC_NO_REASON;
    std::uint64_t words[std::size(preserved) + 1];
    std::size_t count = 0;
    for (const int number : preserved) words[count++] = static_cast<std::uint64_t>(_Unwind_GetGR(context, number));
    words[count++] = static_cast<std::uint64_t>(_Unwind_GetIP(context));
    // The stack pointer of this frame: what lies above is the program's.
    const auto bottom = static_cast<std::uintptr_t>(_Unwind_GetCFA(context));
    self.hash = base::hash_bytes(reinterpret_cast<const void*>(bottom), self.stack_end - bottom,
                                 base::hash_bytes(words, sizeof words));
    return _URC_END_OF_STACK;
  }
};

std::uint64_t Engine::local_state() const {
  LocalState state{*this, current_->fiber.stack().end};
  _Unwind_Backtrace(LocalState::visit, &state);
  return state.hash;
}

}  // namespace heddle::engine
