#include "engine/isolation/context.hpp"

#include <cstdint>

#if !defined(__x86_64__)
#include <boost/context/detail/fcontext.hpp>
#endif

namespace heddle::engine {

extern "C" {
__attribute__((visibility("hidden"))) bool heddle_saves_float_modes = false;
}

#if defined(__x86_64__)

// Our own, because Boost.Context stores MXCSR at every jump, and that instruction keeps a processor waiting for four
// nanoseconds. Storing the control word of the x87 is cheap; loading it is not, and nearly always it is the same.
//
// A context is a stack pointer. From there upwards: MXCSR, the x87's control word, the registers, where to continue.
asm(R"(
.text
.balign 16
.globl heddle_jump
.hidden heddle_jump
.type heddle_jump, @function
heddle_jump:
  .cfi_startproc
.irp register, rbp, rbx, r15, r14, r13, r12
  pushq %\register
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset \register, 0
.endr
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  fnstcw 4(%rsp)
  movq %rsp, %rax
  cmpb $0, heddle_saves_float_modes(%rip)
  jne 3f
1:
  movzwl 4(%rsp), %ecx
  movq %rdi, %rsp
  cmpw 4(%rsp), %cx
  jne 4f
2:
  .cfi_remember_state
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
.irp register, r12, r13, r14, r15, rbx, rbp
  popq %\register
  .cfi_adjust_cfa_offset -8
  .cfi_restore \register
.endr
  movq %rsi, %rdx
  movq %rax, %rdi
  popq %r8
  jmp *%r8
3:
  .cfi_restore_state
  stmxcsr (%rsp)
  ldmxcsr (%rdi)
  jmp 1b
4:
  fldcw 4(%rsp)
  jmp 2b
  .cfi_endproc
.size heddle_jump, .-heddle_jump
)");

namespace {
struct Frame {
  std::uint32_t mxcsr;
  std::uint16_t x87_control;
  std::uint16_t unused;
  std::uint64_t registers[6];
  void (*entry)(Arrival);
  std::uint64_t return_address;  ///< of the entry; also keeps its stack aligned
};
static_assert(sizeof(Frame) == 72);
}  // namespace

void* make_context(std::byte* top, std::size_t size, void (*entry)(Arrival)) {
  (void)size;
  // At a function's first instruction the return address lies 8 bytes above a multiple of 16.
  auto* frame = reinterpret_cast<Frame*>(top - sizeof(Frame));
  if (heddle_saves_float_modes) asm("stmxcsr %0" : "=m"(frame->mxcsr));
  asm("fnstcw %0" : "=m"(frame->x87_control));
  for (std::uint64_t& each : frame->registers) each = 0;
  frame->entry = entry;
  frame->return_address = 0;
  return frame;
}

#else

Arrival heddle_jump(void* to, void* data) {
  const auto transfer = boost::context::detail::jump_fcontext(to, data);
  return {transfer.fctx, transfer.data};
}

void* make_context(std::byte* top, std::size_t size, void (*entry)(Arrival)) {
  // Two pointers are passed alike, whatever their struct is called.
  return boost::context::detail::make_fcontext(top, size,
                                               reinterpret_cast<void (*)(boost::context::detail::transfer_t)>(entry));
}

#endif

}  // namespace heddle::engine
