// An object is destroyed while another thread makes a virtual call on it: both touch the vtable pointer.
// heddle: finds race
#include <new>
#include <thread>

struct Base {
  virtual ~Base() = default;
  virtual int id() const { return 1; }
};
struct Derived : Base {
  ~Derived() override { value = 0; }
  int id() const override { return 2; }
  volatile int value = 1;
};

alignas(Derived) static unsigned char room[sizeof(Derived)];

int main() {
  Base* object = new (room) Derived;
  int seen = 0;
  std::thread caller([&] { seen = object->id(); });
  object->~Base();
  caller.join();
  return seen == 7;
}
