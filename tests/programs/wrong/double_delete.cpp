// The same object is deleted twice by one thread, after the other is done.
// heddle: finds double-free
#include <thread>

int main() {
  int* object = new int(1);
  std::thread other([object] { delete object; });
  other.join();
  delete object;
}
