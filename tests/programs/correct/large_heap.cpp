// A gigabyte of heap of which little is touched, by two threads in turn, and blocks that come and go.
// heddle: clean
// heddle-runs: 2
#include <cassert>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>

static constexpr std::size_t gigabyte = std::size_t{1} << 30;
static constexpr std::size_t step = 256 * 1024;

static std::mutex mutex;

static void add_one(unsigned char* memory) {
  for (std::size_t at = 0; at < gigabyte; at += step) {
    if (at % (64 * step) == 0) {
      const std::lock_guard lock(mutex);
      ++memory[1];
    }
    if (at % (512 * step) == 0) {
      const std::unique_ptr<char[]> block(new char[4 << 20]);
      block[at % 4096] = 1;
    }
  }
  const std::lock_guard lock(mutex);
  for (std::size_t at = 0; at < gigabyte; at += step) ++memory[at];
}

int main() {
  auto* memory = new unsigned char[gigabyte];
  for (std::size_t at = 0; at < gigabyte; at += step) memory[at] = 0;
  memory[1] = 0;
  std::thread other(add_one, memory);
  add_one(memory);
  other.join();
  for (std::size_t at = 0; at < gigabyte; at += step) assert(memory[at] == 2);
  assert(memory[1] == 2 * (gigabyte / step / 64));
  delete[] memory;
}
