#include "abi/start/preemption.hpp"

#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>

#include "abi/start/runtime.hpp"
#include "base/hash.hpp"
#include "engine/isolation/child_process.hpp"
#include "engine/isolation/real.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>

// What the handler makes the interrupted code call. The handler has left 128 bytes below the stack pointer alone, where
// code may keep values, and has pushed the address of the interrupted instruction. All registers are restored. The mask
// of xsave contains x87, SSE, AVX and AVX-512; their area has 2,688 bytes.
asm(R"(
.text
.balign 16
.globl heddle_preempted
.hidden heddle_preempted
.type heddle_preempted, @function
heddle_preempted:
  .cfi_startproc
  .cfi_signal_frame
  .cfi_def_cfa %rsp, 136
  .cfi_offset %rip, -136
  pushfq
  .cfi_adjust_cfa_offset 8
.irp name, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
  pushq %\name
  .cfi_adjust_cfa_offset 8
.endr
  .cfi_offset %rbx, -176
  .cfi_offset %rbp, -184
  .cfi_offset %r12, -240
  .cfi_offset %r13, -248
  .cfi_offset %r14, -256
  .cfi_offset %r15, -264
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  cld
  subq $2752, %rsp
  andq $-64, %rsp
  xorl %eax, %eax
.irp offset, 512, 520, 528, 536, 544, 552, 560, 568
  movq %rax, \offset(%rsp)
.endr
  movl $0xe7, %eax
  xorl %edx, %edx
  xsave64 (%rsp)
  call heddle_let_others_run
  movl $0xe7, %eax
  xorl %edx, %edx
  xrstor64 (%rsp)
  movq %rbp, %rsp
  .cfi_def_cfa_register %rsp
.irp name, r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax
  popq %\name
  .cfi_adjust_cfa_offset -8
.endr
  popfq
  .cfi_adjust_cfa_offset -8
  ret $128
  .cfi_endproc
.size heddle_preempted, .-heddle_preempted
)");

extern "C" void heddle_preempted();

namespace heddle::abi {

namespace {

// Linux looks at timers of processor time at its clock ticks, 100 to 1,000 times a second.
constexpr long interval = 5'000'000;  // nanoseconds
constexpr std::uintptr_t red_zone = 128;
// What follows of the stack beyond this is not compared.
constexpr std::uintptr_t most_compared_stack = std::uintptr_t{64} << 10;

struct Sample {
  std::uint64_t counter, state;
};
constexpr std::uint32_t most_samples = 32;
Sample samples[most_samples];
std::uint32_t sample_count = 0;
std::uint64_t samples_since = 0;  // a hash of the execution, the thread, and its events at the first sample
std::uint64_t preempted_at = 0;
char marker;  // its address tells signals of the timer from others

bool can_save_registers() {
  unsigned a, b, c = 0, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_OSXSAVE) != 0;
}

void start_timer() {
  sample_count = 0;
  timer_t timer{};
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGXCPU;
  event.sigev_value.sival_ptr = &marker;
  event._sigev_un._tid = static_cast<pid_t>(engine::real().syscall(SYS_gettid));
  if (::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return;
  itimerspec times{};
  times.it_interval.tv_nsec = times.it_value.tv_nsec = interval;
  ::timer_settime(timer, 0, &times, nullptr);
}

std::uint64_t hash_of_state(const ucontext_t& context, const engine::Range& stack) {
  const auto& registers = context.uc_mcontext.gregs;
  const auto pointer = static_cast<std::uintptr_t>(registers[REG_RSP]) - red_zone;
  const std::uintptr_t size = stack.end - pointer;
  const std::size_t compared = size < most_compared_stack ? size : most_compared_stack;
  return base::hash_words(base::hash_bytes(reinterpret_cast<const void*>(pointer), compared),
                          base::hash_bytes(registers, (REG_RIP + 1) * sizeof registers[0]));
}

/// True: a sample was in the same state. Otherwise the state is a sample now.
bool was_there_before(std::uint64_t since, const Sample& now) {
  if (since != samples_since) sample_count = 0;
  samples_since = since;
  for (std::uint32_t i = 0; i < sample_count && i < most_samples; ++i)
    if (samples[i].counter == now.counter && samples[i].state == now.state) return true;
  samples[sample_count++ % most_samples] = now;
  return false;
}

}  // namespace

void start_preemption() {
  if (!can_save_registers()) return;
  engine::set_after_fork(start_timer);
  start_timer();
}

bool is_preemption(const siginfo_t& info) { return info.si_code == SI_TIMER && info.si_value.sival_ptr == &marker; }

void preempt_if_waiting(void* data) {
  engine::Engine* engine = running();
  if (engine == nullptr || engine->in_critical_section()) return;
  auto& context = *static_cast<ucontext_t*>(data);
  auto& registers = context.uc_mcontext.gregs;
  const auto counter = static_cast<std::uint64_t>(registers[REG_RIP]);
  const engine::Module* module = engine->modules().find(counter);
  if (module == nullptr || module->role != engine::ModuleRole::program) return;
  const engine::Range stack = engine->current().fiber.stack();
  auto pointer = static_cast<std::uintptr_t>(registers[REG_RSP]);
  if (!stack.contains(pointer)) return;
  const std::uint64_t since =
      base::hash_words(engine->executions(), number(engine->current().id), engine->events_of_execution());
  if (!was_there_before(since, {counter, hash_of_state(context, stack)})) return;
  sample_count = 0;
  preempted_at = counter;
  pointer -= red_zone + sizeof counter;
  *reinterpret_cast<std::uint64_t*>(pointer) = counter;
  registers[REG_RSP] = static_cast<greg_t>(pointer);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&heddle_preempted);
}

extern "C" __attribute__((visibility("hidden"))) void heddle_let_others_run() {
  running()->let_others_run(preempted_at);
}

}  // namespace heddle::abi
#else
namespace heddle::abi {
void start_preemption() {}
bool is_preemption(const siginfo_t&) { return false; }
void preempt_if_waiting(void*) {}
}  // namespace heddle::abi
#endif
