// One thread allocates and fills, another reads and frees: the release store hands over the whole object.
// heddle: clean
// heddle-options: --leaks
#include <atomic>
#include <cassert>
#include <string>
#include <thread>

static std::atomic<std::string*> letter{nullptr};

int main() {
  std::thread sender(
      [] { letter.store(new std::string("dear reader, this is more than fits inline"), std::memory_order_release); });
  std::thread receiver([] {
    std::string* got;
    while ((got = letter.exchange(nullptr, std::memory_order_acquire)) == nullptr) std::this_thread::yield();
    assert(got->substr(0, 4) == "dear");
    delete got;
  });
  sender.join();
  receiver.join();
}
