// Threads share plain memory through writes that compilers do not announce (gcc expands memcpy and memset of constant
// size in place), through the stack of main, and through blocks that are freed. What a reader finds depends on what the
// writer has read. So a search that remembers what threads do must not take what they found in one execution for what
// they find in another. The argument is the value that must not arrive: 0, 1, 2 or 3 do, so each is a failed assertion.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <thread>

struct Message {
  int words[6];
};

std::atomic<int> first, second, ready;
Message shared;

[[gnu::noinline]] void copy(Message& to, const Message& from) { std::memcpy(&to, &from, sizeof to); }

int main(int, char** arguments) {
  const int forbidden = std::atoi(arguments[1]);
  Message on_stack{};
  int* block = static_cast<int*>(std::malloc(sizeof(int)));
  *block = 0;
  std::thread writer([&] {
    Message message{};
    message.words[4] = first.load(std::memory_order_relaxed) + 2 * second.load(std::memory_order_relaxed);
    copy(shared, message);
    copy(on_stack, message);
    *block = message.words[4];
    ready.store(1, std::memory_order_release);
  });
  std::thread changer([] {
    first.store(1, std::memory_order_relaxed);
    second.store(1, std::memory_order_relaxed);
  });
  std::thread reader([&] {
    if (ready.load(std::memory_order_acquire) == 0) return;
    assert(shared.words[4] == on_stack.words[4] && *block == shared.words[4]);
    assert(shared.words[4] != forbidden);
  });
  writer.join();
  changer.join();
  reader.join();
  std::free(block);
}
