#include "engine/threads/local_state.hpp"

#include <unwind.h>

#include <cstddef>
#include <cstring>

#include "base/hash.hpp"
#include "engine/isolation/clean_stack.hpp"
#include "machine/register_use.hpp"

namespace heddle::engine {

namespace {

// DWARF numbers of the preserved registers.
#if defined(__x86_64__)
constexpr int preserved[] = {3, 6, 12, 13, 14, 15};
#else
constexpr int preserved[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
#endif

// The unwinder uses less.
constexpr std::size_t unwinder_stack = 8192;

std::uint64_t hash_of(std::span<const std::uint64_t> registers, std::uintptr_t stack_pointer,
                      std::uintptr_t stack_end) {
  // Neither hash is the seed of the other: a seed costs more than hashing a small stack.
  const auto* stack = reinterpret_cast<const void*>(stack_pointer);
  return base::hash_words(base::hash_bytes(stack, stack_end - stack_pointer),
                          base::hash_bytes(registers.data(), registers.size_bytes()));
}

}  // namespace

void LocalState::clear_dead_registers(CallerRegisters& registers) {
  DeadRegisters& known = known_[registers.return_address % std::size(known_)];
  if (known.return_address != registers.return_address)
    known = {registers.return_address, dead_registers(registers.return_address)};
  for (std::uint32_t bits = known.bits; bits != 0; bits &= bits - 1) registers.preserved[__builtin_ctz(bits)] = 0;
}

std::uint32_t LocalState::dead_registers(std::uint64_t return_address) const {
  std::uint32_t bits = 0;
#if defined(__x86_64__)
  const Module* module = modules_.find(return_address);
  if (module == nullptr) return 0;
  const std::span code(reinterpret_cast<const std::uint8_t*>(module->all.begin), module->all.size());
  for (std::uint32_t i = 0; i < std::size(machine::preserved); ++i)
    if (machine::is_register_dead(code, return_address - module->all.begin, machine::preserved[i])) bits |= 1U << i;
#endif
  return bits;
}

struct LocalState::UnwinderVisit {
  const Modules& modules;
  std::uintptr_t stack_end;
  std::uint64_t hash = 0;

  static _Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
    auto& self = *static_cast<UnwinderVisit*>(data);
    if (!self.modules.is_foreign_code(static_cast<std::uint64_t>(_Unwind_GetIP(context)))) return _URC_NO_REASON;
    std::uint64_t words[std::size(preserved) + 1];
    std::size_t count = 0;
    for (const int number : preserved) words[count++] = static_cast<std::uint64_t>(_Unwind_GetGR(context, number));
    words[count++] = static_cast<std::uint64_t>(_Unwind_GetIP(context));
    // The stack pointer of this frame: what lies above is the program's.
    self.hash = hash_of(words, static_cast<std::uintptr_t>(_Unwind_GetCFA(context)), self.stack_end);
    return _URC_END_OF_STACK;
  }
};

std::uintptr_t LocalState::find_frames() const {
  struct Visit {
    const Modules& modules;
    std::uintptr_t frames = 0;
  } visit{modules_};
  const auto look = [](_Unwind_Context* context, void* data) {
    auto& self = *static_cast<Visit*>(data);
    if (!self.modules.is_foreign_code(static_cast<std::uint64_t>(_Unwind_GetIP(context)))) return _URC_NO_REASON;
    self.frames = static_cast<std::uintptr_t>(_Unwind_GetCFA(context));
    return _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(look, &visit);
  wipe_stack<unwinder_stack>();
  return visit.frames;
}

std::uint64_t LocalState::hash(const ProgramThread& self) {
  const std::uintptr_t stack_end = self.fiber.stack().end;
  // An entry point's note is used here at once, so a note with this site is of the current call.
  if (caller_registers_ != nullptr && caller_registers_->return_address - 1 == self.site) {
    std::uint64_t words[std::size(preserved) + 1];
    static_assert(sizeof words == offsetof(CallerRegisters, stack_pointer) + sizeof self.site);
    std::memcpy(words, caller_registers_->preserved, sizeof caller_registers_->preserved);
    words[std::size(preserved)] = caller_registers_->return_address;
    caller_registers_->return_address = 0;
    return hash_of(words, caller_registers_->stack_pointer, stack_end);
  }
  UnwinderVisit state{modules_, stack_end};
  _Unwind_Backtrace(UnwinderVisit::visit, &state);
  return state.hash;
}

}  // namespace heddle::engine
