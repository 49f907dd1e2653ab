// Ends its process with a system call that heddle does not see.
int main(void) {
#if defined(__x86_64__)
  __asm__ volatile("syscall" : : "a"(231L), "D"(0L) : "rcx", "r11", "memory");
#else
  register long number __asm__("x8") = 94;
  register long status __asm__("x0") = 0;
  __asm__ volatile("svc 0" : : "r"(number), "r"(status) : "memory");
#endif
  return 1;
}
