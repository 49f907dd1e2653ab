// The entry points of atomic operations that read, of volatile reads, and of functions that lock a mutex. Each saves
// the caller's preserved registers and arguments (engine/threads/caller_registers.hpp) and jumps to heddle_tsan_NAME in
// tsan_atomics.cpp or tsan_accesses.cpp, or to heddle_NAME in pthread_locks.cpp or c11_threads.cpp, with unchanged
// arguments and return address.
#include "abi/start/runtime.hpp"

#if defined(__x86_64__)
asm(R"(
.macro heddle_thunk entry, target
  .globl \entry
  .type \entry, @function
\entry:
.Lentry_\entry:
  .cfi_startproc
  endbr64
  movq %rbx, heddle_caller_registers(%rip)
  movq %rbp, heddle_caller_registers+8(%rip)
  movq %r12, heddle_caller_registers+16(%rip)
  movq %r13, heddle_caller_registers+24(%rip)
  movq %r14, heddle_caller_registers+32(%rip)
  movq %r15, heddle_caller_registers+40(%rip)
  leaq 8(%rsp), %rax
  movq %rax, heddle_caller_registers+48(%rip)
  movq (%rsp), %rax
  movq %rax, heddle_caller_registers+56(%rip)
  movq %rdi, heddle_caller_registers+64(%rip)
  movq %rsi, heddle_caller_registers+72(%rip)
  movq %rdx, heddle_caller_registers+80(%rip)
  movq %rcx, heddle_caller_registers+88(%rip)
  movq %r8, heddle_caller_registers+96(%rip)
  leaq .Lentry_\entry(%rip), %rax
  movq %rax, heddle_caller_registers+104(%rip)
  jmp \target
  .cfi_endproc
  .size \entry, .-\entry
.endm
)");
#elif defined(__aarch64__)
asm(R"(
.macro heddle_thunk entry, target
  .globl \entry
  .type \entry, %function
\entry:
  .cfi_startproc
  hint #34
  adrp x16, heddle_caller_registers
  add x16, x16, :lo12:heddle_caller_registers
  stp x19, x20, [x16]
  stp x21, x22, [x16, #16]
  stp x23, x24, [x16, #32]
  stp x25, x26, [x16, #48]
  stp x27, x28, [x16, #64]
  mov x17, sp
  stp x29, x17, [x16, #80]
  str x30, [x16, #96]
  b \target
  .cfi_endproc
  .size \entry, .-\entry
.endm
)");
#else
#error "no entry points for this processor"
#endif

asm(R"(
.macro heddle_atomic_thunk size, name
  heddle_thunk __tsan_atomic\size\()_\name, heddle_tsan_atomic\size\()_\name
.endm
.text
.balign 16
.irp size, 8, 16, 32, 64, 128
  heddle_atomic_thunk \size, load
  heddle_atomic_thunk \size, exchange
  heddle_atomic_thunk \size, fetch_add
  heddle_atomic_thunk \size, fetch_sub
  heddle_atomic_thunk \size, fetch_and
  heddle_atomic_thunk \size, fetch_or
  heddle_atomic_thunk \size, fetch_xor
  heddle_atomic_thunk \size, fetch_nand
  heddle_atomic_thunk \size, compare_exchange_strong
  heddle_atomic_thunk \size, compare_exchange_weak
  heddle_atomic_thunk \size, compare_exchange_val
.endr
.irp size, 1, 2, 4, 8, 16
  heddle_thunk __tsan_volatile_read\size, heddle_tsan_volatile_read\size
.endr
.irp name, pthread_mutex_lock, pthread_spin_lock, mtx_lock
  heddle_thunk \name, heddle_\name
.endr
)");

extern "C" heddle::engine::CallerRegisters heddle_caller_registers;
__attribute__((visibility("hidden"))) heddle::engine::CallerRegisters heddle_caller_registers;

namespace heddle::abi {
engine::CallerRegisters& caller_registers() { return heddle_caller_registers; }
}  // namespace heddle::abi
