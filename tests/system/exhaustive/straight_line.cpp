// Executes small straight-line programs over atomics, given on the command line, so that one binary serves thousands
// of them: threads are separated by '/', operations by ','. An operation is KIND LOCATION ORDER [VALUE [FAILURE
// EXPECTED]] with '.' between the parts: "S.0.release.5", "L.1.acquire", "A.0.relaxed.1", "C.0.acq_rel.7.relaxed.1",
// "F.0.seq_cst"; "K" is a weak "C"; "W.0.acquire.5" waits until it reads 5; "R.0.-.3.-.7" adds 3 in a loop that
// retries, which is the EXPECTEDth of a list; "M.0.-" locks the first mutex, "U.0.-" unlocks it. The locations are
// global variables; with ON_HEAP they are made by main, with plain stores; with USED_BEFORE they have a life of their
// own behind them, and begin another one with a plain store.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Operation {
  char kind = 'L';
  int location = 0;
  std::memory_order order = std::memory_order_relaxed;
  int value = 0;
  std::memory_order failure = std::memory_order_relaxed;
  int expected = 0;
};

#ifdef ON_HEAP
std::atomic<int>* x;
#else
std::atomic<int> x[4];
#endif

std::mutex mutexes[2];

void prepare() {
#ifdef ON_HEAP
  x = new std::atomic<int>[4] {};
#endif
#ifdef USED_BEFORE
  for (std::atomic<int>& location : x) {
    location.store(9, std::memory_order_relaxed);
    location.fetch_add(1, std::memory_order_relaxed);
    new (&location) std::atomic<int>(0);
  }
#endif
}

std::memory_order order_of(const std::string& name) {
  if (name == "acquire") return std::memory_order_acquire;
  if (name == "release") return std::memory_order_release;
  if (name == "acq_rel") return std::memory_order_acq_rel;
  if (name == "seq_cst") return std::memory_order_seq_cst;
  return std::memory_order_relaxed;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

Operation parse(const std::string& text) {
  const auto parts = split(text, '.');
  Operation op;
  op.kind = parts[0][0];
  op.location = std::atoi(parts[1].c_str());
  op.order = order_of(parts[2]);
  if (parts.size() > 3) op.value = std::atoi(parts[3].c_str());
  if (parts.size() > 5) {
    op.failure = order_of(parts[4]);
    op.expected = std::atoi(parts[5].c_str());
  }
  return op;
}

/// A loop that retries. Memory orders are constants, as in real programs.
template <std::memory_order load_order, std::memory_order success, std::memory_order failure>
[[gnu::noinline]] void add_in_loop(std::atomic<int>& location, int value) {
  int old = location.load(load_order);
  while (!location.compare_exchange_strong(old, old + value, success, failure)) {
  }
}

/// The same with a load in every iteration.
template <std::memory_order load_order, std::memory_order success, std::memory_order failure>
[[gnu::noinline]] void load_and_add_in_loop(std::atomic<int>& location, int value) {
  for (;;) {
    int old = location.load(load_order);
    if (location.compare_exchange_weak(old, old + value, success, failure)) return;
  }
}

void retry(const Operation& op) {
  using enum std::memory_order;
  using Function = void (*)(std::atomic<int>&, int);
  constexpr Function functions[] = {
      add_in_loop<relaxed, relaxed, relaxed>,          add_in_loop<relaxed, acq_rel, acquire>,
      add_in_loop<acquire, release, acquire>,          add_in_loop<seq_cst, seq_cst, seq_cst>,
      load_and_add_in_loop<relaxed, release, relaxed>, load_and_add_in_loop<acquire, seq_cst, relaxed>,
      load_and_add_in_loop<seq_cst, acq_rel, acquire>, add_in_loop<relaxed, seq_cst, seq_cst>,
  };
  functions[op.expected](x[op.location], op.value);
}

void perform(const Operation& op) {
  int expected = op.expected;
  switch (op.kind) {
    case 'L': x[op.location].load(op.order); break;
    case 'W':
      while (x[op.location].load(op.order) != op.value) {
      }
      break;
    case 'S': x[op.location].store(op.value, op.order); break;
    case 'A': x[op.location].fetch_add(op.value, op.order); break;
    case 'C': x[op.location].compare_exchange_strong(expected, op.value, op.order, op.failure); break;
    case 'K': x[op.location].compare_exchange_weak(expected, op.value, op.order, op.failure); break;
    case 'R': retry(op); break;
    case 'M': mutexes[op.location].lock(); break;
    case 'U': mutexes[op.location].unlock(); break;
    default: std::atomic_thread_fence(op.order);
  }
}

}  // namespace

int main(int argc, char** argv) {
  prepare();
  std::vector<std::thread> threads;
  for (const std::string& thread : split(argc > 1 ? argv[1] : "", '/')) {
    std::vector<Operation> operations;
    for (const std::string& text : split(thread, ',')) operations.push_back(parse(text));
    threads.emplace_back([operations] {
      for (const Operation& op : operations) perform(op);
    });
  }
  for (std::thread& thread : threads) thread.join();
}
