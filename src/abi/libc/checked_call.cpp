#include "abi/libc/checked_call.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "abi/instrumentation/plain_access.hpp"
#include "abi/libc/handler_safety.hpp"
#include "abi/start/runtime.hpp"

namespace heddle::abi {

void announce(const Call& call, const void* at, std::size_t size, bool is_write) {
  if (at != nullptr && size != 0) access(at, size, is_write, call.site);
}

namespace {

[[gnu::cold, gnu::noinline]] void* find(const char* name) {
  const int error = errno;
  void* function = ::dlsym(RTLD_NEXT, name);
  errno = error;
  if (function != nullptr) return function;
  std::fprintf(stderr, "heddle: the C library of this system has no function %s, which the program calls\n", name);
  std::abort();
}

bool has_succeeded(const Call& call) {
  const auto number = static_cast<std::int32_t>(call.result);
  switch (call.row->success) {
    case Success::always: return true;
    case Success::zero: return number == 0;
    case Success::number: return number >= 0;
    case Success::positive: return number > 0;
    case Success::count: return static_cast<std::int64_t>(call.result) >= 0;
    case Success::pointer: return call.result != 0;
  }
  return false;
}

/// The arguments that a format describes: those of the va_list, or those of the call from `first` on.
void begin_list(Call& call, const CheckedCall& row) {
  const std::uint8_t first = row.list_argument;
  if (row.list_name == nullptr)
    call.list = *call.pointer<const ArgumentList>(first);
  else
    call.list = {first * 8U, sizeof call.integers, call.stack, call.integers};
}

void announce_before(Call& call, const CheckedCall& row) {
  for (const Effect& effect : row.effects)
    if (effect.time == Effect::Time::before || effect.time == Effect::Time::before_any_caller) effect.announce(call);
}
[[gnu::cold, gnu::noinline]] void announce_for_any_caller(Call& call, const CheckedCall& row) {
  if (running() == nullptr) return;
  const int error = errno;
  for (const Effect& effect : row.effects)
    if (effect.time == Effect::Time::before_any_caller) effect.announce(call);
  errno = error;
}
void announce_after(Call& call, const CheckedCall& row) {
  const bool success = has_succeeded(call);
  for (const Effect& effect : row.effects)
    if (effect.time == Effect::Time::after || (success && effect.time == Effect::Time::after_success))
      effect.announce(call);
}

/// Calls the function with a va_list. The entry point could not pass arguments on the stack on, whose number it does
/// not know.
void call_with_list(Call& call, CheckedCall& row) {
  if (row.real_with_list == nullptr) row.real_with_list = find(row.list_name);
  std::va_list list;
  call.copy_list(list);
  std::uint64_t arguments[6];
  for (std::size_t i = 0; i < 6; ++i) arguments[i] = call.integers[i];
  arguments[row.list_argument] = reinterpret_cast<std::uint64_t>(&list);
  using Function =
      std::uint64_t (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);
  call.result = reinterpret_cast<Function>(row.real_with_list)(arguments[0], arguments[1], arguments[2], arguments[3],
                                                               arguments[4], arguments[5]);
}

}  // namespace

/// What the entry point does next.
struct NextStep {
  void* function;            ///< to call; null: the result is there
  std::uint64_t comes_back;  ///< false: the function returns to the caller
};

extern "C" {

__attribute__((used)) NextStep heddle_before_call(Call& call) {
  CheckedCall& row = *call.row;
  if (row.real == nullptr) row.real = find(row.name);
  engine::Engine* engine = running_for_instrumented(call.site);
  if (engine == nullptr) {
    if (row.concerns_any_caller()) announce_for_any_caller(call, row);
    return {row.real, 0};
  }
  check_in_handler(*engine, row.name, call.site);
  if (row.list_argument != CheckedCall::no_list) begin_list(call, row);
  const int error = errno;
  announce_before(call, row);
  errno = error;
  if (!row.works_after()) return {row.real, 0};
  if (row.list_name == nullptr) return {row.real, 1};
  call_with_list(call, row);
  return {nullptr, 1};
}

__attribute__((used)) void heddle_after_call(Call& call) {
  // The function may have called the program, which may have ended the execution's control of this thread.
  if (running() == nullptr) return;
  const int error = errno;
  announce_after(call, *call.row);
  errno = error;
}

#if defined(__x86_64__)
// %r11 is the row. The frame is a Call. Eight words of arguments on the stack are passed on: no function that comes
// back has more.
asm(R"(
.text
.balign 16
.type heddle_checked_call, @function
.hidden heddle_checked_call
.globl heddle_checked_call
heddle_checked_call:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $304, %rsp
  movq %rdi, (%rsp)
  movq %rsi, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rcx, 24(%rsp)
  movq %r8, 32(%rsp)
  movq %r9, 40(%rsp)
.irp number, 0, 1, 2, 3, 4, 5, 6, 7
  movaps %xmm\number, 48+16*\number(%rsp)
.endr
  movq %rax, 176(%rsp)
  movq %r11, 184(%rsp)
  leaq 16(%rbp), %rax
  movq %rax, 192(%rsp)
  movq 8(%rbp), %rax
  decq %rax
  movq %rax, 200(%rsp)
  movq %rsp, %rdi
  call heddle_before_call
  movq %rax, %r11
  testq %rax, %rax
  je 2f
  movq %rdx, %r10
  movq (%rsp), %rdi
  movq 8(%rsp), %rsi
  movq 16(%rsp), %rdx
  movq 24(%rsp), %rcx
  movq 32(%rsp), %r8
  movq 40(%rsp), %r9
.irp number, 0, 1, 2, 3, 4, 5, 6, 7
  movaps 48+16*\number(%rsp), %xmm\number
.endr
  movq 176(%rsp), %rax
  testq %r10, %r10
  jne 1f
  .cfi_remember_state
  leave
  .cfi_def_cfa %rsp, 8
  jmp *%r11
  .cfi_restore_state
1:
  subq $64, %rsp
.irp number, 0, 1, 2, 3, 4, 5, 6, 7
  movq 16+8*\number(%rbp), %r10
  movq %r10, 8*\number(%rsp)
.endr
  call *%r11
  addq $64, %rsp
  movq %rax, 176(%rsp)
2:
  movq %rdx, 256(%rsp)
  movaps %xmm0, 272(%rsp)
  movaps %xmm1, 288(%rsp)
  movq %rsp, %rdi
  call heddle_after_call
  movq 176(%rsp), %rax
  movq 256(%rsp), %rdx
  movaps 272(%rsp), %xmm0
  movaps 288(%rsp), %xmm1
  leave
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
.size heddle_checked_call, .-heddle_checked_call
)");
#endif
}

static_assert(offsetof(Call, floats) == 48 && offsetof(Call, result) == 176 && offsetof(Call, row) == 184 &&
              offsetof(Call, stack) == 192 && offsetof(Call, site) == 200 && offsetof(Call, saved) == 256 &&
              sizeof(Call) == 304);

}  // namespace heddle::abi
