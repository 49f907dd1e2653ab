// The annotations order the two writes, since the value of the flag shows that the acquire comes after the release.
#include <atomic>
#include <thread>

extern "C" void AnnotateHappensBefore(const char*, int, const volatile void*);
extern "C" void AnnotateHappensAfter(const char*, int, const volatile void*);

static std::atomic<int> flag;
static int data;

int main() {
  std::thread writer([] {
    data = 1;
    AnnotateHappensBefore(__FILE__, __LINE__, &data);
    flag.store(1, std::memory_order_relaxed);
  });
  if (flag.load(std::memory_order_relaxed) == 1) {
    AnnotateHappensAfter(__FILE__, __LINE__, &data);
    data = 2;
  }
  writer.join();
}
