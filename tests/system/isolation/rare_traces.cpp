// What an execution leaves behind outside its memory, and in the C++ library, is gone in the next one, also if hardly
// any execution leaves something behind: those in which both threads read old values print past the C library, open a
// file, and set another base of numbers. Those in which only the right one does show what they find.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <thread>

static std::atomic<int> x, y;

static void write_past_the_library(const char* text) {
  const std::size_t size = std::strlen(text);
#ifdef __x86_64__
  long result;
  asm volatile("syscall" : "=a"(result) : "0"(SYS_write), "D"(1), "S"(text), "d"(size) : "rcx", "r11", "memory");
#else
  syscall(SYS_write, 1, text, size);
#endif
}

int main() {
  const bool is_untouched = (std::cout.flags() & std::ios_base::hex) == 0;
  int left = 0, right = 0;
  std::thread first([&] {
    x.store(1, std::memory_order_relaxed);
    left = y.load(std::memory_order_relaxed);
  });
  std::thread second([&] {
    y.store(1, std::memory_order_relaxed);
    right = x.load(std::memory_order_relaxed);
  });
  first.join();
  second.join();
  if (left == 0 && right == 0) {
    write_past_the_library("nobody should see this\n");
    assert(open("/dev/null", O_RDONLY) >= 0);
    std::cout << std::hex;
  }
  if (left == 1 && right == 0) {
    std::printf("%s %d %d\n", is_untouched ? "decimal" : "hexadecimal", left, open("/dev/null", O_RDONLY) < 10);
    assert(!"shown");
  }
}
