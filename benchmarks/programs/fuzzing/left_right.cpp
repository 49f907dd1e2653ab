// Left-right (Ramalhete and Correia). Readers never wait. The writer changes the instance that no reader uses, moves
// the readers to it, waits until the other one is free, and changes that. FIXED has the orders that this needs.
// heddle: finds race
// heddle-also: assert
#include <atomic>
#include <cassert>
#include <thread>

#ifdef FIXED
constexpr auto arrive_order = std::memory_order_seq_cst, depart_order = std::memory_order_release,
               look_order = std::memory_order_seq_cst, move_order = std::memory_order_seq_cst;
#else
constexpr auto arrive_order = std::memory_order_relaxed, depart_order = std::memory_order_relaxed,
               look_order = std::memory_order_relaxed, move_order = std::memory_order_relaxed;
#endif

static std::atomic<int> readers_side{0}, version{0};
static std::atomic<int> arrived[2];
static int instances[2][2];

static void read() {
  const int v = version.load(look_order);
  arrived[v].fetch_add(1, arrive_order);
  const int side = readers_side.load(look_order);
  assert(instances[side][0] == instances[side][1]);
  arrived[v].fetch_sub(1, depart_order);
}

static void wait_for(int v) {
  while (arrived[v].load(look_order) != 0) std::this_thread::yield();
}

static void write(int value) {
  const int side = readers_side.load(std::memory_order_relaxed);
  for (int& part : instances[1 - side]) part = value;
  readers_side.store(1 - side, move_order);
  const int v = version.load(std::memory_order_relaxed);
  wait_for(1 - v);
  version.store(1 - v, move_order);
  wait_for(v);
  for (int& part : instances[side]) part = value;
}

int main() {
  std::thread writer([] {
    for (int value = 1; value <= 2; ++value) write(value);
  });
  std::thread readers[2];
  for (std::thread& reader : readers)
    reader = std::thread([] {
      read();
      read();
    });
  writer.join();
  for (std::thread& reader : readers) reader.join();
}
