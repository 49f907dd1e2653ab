// What a thread has by itself when it calls heddle: the registers that calls preserve (all others are dead or on the
// stack by then), and its stack. The doors of the usual entry points have noted the registers; for others the unwinder
// finds them as they were in the program's own frame, whatever heddle's functions did to them since.
#include <unwind.h>

#include <cstring>

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
  std::uint64_t hash = 0;

  static _Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
    auto& self = *static_cast<LocalState*>(data);
    if (!self.engine.is_foreign_code(static_cast<std::uint64_t>(_Unwind_GetIP(context)))) return _URC_NO_REASON;
    std::uint64_t words[std::size(preserved) + 1];
    std::size_t count = 0;
    for (const int number : preserved) words[count++] = static_cast<std::uint64_t>(_Unwind_GetGR(context, number));
    words[count++] = static_cast<std::uint64_t>(_Unwind_GetIP(context));
    // The stack pointer of this frame: what lies above is the program's.
    self.hash = self.engine.hash_of_local_state(words, static_cast<std::uintptr_t>(_Unwind_GetCFA(context)));
    return _URC_END_OF_STACK;
  }
};

std::uint64_t Engine::hash_of_local_state(std::span<const std::uint64_t> registers,
                                          std::uintptr_t stack_pointer) const {
  // Not one as the seed of the other: a seed costs more than the hashing of a small stack.
  const auto* stack = reinterpret_cast<const void*>(stack_pointer);
  return base::hash_words(base::hash_bytes(stack, current_->fiber.stack().end - stack_pointer),
                          base::hash_bytes(registers.data(), registers.size_bytes()));
}

std::uint64_t Engine::local_state(std::uint64_t site) {
  // Whatever a door notes is used here at once, so this is of the current call.
  if (caller_registers_ != nullptr && caller_registers_->return_address - 1 == site) {
    std::uint64_t words[std::size(preserved) + 1];
    static_assert(sizeof words == offsetof(CallerRegisters, stack_pointer) + sizeof site);
    std::memcpy(words, caller_registers_->preserved, sizeof caller_registers_->preserved);
    words[std::size(preserved)] = caller_registers_->return_address;
    caller_registers_->return_address = 0;
    return hash_of_local_state(words, caller_registers_->stack_pointer);
  }
  LocalState state{*this};
  _Unwind_Backtrace(LocalState::visit, &state);
  return state.hash;
}

}  // namespace heddle::engine
