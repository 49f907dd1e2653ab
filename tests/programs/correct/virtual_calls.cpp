// Virtual calls, dynamic_cast and virtual destructors on objects that a mutex hands from thread to thread.
// heddle: clean
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Shape {
  virtual ~Shape() = default;
  virtual int corners() const = 0;
};
struct Triangle : Shape {
  int corners() const override { return 3; }
};
struct Square : Shape {
  int corners() const override { return 4; }
};

static std::mutex mutex;
static std::unique_ptr<Shape> shape = std::make_unique<Triangle>();

int main() {
  std::thread replaces([] {
    auto next = std::make_unique<Square>();
    std::lock_guard guard(mutex);
    shape = std::move(next);
  });
  {
    std::lock_guard guard(mutex);
    assert(shape->corners() == (dynamic_cast<Square*>(shape.get()) != nullptr ? 4 : 3));
  }
  replaces.join();
  assert(shape->corners() == 4);
}
