// Optimised, the compiler gives `first` and `second` the same memory, and clang says only of `first` where it is. The
// race is on `second`, when `first` is no more.
#include <functional>
#include <thread>

int main(int argc, char**) {
  if (argc > 1) {
    static int count = 0;
    auto first = [&] { ++count; };
    std::thread one(first), other(std::ref(first));
    one.join();
    other.join();
  } else {
    int second = 0;
    std::thread one([&] { ++second; }), other([&] { ++second; });
    one.join();
    other.join();
  }
}
