#include "engine/thread_pointer.hpp"

#if defined(__x86_64__)
#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif !defined(__aarch64__)
#error "heddle needs to know how this processor keeps its thread pointer"
#endif

namespace heddle::engine {

#if defined(__x86_64__)

namespace {

constexpr unsigned long hwcap2_fsgsbase = 1UL << 1;

// Under 20 ns with the instruction, some 100 ns with the system call of older kernels and processors.
const bool has_fsgsbase = (::getauxval(AT_HWCAP2) & hwcap2_fsgsbase) != 0;

// Not through libc's syscall(): that one is ours, and it writes errno, which lives behind the register.
long arch_prctl(long code, unsigned long argument) {
  long result;
  asm volatile("syscall" : "=a"(result) : "0"(SYS_arch_prctl), "D"(code), "S"(argument) : "rcx", "r11", "memory");
  return result;
}

}  // namespace

std::uintptr_t thread_pointer() {
  std::uintptr_t value;
  asm volatile("mov %%fs:0, %0" : "=r"(value));  // the thread control block starts with its own address
  return value;
}

void set_thread_pointer(std::uintptr_t value) {
  if (has_fsgsbase)
    asm volatile("wrfsbase %0" : : "r"(value) : "memory");
  else
    arch_prctl(ARCH_SET_FS, value);
}

#else

std::uintptr_t thread_pointer() {
  std::uintptr_t value;
  asm volatile("mrs %0, tpidr_el0" : "=r"(value));
  return value;
}

void set_thread_pointer(std::uintptr_t value) { asm volatile("msr tpidr_el0, %0" : : "r"(value) : "memory"); }

#endif

}  // namespace heddle::engine
