// Much memory is filled between two visible operations: that takes longer than --timeout, but the thread is not stuck.
// heddle: clean
// heddle-runs: 1
// heddle-options: --timeout 0.2
#include <cassert>
#include <cstddef>
#include <thread>

static constexpr std::size_t words = (std::size_t{96} << 20) / sizeof(unsigned long);

static void fill(unsigned long* memory) {
  for (std::size_t i = 0; i < words; ++i) memory[i] = i;
}

int main() {
  auto* memory = new unsigned long[words];
  std::thread other(fill, memory);
  other.join();
  assert(memory[words - 1] == words - 1);
  delete[] memory;
}
