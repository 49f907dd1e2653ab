// A block is used without synchronisation with its allocation; the report tells the size of the block.
// heddle: finds race
// heddle-mentions: allocation of 4096 bytes
#include <atomic>
#include <thread>

struct Block {
  char bytes[4096];
};
static std::atomic<Block*> published;

int main() {
  std::thread maker([] { published.store(new Block, std::memory_order_relaxed); });
  std::thread user([] {
    if (Block* block = published.load(std::memory_order_relaxed)) block->bytes[100] = 1;
  });
  maker.join();
  user.join();
  delete published.load();
}
