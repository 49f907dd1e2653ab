// Executes small programs around counters that are taken from and given back, given on the command line: threads are
// separated by '/', each operation is a letter. The first argument is the program, the second the initial value of the
// counter. What threads have read is printed at the end.
//
//   a b c d   take 1 in a loop that undoes and tries again; four shapes with different memory orders
//   A         give 1 back
//   e f       take all, with a test for more than and for equality
//   E         give all back
//   i j       count up to a limit in such a loop, on a second counter
//   I         count down again
//   t         try once to take 1, and note whether there was enough
//   o         look at the counter;  k  replace it by itself plus 1 if it has its initial value
//   x y       add 1 to a shared atomic, or note its value;  X Y  the same with seq_cst
//   p         add 1 to a plain variable
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr auto relaxed = std::memory_order_relaxed, acquires = std::memory_order_acquire,
               release = std::memory_order_release, acq_rel = std::memory_order_acq_rel,
               seq_cst = std::memory_order_seq_cst;

std::atomic<int> left, used, shared;
int plain;
int initial;
constexpr int limit = 1;

template <std::memory_order take, std::memory_order give>
[[gnu::noinline]] void acquire(int share, int least) {
  while (left.fetch_sub(share, take) < least) left.fetch_add(share, give);
}

/// The loop has two copies of the attempt, and looks before it tries again.
[[gnu::noinline]] void acquire_after_look(int share) {
  int before = left.fetch_sub(share, acquires);
  while (before <= 0) {
    left.fetch_add(share, relaxed);
    while (left.load(relaxed) <= 0) {
    }
    before = left.fetch_sub(share, acquires);
  }
}

[[gnu::noinline]] void acquire_all(int all) {
  while (left.fetch_sub(all, acquires) != all) left.fetch_add(all, relaxed);
}

template <std::memory_order take>
[[gnu::noinline]] void count_up() {
  for (;;) {
    if (used.fetch_add(1, take) < limit) return;
    used.fetch_sub(1, release);
  }
}

void perform(char letter, std::string& seen) {
  int expected = initial;
  switch (letter) {
    case 'a': acquire<acquires, relaxed>(1, 1); break;
    case 'b': acquire<relaxed, relaxed>(1, 1); break;
    case 'c': acquire<seq_cst, release>(1, 1); break;
    case 'd': acquire_after_look(1); break;
    case 'A': left.fetch_add(1, release); break;
    case 'e': acquire<acq_rel, relaxed>(initial, initial); break;
    case 'f': acquire_all(initial); break;
    case 'E': left.fetch_add(initial, release); break;
    case 'i': count_up<acquires>(); break;
    case 'j': count_up<seq_cst>(); break;
    case 'I': used.fetch_sub(1, release); break;
    case 't': {
      const bool enough = left.fetch_sub(1, acquires) >= 1;
      if (!enough) left.fetch_add(1, relaxed);
      seen += enough ? 'y' : 'n';
      break;
    }
    case 'o': seen += std::to_string(left.load(relaxed)); break;
    case 'k': seen += left.compare_exchange_strong(expected, initial + 1, relaxed) ? 'y' : 'n'; break;
    case 'x': shared.fetch_add(1, relaxed); break;
    case 'X': shared.fetch_add(1, seq_cst); break;
    case 'y': seen += std::to_string(shared.load(relaxed)); break;
    case 'Y': seen += std::to_string(shared.load(seq_cst)); break;
    case 'p': ++plain; break;
    default: std::exit(2);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  initial = std::atoi(argv[2]);
  left.store(initial, relaxed);
  std::vector<std::string> bodies(1), seen;
  for (const char* at = argv[1]; *at != '\0'; ++at) {
    if (*at == '/')
      bodies.emplace_back();
    else
      bodies.back() += *at;
  }
  seen.resize(bodies.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    threads.emplace_back([&body = bodies[i], &notes = seen[i]] {
      for (const char letter : body) perform(letter, notes);
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("seen:");
  for (const std::string& each : seen) std::printf(" %s", each.c_str());
  std::printf(" left %d used %d shared %d plain %d\n", left.load(), used.load(), shared.load(), plain);
}
