// Figure 1 of Burnim, Sen, Stergiou (ISSTA 2011) with plain accesses, and objects of classes that both threads use.
#include <cassert>
#include <memory>
#include <string>
#include <thread>

struct Shape {
  virtual ~Shape() = default;
  virtual int corners() const = 0;
};
struct Square final : Shape {
  int corners() const override { return 4; }
};

static int x, y, seen_by_first = -1, seen_by_second = -1;

int main() {
  const std::unique_ptr<Shape> shape = std::make_unique<Square>();
  std::string name = "square";
  std::thread first([&] {
    x = shape->corners();
    seen_by_first = y;
  });
  std::thread second([&] {
    y = static_cast<int>(name.size());
    seen_by_second = x;
  });
  first.join();
  second.join();
  assert(seen_by_first == 6 || seen_by_second == 4);
}
