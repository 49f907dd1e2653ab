// Atomics of 1, 2, 4 and 8 bytes, bool, pointers, enumerations, floating point and small structs.
// heddle: clean
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

enum class Colour : std::uint16_t { red, green };
struct alignas(8) Pair {
  std::int32_t a, b;
  bool operator==(const Pair&) const = default;
};

static std::atomic<std::uint8_t> byte{250};
static std::atomic<std::int16_t> half{-1};
static std::atomic<std::uint32_t> word{0};
static std::atomic<std::int64_t> twice{1LL << 40};
static std::atomic<bool> flag{false};
static std::atomic<Colour> colour{Colour::red};
static std::atomic<double> real{0.0};
static std::atomic<Pair> pair{Pair{0, 0}};
static int array[4];
static std::atomic<int*> pointer{array};

static void work() {
  byte.fetch_add(3);  // wraps round
  half.fetch_add(2);
  word.fetch_sub(1);
  twice.fetch_add(1);
  flag.exchange(true);
  colour.store(Colour::green);
  real.fetch_add(0.25);
  pointer.fetch_add(1);
  Pair seen = pair.load();
  while (!pair.compare_exchange_weak(seen, Pair{seen.a + 1, seen.b - 1})) {
  }
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(byte == 0 && half == 3 && word == UINT32_MAX - 1 && twice == (1LL << 40) + 2);
  assert(flag && colour.load() == Colour::green && real == 0.5 && pointer == array + 2);
  assert((pair.load() == Pair{2, -2}));
}
