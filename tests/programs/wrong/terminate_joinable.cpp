// A std::thread is destroyed without having been joined: std::terminate.
// heddle: finds crash|uncaught-exception
#include <thread>

int main() {
  std::thread forgotten([] {});
}
