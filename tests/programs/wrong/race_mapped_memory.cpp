// Threads that write to memory which one of them has mapped. The report names the mapping, not an address.
// heddle: finds race
// heddle-mentions: data race on mapped memory of 8192 bytes, at offset 4104
// heddle-mentions: that were mapped by thread T0.1
#include <sys/mman.h>

#include <atomic>
#include <cassert>
#include <thread>

struct Page {
  std::atomic<int> flag;
  char unused[4092];
  long counter[2];
};

static std::atomic<Page*> page;

static Page* map_page() {
  void* memory = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(memory != MAP_FAILED);
  return static_cast<Page*>(memory);
}

int main() {
  std::thread mapper([] {
    Page* mine = map_page();
    assert(mine->flag.load() == 0 && "the memory of an earlier execution is gone");
    page.store(mine);
    while (mine->flag.load(std::memory_order_relaxed) == 0) {
    }
    mine->counter[1] = 1;
  });
  std::thread user([] {
    Page* shared = nullptr;
    while ((shared = page.load()) == nullptr) {
    }
    shared->counter[1] = 2;
    shared->flag.store(1, std::memory_order_relaxed);
  });
  mapper.join();
  user.join();
}
