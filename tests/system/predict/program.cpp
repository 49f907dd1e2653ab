// Executes a small straight-line program over atomics, given on the command line, so that one binary serves thousands
// of them: threads are separated by '/', operations by ','. An operation is KIND LOCATION ORDER [VALUE] with '.'
// between the parts: "L.0.acquire", "S.1.release.5", "X.0.relaxed.2" (exchange), "F.0.seq_cst". Operation i of thread t
// is at line LINES + 1 + 6 t + i, so that every operation has a label of its own. Prints what each operation has read,
// and the last values.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Operation {
  char kind = 0;
  int location = 0;
  std::memory_order order = std::memory_order_relaxed;
  int value = 0;
  int read = 0;
};
constexpr int most_threads = 4, most_operations = 6, locations = 3;
std::atomic<int> x[locations];
Operation operations[most_threads][most_operations];

std::memory_order order_of(const std::string& name) {
  if (name == "acquire") return std::memory_order_acquire;
  if (name == "release") return std::memory_order_release;
  if (name == "acq_rel") return std::memory_order_acq_rel;
  if (name == "seq_cst") return std::memory_order_seq_cst;
  return std::memory_order_relaxed;
}

Operation parse(const std::string& text) {
  Operation operation;
  std::istringstream words(text);
  std::string word;
  for (int i = 0; std::getline(words, word, '.'); ++i) {
    if (i == 0) operation.kind = word[0];
    if (i == 1) operation.location = std::atoi(word.c_str());
    if (i == 2) operation.order = order_of(word);
    if (i == 3) operation.value = std::atoi(word.c_str());
  }
  return operation;
}

int read_program(const std::string& text) {
  int threads = 0;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, '/') && threads < most_threads; ++threads) {
    std::istringstream words(part);
    std::string word;
    for (int i = 0; std::getline(words, word, ',') && i < most_operations; ++i) operations[threads][i] = parse(word);
  }
  return threads;
}

// A macro, since its code belongs to the line where it is used.
#define PERFORM(t, i)                                                       \
  switch (Operation& op = operations[t][i]; op.kind) {                      \
    case 'L': op.read = x[op.location].load(op.order); break;               \
    case 'S': x[op.location].store(op.value, op.order); break;              \
    case 'X': op.read = x[op.location].exchange(op.value, op.order); break; \
    case 'F': std::atomic_thread_fence(op.order); break;                    \
  }

// clang-format off
void (*const bodies[most_threads])() = { [] {  // LINES
    PERFORM(0, 0)
    PERFORM(0, 1)
    PERFORM(0, 2)
    PERFORM(0, 3)
    PERFORM(0, 4)
    PERFORM(0, 5) }, [] {
    PERFORM(1, 0)
    PERFORM(1, 1)
    PERFORM(1, 2)
    PERFORM(1, 3)
    PERFORM(1, 4)
    PERFORM(1, 5) }, [] {
    PERFORM(2, 0)
    PERFORM(2, 1)
    PERFORM(2, 2)
    PERFORM(2, 3)
    PERFORM(2, 4)
    PERFORM(2, 5) }, [] {
    PERFORM(3, 0)
    PERFORM(3, 1)
    PERFORM(3, 2)
    PERFORM(3, 3)
    PERFORM(3, 4)
    PERFORM(3, 5) } };
// clang-format on

}  // namespace

int main(int argc, char** argv) {
  const int count = read_program(argc > 1 ? argv[1] : "");
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back(bodies[t]);
  for (std::thread& thread : threads) thread.join();
  std::string text = "seen:";
  for (int t = 0; t < count; ++t)
    for (int i = 0; i < most_operations && operations[t][i].kind != 0; ++i)
      text += " " + std::to_string(operations[t][i].read);
  for (std::atomic<int>& location : x) text += " " + std::to_string(location.load(std::memory_order_relaxed));
  std::puts(text.c_str());
}
