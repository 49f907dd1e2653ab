#include "engine/isolation/thread_pointer.hpp"

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

// The instruction takes under 20 ns, the system call of older kernels and processors about 100 ns. The first call finds
// out which there is: a static constructor would run in the program under test.
enum class Method : unsigned char { unknown, instruction, system_call };
constinit Method method = Method::unknown;

// Makes the system call itself: heddle interposes syscall(), and libc's writes errno, which the register locates.
long arch_prctl(long code, unsigned long argument) {
  long result;
  asm volatile("syscall" : "=a"(result) : "0"(SYS_arch_prctl), "D"(code), "S"(argument) : "rcx", "r11", "memory");
  return result;
}

void write_fs_base(std::uintptr_t value) { asm volatile("wrfsbase %0" : : "r"(value) : "memory"); }

[[gnu::noinline]] void set_thread_pointer_slowly(std::uintptr_t value) {
  if (method == Method::unknown) {
    const bool has_instruction = (::getauxval(AT_HWCAP2) & hwcap2_fsgsbase) != 0;
    method = has_instruction ? Method::instruction : Method::system_call;
  }
  if (method == Method::instruction)
    write_fs_base(value);
  else
    arch_prctl(ARCH_SET_FS, value);
}

}  // namespace

std::uintptr_t thread_pointer() {
  std::uintptr_t value;
  asm volatile("mov %%fs:0, %0" : "=r"(value));  // the thread control block starts with its own address
  return value;
}

void set_thread_pointer(std::uintptr_t value) {
  if (method == Method::instruction) [[likely]]
    write_fs_base(value);
  else
    set_thread_pointer_slowly(value);
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
