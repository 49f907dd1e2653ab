// oneTBB's concurrent_vector: it grows from two threads at once, and its elements stay where they are.
// heddle: clean
// heddle-flags: -ltbb
#include <tbb/concurrent_vector.h>

#include <cassert>
#include <thread>

int main() {
  tbb::concurrent_vector<int> vector;
  int* first = &*vector.push_back(1);
  auto grow = [&](int value) {
    vector.push_back(value);
    *vector.grow_by(2) = value;
  };
  std::thread a(grow, 10), b(grow, 20);
  a.join();
  b.join();
  int sum = 0;
  for (int value : vector) sum += value;
  assert(vector.size() == 7 && sum == 61 && first == &vector[0]);
}
