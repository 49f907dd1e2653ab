// oneTBB's concurrent_vector: it grows from two threads at once, over several segments, while they read what is there.
// Its elements stay where they are.
// heddle: clean
// heddle-flags: -ltbb
#include <tbb/concurrent_vector.h>

#include <cassert>
#include <thread>

int main() {
  tbb::concurrent_vector<int> vector;
  int* first = &*vector.push_back(1);
  auto grow = [&](int value) {
    const auto place = vector.push_back(value);
    *vector.grow_by(2) = value;
    assert(*place == value && vector.at(0) == 1);
    vector.grow_to_at_least(6);
    assert(vector.size() >= 6);
    vector.push_back(2 * value);
  };
  std::thread a(grow, 10), b(grow, 20);
  a.join();
  b.join();
  int sum = 0;
  for (int value : vector) sum += value;
  assert(vector.size() >= 9 && sum == 121 && first == &vector[0]);
}
