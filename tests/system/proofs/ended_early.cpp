// The search runs the reader first, which ends the program because it does not see what the writer stores. The second
// finding is in the execution in which it does see that.
#include <atomic>
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "heddle/verifier.h"

static std::atomic<int> stored;
static std::string way;

[[gnu::noinline]] static void overflow(const char* outer) {
  char frame[4096];
  __asm__("" : : "r"(outer), "r"(frame) : "memory");
  overflow(frame);
  __asm__("" : : "r"(outer), "r"(frame) : "memory");
}

static void end_program() {
  if (way == "assert") assert(false && "first");
  if (way == "abort") std::abort();
  if (way == "throw") throw std::runtime_error("first");
  if (way == "exit") std::exit(3);
  if (way == "signal") std::raise(SIGTERM);
  if (way == "verifier") __VERIFIER_assert(false);
  if (way == "crash") *reinterpret_cast<volatile int*>(8) = 1;
  if (way == "overflow") overflow("");
  if (way == "free") {
    void* const volatile block = std::malloc(8);
    std::free(block);
    std::free(block);
  }
}

int main(int, char** arguments) {
  way = arguments[1];
  std::thread reader([] {
    if (stored.load(std::memory_order_relaxed) == 0) end_program();
    assert(stored.load(std::memory_order_relaxed) == 0 && "second");
  });
  std::thread writer([] { stored.store(1, std::memory_order_relaxed); });
  reader.join();
  writer.join();
}
