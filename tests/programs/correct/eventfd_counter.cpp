// heddle: clean
// heddle-runs: 300
// heddle-levels: -O0 -O2
// Event counters: a read waits for a write, a semaphore counts down, and a write happens before the read that takes it.
#include <sys/eventfd.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdint>
#include <thread>

int main() {
  const int counter = eventfd(0, EFD_CLOEXEC), tokens = eventfd(2, EFD_SEMAPHORE);
  int data = 0;
  std::thread writer([&] {
    data = 42;
    const std::uint64_t three = 3;
    assert(write(counter, &three, sizeof three) == sizeof three);
    eventfd_write(tokens, 1);
  });
  std::uint64_t value = 0;
  assert(read(counter, &value, sizeof value) == sizeof value && value == 3);
  assert(data == 42);
  for (int i = 0; i < 3; ++i) assert(eventfd_read(tokens, &value) == 0 && value == 1);
  writer.join();

  const int busy = eventfd(0, EFD_NONBLOCK);
  assert(read(busy, &value, sizeof value) == -1 && errno == EAGAIN);
  // A full counter makes the writer wait for the reader.
  std::thread filler([&] {
    assert(eventfd_write(counter, ~std::uint64_t{0} - 1) == 0);
    assert(eventfd_write(counter, 1) == 0);
  });
  std::uint64_t sum = 0;
  for (int i = 0; i < 2; ++i) assert(eventfd_read(counter, &value) == 0), sum += value;
  assert(sum == ~std::uint64_t{0});
  filler.join();
}
