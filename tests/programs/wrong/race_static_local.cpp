// A static local is made once and safely; what happens to it afterwards is the program's own affair.
// heddle: finds race
// heddle-mentions: calls
#include <thread>

static int count() {
  static int calls = 0;
  return ++calls;
}

int main() {
  std::thread a(count), b(count);
  a.join();
  b.join();
}
