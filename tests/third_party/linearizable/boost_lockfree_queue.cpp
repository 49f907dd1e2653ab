// boost::lockfree::queue of fixed size, against a queue. Its free list has the race that docs/third-party.md describes.
// What is behind it: --suppressions boost_freelist.txt.
// heddle: finds race
// heddle-flags: -mcx16
#include <boost/lockfree/queue.hpp>
#include <heddle/linearizable.hpp>
#include <memory>
#include <optional>

struct Subject {
  bool push(int value) { return elements.push(value); }
  std::optional<int> try_pop() {
    int value = 0;
    return elements.pop(value) ? std::optional(value) : std::nullopt;
  }
  boost::lockfree::queue<int, boost::lockfree::capacity<8>> elements;
};

struct Sequential : heddle::specification::queue<int> {
  bool push(int value) {
    heddle::specification::queue<int>::push(value);
    return true;
  }
};

int main() {
  return heddle::linearizable<Subject>("boost::lockfree::queue", Sequential())
      .operation(
          "push", [](auto& subject, int value) { return subject.push(value); }, heddle::fresh)
      .operation("pop", [](auto& subject) { return subject.try_pop(); })
      .finally("pop", heddle::until_empty)
      .run();
}
