// The state that a thread has by itself when it calls heddle: the registers that calls preserve (all others are dead or
// on the stack by then), and its stack. The usual entry points have noted the registers; for the others the unwinder
// finds them as they were in the program's own frame.
//
// What the program overwrites before it reads it is dead, and does not count: registers (machine/register_use.hpp), and
// bytes of frames (machine/frame_use.hpp). So two states that differ only in what a variable held before are the same.
#pragma once

#include <cstdint>
#include <span>

#include "engine/isolation/modules.hpp"
#include "engine/threads/caller_registers.hpp"
#include "engine/threads/program_thread.hpp"
#include "machine/frame_use.hpp"

namespace heddle::engine {

class LocalState {
 public:
  explicit LocalState(const Modules& modules) : modules_(modules) {}

  /// Where the entry points note the registers of their callers.
  void set_caller_registers(CallerRegisters& registers) { caller_registers_ = &registers; }
  /// The registers at the pending operation of the running thread, dead ones included. Returns false if its entry point
  /// has not noted them. To be called before hash(), which uses the note up.
  bool copy_noted_registers(const ProgramThread& self, CallerRegisters& to) {
    if (caller_registers_ == nullptr || caller_registers_->return_address - 1 != self.site) return false;
    to = *caller_registers_;
    clear_dead_registers(*caller_registers_);
    return true;
  }
  void forget_noted_registers() {
    if (caller_registers_ != nullptr) caller_registers_->return_address = 0;
  }
  /// A hash of the local state of the running thread, at its pending operation.
  std::uint64_t hash(const ProgramThread& self);
  /// The registers that are dead where a call returns to: a bit for each of CallerRegisters::preserved.
  std::uint32_t dead_registers(std::uint64_t return_address) { return dead_state(return_address).registers; }
  /// Where the frames of the program begin on the stack of the running thread. 0: that is not known. This takes time.
  std::uintptr_t find_frames() const;

 private:
  struct UnwinderVisit;
  /// What is dead where a call returns to.
  struct DeadState {
    std::uint64_t return_address = 0;
    std::uint32_t registers = 0;  ///< a bit for each of CallerRegisters::preserved
    machine::DeadBytes bytes;     ///< of the frame
  };
  void clear_dead_registers(CallerRegisters& registers);
  const DeadState& dead_state(std::uint64_t return_address);
  DeadState find_dead_state(std::uint64_t return_address) const;
  /// The registers are the preserved ones, and the return address.
  std::uint64_t hash_of(std::span<const std::uint64_t> registers, std::uintptr_t stack_pointer,
                        std::uintptr_t stack_end);
  std::uint64_t hash_of_stack(std::uintptr_t top, std::uintptr_t end, std::uintptr_t frame,
                              std::uint64_t return_address);

  const Modules& modules_;
  DeadState known_[256];  ///< by the low bits of the address
  CallerRegisters* caller_registers_ = nullptr;
};

}  // namespace heddle::engine
