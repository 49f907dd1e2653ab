// One file in memory that is mapped at two addresses. Heddle does not know that they are the same memory, and says so.
// heddle: clean
// heddle-mentions: warning: the program maps the same memory twice
#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <thread>

int main() {
  const int file = memfd_create("twice", 0);
  assert(file >= 0 && ftruncate(file, 4096) == 0);
  const auto map = [file] {
    void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert(memory != MAP_FAILED);
    return static_cast<int*>(memory);
  };
  int* first = map();
  const int* second = map();
  std::thread writer([first] { *first = 42; });
  writer.join();
  assert(*second == 42);
}
