// A program that makes a system call for a futex. Its argument is the operation.
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char** argv) {
  static uint32_t first, second;
  return argc > 1 && syscall(SYS_futex, &first, atoi(argv[1]), 1, 1, &second, 0) >= 0 ? 0 : 1;
}
