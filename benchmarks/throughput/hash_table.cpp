// Two threads count words in a hash table under one lock: a few dozen plain accesses for each lock.
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

constexpr std::uint32_t slots = 1024;
constexpr std::uint32_t words = 2000;

struct Entry {
  std::uint64_t key;
  std::uint32_t count;
  std::uint32_t last;
};

Entry table[slots];
std::mutex mutex;

void count(std::uint64_t key, std::uint32_t who) {
  std::lock_guard lock(mutex);
  std::uint32_t at = static_cast<std::uint32_t>(key * 0x9e3779b97f4a7c15ULL >> 54);
  while (table[at].count != 0 && table[at].key != key) at = (at + 1) % slots;
  table[at].key = key;
  ++table[at].count;
  table[at].last = who;
}

void work(std::uint32_t who) {
  std::uint64_t state = who;
  for (std::uint32_t i = 0; i < words; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    count(state >> 55, who);
  }
}

}  // namespace

int main() {
  for (Entry& entry : table) entry = {};
  std::thread other(work, 2);
  work(1);
  other.join();
}
