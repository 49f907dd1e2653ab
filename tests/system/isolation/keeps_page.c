// A library that heddle does not see. It maps a page by a system call of its own, so heddle does not unmap the page
// after the execution, and the library waits for a lock that the execution before has left there.
#include <sched.h>
#include <stdint.h>

static long map_page(void* address) {
  long result;
  register long flags __asm__("r10") = 0x100022;  // MAP_FIXED_NOREPLACE | MAP_ANONYMOUS | MAP_PRIVATE
  register long descriptor __asm__("r8") = -1;
  register long offset __asm__("r9") = 0;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(9L), "D"(address), "S"(4096L), "d"(3L), "r"(flags), "r"(descriptor), "r"(offset)
                   : "rcx", "r11", "memory");
  return result;
}

void enter_library(void) {
  volatile int* const lock = (volatile int*)(uintptr_t)0x123450000000;
  map_page((void*)lock);  // fails if the page is there
  while (*lock != 0) sched_yield();
  *lock = 1;
}
