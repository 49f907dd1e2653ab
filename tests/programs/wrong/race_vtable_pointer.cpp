// An object is destroyed while another thread makes a virtual call on it: both touch the vtable pointer.
// heddle: finds race
#include <atomic>
#include <cstdio>
#include <new>
#include <thread>

struct Base {
  virtual ~Base() { std::atomic_signal_fence(std::memory_order_seq_cst); }  // keeps the compiler from leaving it out
  virtual int id() const { return 1; }
};
struct Derived : Base {
  int id() const override { return 2; }
};

alignas(Derived) static unsigned char room[sizeof(Derived)];

int main() {
  Base* object = new (room) Derived;
  int seen = 0;
  std::thread caller([&] { seen = object->id(); });
  object->~Base();
  caller.join();
  std::printf("%d\n", seen);
}
