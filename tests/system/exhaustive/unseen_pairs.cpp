// A thread writes what it has read to memory that another thread looks at, or does not look at. Each of the four
// combinations occurs. A search that remembers what threads do learns some of them only by putting together what it has
// seen of the two threads apart. So it must notice writes even in executions in which no thread looks at them.
//
// usage: unseen_pairs WHERE WHO HOW VALUE LOOK
// WHERE: the memory is a global variable (0), on the stack of main (1), or on the heap (2).
// WHO looks: main (0), or a thread (1).
// HOW it is written: with announcements (0), by memcpy, which compilers may expand without announcing it (1), or by
// code without instrumentation (2).
// If VALUE is written and the thread looks because it has read LOOK, an assertion fails.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <thread>

struct Message {
  int words[6];
};

std::atomic<int> first, second, done;
Message global;

[[gnu::noinline]] void announce(Message& to, const Message& from) {
  for (int i = 0; i < 6; ++i) to.words[i] = from.words[i];
}
[[gnu::noinline]] void copy(Message& to, const Message& from) { std::memcpy(&to, &from, sizeof to); }
__attribute__((noinline, no_sanitize("thread"))) void hide(Message& to, const Message& from) {
  for (int i = 0; i < 6; ++i) to.words[i] = from.words[i];
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const auto argument = [&](int i) { return std::atoi(argv[i]); };
  const int where = argument(1), who = argument(2), how = argument(3), value = argument(4), looked = argument(5);
  Message local{};
  Message* block = static_cast<Message*>(std::calloc(1, sizeof(Message)));
  Message* const memory = where == 0 ? &global : where == 1 ? &local : block;
  std::thread changer([] {
    first.store(1, std::memory_order_relaxed);
    second.store(1, std::memory_order_relaxed);
  });
  std::thread writer([&] {
    Message message{};
    message.words[4] = first.load(std::memory_order_relaxed);
    how == 0 ? announce(*memory, message) : how == 1 ? copy(*memory, message) : hide(*memory, message);
    done.store(1, std::memory_order_release);
  });
  const auto look = [&] {
    while (done.load(std::memory_order_acquire) == 0) {
    }
    if (second.load(std::memory_order_relaxed) == looked) assert(memory->words[4] != value);
  };
  if (who == 0) {
    writer.join();
    look();
  } else {
    std::thread reader(look);
    reader.join();
    writer.join();
  }
  changer.join();
  std::free(block);
}
