// The entry points of atomic operations that read, and of volatile reads. Each saves the caller's preserved registers
// and arguments (engine/caller_registers.hpp) and jumps to heddle_tsan_NAME in tsan_atomics.cpp or tsan_accesses.cpp,
// with unchanged arguments and return address.
#include "abi/runtime.hpp"

#if defined(__x86_64__)
asm(R"(
.macro heddle_thunk name
  .globl __tsan_\name
  .type __tsan_\name, @function
__tsan_\name:
.Lentry_\name:
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
  leaq .Lentry_\name(%rip), %rax
  movq %rax, heddle_caller_registers+104(%rip)
  jmp heddle_tsan_\name
  .cfi_endproc
  .size __tsan_\name, .-__tsan_\name
.endm
)");
#elif defined(__aarch64__)
asm(R"(
.macro heddle_thunk name
  .globl __tsan_\name
  .type __tsan_\name, %function
__tsan_\name:
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
  b heddle_tsan_\name
  .cfi_endproc
  .size __tsan_\name, .-__tsan_\name
.endm
)");
#else
#error "no entry points for this processor"
#endif

asm(R"(
.text
.balign 16
.irp size, 8, 16, 32, 64, 128
  heddle_thunk atomic\size\()_load
  heddle_thunk atomic\size\()_exchange
  heddle_thunk atomic\size\()_fetch_add
  heddle_thunk atomic\size\()_fetch_sub
  heddle_thunk atomic\size\()_fetch_and
  heddle_thunk atomic\size\()_fetch_or
  heddle_thunk atomic\size\()_fetch_xor
  heddle_thunk atomic\size\()_fetch_nand
  heddle_thunk atomic\size\()_compare_exchange_strong
  heddle_thunk atomic\size\()_compare_exchange_weak
  heddle_thunk atomic\size\()_compare_exchange_val
.endr
.irp size, 1, 2, 4, 8, 16
  heddle_thunk volatile_read\size
.endr
)");

extern "C" heddle::engine::CallerRegisters heddle_caller_registers;
__attribute__((visibility("hidden"))) heddle::engine::CallerRegisters heddle_caller_registers;

namespace heddle::abi {
engine::CallerRegisters& caller_registers() { return heddle_caller_registers; }
}  // namespace heddle::abi
