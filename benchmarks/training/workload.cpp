// What scripts/release runs to learn which ways executions take through the runtime: small programs of the kinds that
// people test, under every strategy and model.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "heddle/heddle.hpp"

namespace {

std::atomic<int> x, y, ready;
int data, seen[2];

void store_buffering() {
  std::thread left([] {
    x.store(1, std::memory_order_relaxed);
    seen[0] = y.load(std::memory_order_relaxed);
  });
  std::thread right([] {
    y.store(1, std::memory_order_relaxed);
    seen[1] = x.load(std::memory_order_relaxed);
  });
  left.join();
  right.join();
}

void message_passing() {
  std::thread sender([] {
    data = 42;
    ready.store(1, std::memory_order_release);
  });
  std::thread receiver([] {
    if (ready.load(std::memory_order_acquire) == 1) seen[0] = data;
  });
  sender.join();
  receiver.join();
}

void fences() {
  const auto one = [](std::atomic<int>& mine, std::atomic<int>& other, int& result) {
    mine.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    result = other.load(std::memory_order_relaxed);
  };
  std::thread left([&] { one(x, y, seen[0]); });
  std::thread right([&] { one(y, x, seen[1]); });
  left.join();
  right.join();
}

void sequential_consistency() {
  std::thread writer([] {
    x.store(1);
    y.store(1);
  });
  std::thread reader([] { seen[0] = y.load() + x.load(); });
  writer.join();
  reader.join();
}

void counting() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([] {
      for (int j = 0; j < 3; ++j) x.fetch_add(1, std::memory_order_relaxed);
      int old = y.load(std::memory_order_relaxed);
      while (!y.compare_exchange_weak(old, old + 1, std::memory_order_acq_rel)) {
      }
    });
  for (std::thread& thread : threads) thread.join();
}

struct Node {
  int value;
  Node* next;
};
std::atomic<Node*> top;

void stack() {
  const auto push_and_pop = [](int value) {
    auto* node = new Node{value, top.load(std::memory_order_relaxed)};
    while (!top.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
    }
    Node* taken = top.exchange(nullptr, std::memory_order_acquire);
    while (taken != nullptr) {
      Node* next = taken->next;
      delete taken;
      taken = next;
    }
  };
  std::thread one(push_and_pop, 1), other(push_and_pop, 2);
  one.join();
  other.join();
}

void spinlock() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([] {
      while (ready.exchange(1, std::memory_order_acquire) != 0)
        while (ready.load(std::memory_order_relaxed) != 0) {
        }
      ++data;
      ready.store(0, std::memory_order_release);
    });
  for (std::thread& thread : threads) thread.join();
}

void locks() {
  std::mutex mutex;
  std::condition_variable changed;
  bool full = false;
  std::vector<int> received;
  std::thread producer([&] {
    for (int i = 0; i < 2; ++i) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return !full; });
      full = true;
      changed.notify_all();
    }
  });
  for (int i = 0; i < 2; ++i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return full; });
    full = false;
    received.push_back(i);
    changed.notify_all();
  }
  producer.join();
}

void plain_memory() {
  constexpr int size = 24;
  auto matrix = std::make_unique<double[]>(std::size_t{size} * size);
  std::thread worker([&] {
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) matrix[static_cast<std::size_t>(i * size + j)] += i * j;
  });
  worker.join();
  double sum = 0;
  for (int i = 0; i < size * size; ++i) sum += matrix[static_cast<std::size_t>(i)];
  seen[0] = static_cast<int>(sum);
}

void run(const char* strategy, const char* model, std::uint64_t executions, void (*body)()) {
  heddle::Options options;
  options.strategy = strategy;
  options.model = model;
  options.executions = executions;
  const auto result = heddle::check(options, body);
  if (result.passed()) return;
  std::printf("%s", result.report().c_str());
  std::exit(1);
}

/// Explores as many execution graphs, if there are as many.
void search(const char* model, std::uint64_t graphs, void (*body)()) {
  heddle::Options options;
  options.strategy = "exhaustive";
  options.model = model;
  options.executions = graphs;
  const auto result = heddle::check(options, body);
  if (result.findings().empty()) return;
  std::printf("%s", result.report().c_str());
  std::exit(1);
}

}  // namespace

int main() {
  constexpr std::uint64_t many = 1500, few = 300;
  void (*const bodies[])() = {store_buffering, message_passing, fences,      sequential_consistency, counting, stack,
                              spinlock,        locks,           plain_memory};
  for (auto* body : bodies) {
    run("random", "rc11", many, body);
    for (const char* strategy : {"auto", "pct", "pctwm", "pos"}) run(strategy, "rc11", few, body);
    run("random", "sc", few, body);
    run("random", "c11", few, body);
  }
  // The search is a good part of the profile: what a profile hardly mentions, the compiler makes small instead of fast.
  for (auto* body : {store_buffering, message_passing, fences, sequential_consistency})
    run("exhaustive", "rc11", 0, body);
  for (auto* body : {counting, stack, spinlock, locks}) {
    search("rc11", many, body);
    search("sc", few, body);
  }
}
