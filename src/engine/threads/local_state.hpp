// The state that a thread has by itself when it calls heddle: the registers that calls preserve (all others are dead or
// on the stack by then), and its stack. The usual entry points have noted the registers; for the others the unwinder
// finds them as they were in the program's own frame.
//
// A register that the program overwrites before it reads it is dead (machine/register_use.hpp), and counts as zero. So
// two threads that differ only in what a variable held before have the same state.
#pragma once

#include <cstdint>
#include <span>

#include "engine/isolation/modules.hpp"
#include "engine/threads/caller_registers.hpp"
#include "engine/threads/program_thread.hpp"

namespace heddle::engine {

class LocalState {
 public:
  explicit LocalState(const Modules& modules) : modules_(modules) {}

  /// Where the entry points note the registers of their callers.
  void set_caller_registers(CallerRegisters& registers) { caller_registers_ = &registers; }
  /// The registers at the pending operation of the running thread. Returns false if its entry point has not noted them.
  /// To be called before hash(), which uses the note up.
  bool copy_noted_registers(const ProgramThread& self, CallerRegisters& to) {
    if (caller_registers_ == nullptr || caller_registers_->return_address - 1 != self.site) return false;
    clear_dead_registers(*caller_registers_);
    to = *caller_registers_;
    return true;
  }
  void forget_noted_registers() {
    if (caller_registers_ != nullptr) caller_registers_->return_address = 0;
  }
  /// A hash of the local state of the running thread, at its pending operation.
  std::uint64_t hash(const ProgramThread& self);
  /// Where the frames of the program begin on the stack of the running thread. 0: that is not known. This takes time.
  std::uintptr_t find_frames() const;

 private:
  struct UnwinderVisit;
  /// The registers that are dead where a call returns to: a bit for each of CallerRegisters::preserved.
  struct DeadRegisters {
    std::uint64_t return_address = 0;
    std::uint32_t bits = 0;
  };
  void clear_dead_registers(CallerRegisters& registers);
  std::uint32_t dead_registers(std::uint64_t return_address) const;

  const Modules& modules_;
  DeadRegisters known_[256];  ///< by the low bits of the address
  CallerRegisters* caller_registers_ = nullptr;
};

}  // namespace heddle::engine
