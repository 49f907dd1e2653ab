// Takes memory from the kernel without end, past the heap that heddle knows.
#include <string.h>
#include <sys/mman.h>

int main(void) {
  for (;;) {
    const size_t size = 64 << 20;
    char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0;
    memset(memory, 1, size);
  }
}
