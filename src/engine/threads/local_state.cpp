#include "engine/threads/local_state.hpp"

#include <unwind.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/hash.hpp"
#include "engine/isolation/clean_stack.hpp"
#include "engine/threads/program_function.hpp"
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

constexpr std::size_t frame_pointer = 1;  ///< in CallerRegisters::preserved
constexpr unsigned most_frames = 16;

}  // namespace

void LocalState::clear_dead_registers(CallerRegisters& registers) {
  for (std::uint32_t bits = dead_state(registers.return_address).registers; bits != 0; bits &= bits - 1)
    registers.preserved[__builtin_ctz(bits)] = 0;
}

const LocalState::DeadState& LocalState::dead_state(std::uint64_t return_address) {
  DeadState& known = known_[return_address % std::size(known_)];
  if (known.return_address != return_address) known = find_dead_state(return_address);
  return known;
}

LocalState::DeadState LocalState::find_dead_state(std::uint64_t return_address) const {
  DeadState found;
  found.return_address = return_address;
#if defined(__x86_64__)
  const Module* module = modules_.find(return_address);
  if (module == nullptr) return found;
  const std::span code(reinterpret_cast<const std::uint8_t*>(module->all.begin), module->all.size());
  const ProgramFunction function = find_function(return_address);
  const auto calls = function.may_catch ? machine::Calls::may_throw : machine::Calls::come_back;
  for (std::uint32_t i = 0; i < std::size(machine::preserved); ++i)
    if (machine::is_register_dead(code, return_address - module->all.begin, machine::preserved[i], calls))
      found.registers |= 1U << i;
  if (!function.may_catch && function.code.size() != 0)
    found.bytes = machine::find_dead_bytes(code.subspan(function.code.begin - module->all.begin, function.code.size()),
                                           return_address - function.code.begin);
#endif
  return found;
}

/// Of the stack from `top` on, in which the frames of the program begin with that of the function that the return
/// address is in. Dead bytes are left out.
std::uint64_t LocalState::hash_of_stack(std::uintptr_t top, std::uintptr_t end, std::uintptr_t frame,
                                        std::uint64_t return_address) {
  constexpr std::uintptr_t word = sizeof(std::uintptr_t);
  std::uint64_t hash = 0;
  std::uintptr_t done = top;
  const auto add = [&](std::uintptr_t to) {
    const std::uint64_t part = base::hash_bytes(reinterpret_cast<const void*>(done), to - done);
    hash = hash == 0 ? part : base::hash_words(hash, part);
  };
  for (unsigned i = 0; i < most_frames; ++i) {
    const machine::DeadBytes& dead = dead_state(return_address).bytes;
    if (!dead.has_frame || frame < done || frame % word != 0 || frame + 2 * word >= end) break;
    for (std::size_t run = 0; run < dead.count; ++run) {
      const std::uintptr_t begin = frame - dead.runs[run].begin, behind = begin + dead.runs[run].size;
      if (behind <= done) continue;
      add(std::max(begin, done));
      done = behind;
    }
    std::uintptr_t words[2];
    std::memcpy(words, reinterpret_cast<const void*>(frame), sizeof words);
    add(frame + 2 * word);
    done = frame + 2 * word;
    frame = words[0];
    return_address = words[1];
  }
  add(end);
  return hash;
}

/// Neither hash is the seed of the other: a seed costs more than hashing a small stack.
std::uint64_t LocalState::hash_of(std::span<const std::uint64_t> registers, std::uintptr_t stack_pointer,
                                  std::uintptr_t stack_end) {
  return base::hash_words(hash_of_stack(stack_pointer, stack_end, registers[frame_pointer], registers.back()),
                          base::hash_bytes(registers.data(), registers.size_bytes()));
}

struct LocalState::UnwinderVisit {
  LocalState& local_state;
  std::uintptr_t stack_end;
  std::uint64_t hash = 0;

  static _Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
    auto& self = *static_cast<UnwinderVisit*>(data);
    if (!self.local_state.modules_.is_foreign_code(static_cast<std::uint64_t>(_Unwind_GetIP(context))))
      return _URC_NO_REASON;
    std::uint64_t words[std::size(preserved) + 1];
    std::size_t count = 0;
    for (const int number : preserved) words[count++] = static_cast<std::uint64_t>(_Unwind_GetGR(context, number));
    words[count++] = static_cast<std::uint64_t>(_Unwind_GetIP(context));
    // The stack pointer of this frame: what lies above is the program's.
    self.hash = self.local_state.hash_of(words, static_cast<std::uintptr_t>(_Unwind_GetCFA(context)), self.stack_end);
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
  UnwinderVisit state{*this, stack_end};
  _Unwind_Backtrace(UnwinderVisit::visit, &state);
  return state.hash;
}

}  // namespace heddle::engine
