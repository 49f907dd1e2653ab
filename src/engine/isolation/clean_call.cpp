#include "engine/isolation/clean_call.hpp"

// The unwinder passes these frames when it searches for a handler of an exception, hence the CFI directives.
#if defined(__x86_64__)
asm(R"(
.text
.balign 16
.globl heddle_clean_call
.hidden heddle_clean_call
.type heddle_clean_call, @function
heddle_clean_call:
  .cfi_startproc
.irp register, rbx, rbp, r12, r13, r14, r15
  pushq %\register
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset \register, 0
.endr
  leaq 56(%rsp), %r8
  andq $-1024, %rsp
  subq $16, %rsp
  movq %r8, (%rsp)
  # The canonical frame address is the word at the stack pointer: DW_CFA_def_cfa_expression { DW_OP_breg7 0; DW_OP_deref }
  .cfi_remember_state
  .cfi_escape 0x0f, 3, 0x77, 0, 0x06
  movq %rdi, %rax
  movq %rsi, %rdi
  movq %rdx, %rsi
  movq %rcx, %rdx
  xorl %ebx, %ebx
  xorl %ebp, %ebp
  xorl %r12d, %r12d
  xorl %r13d, %r13d
  xorl %r14d, %r14d
  xorl %r15d, %r15d
  call *%rax
  movq (%rsp), %rsp
  subq $56, %rsp
  .cfi_restore_state
.irp register, r15, r14, r13, r12, rbp, rbx
  popq %\register
  .cfi_adjust_cfa_offset -8
  .cfi_restore \register
.endr
  ret
  .cfi_endproc
.size heddle_clean_call, .-heddle_clean_call
)");
#elif defined(__aarch64__)
asm(R"(
.text
.balign 16
.globl heddle_clean_call
.hidden heddle_clean_call
.type heddle_clean_call, %function
heddle_clean_call:
  .cfi_startproc
  stp x29, x30, [sp, #-96]!
  .cfi_adjust_cfa_offset 96
  .cfi_rel_offset x29, 0
  .cfi_rel_offset x30, 8
  stp x19, x20, [sp, #16]
  .cfi_rel_offset x19, 16
  .cfi_rel_offset x20, 24
  stp x21, x22, [sp, #32]
  .cfi_rel_offset x21, 32
  .cfi_rel_offset x22, 40
  stp x23, x24, [sp, #48]
  .cfi_rel_offset x23, 48
  .cfi_rel_offset x24, 56
  stp x25, x26, [sp, #64]
  .cfi_rel_offset x25, 64
  .cfi_rel_offset x26, 72
  stp x27, x28, [sp, #80]
  .cfi_rel_offset x27, 80
  .cfi_rel_offset x28, 88
  mov x9, x0
  mov x0, x1
  mov x1, x2
  mov x2, x3
.irp register, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28, x29
  mov \register, xzr
.endr
  blr x9
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp x29, x30, [sp], #96
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
.size heddle_clean_call, .-heddle_clean_call
)");
#else
#error "no clean call for this processor"
#endif
