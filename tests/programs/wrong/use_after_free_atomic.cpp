// A thread says that it has finished with an object, and touches it once more.
// heddle: finds use-after-free
// heddle-also: race
#include <atomic>
#include <thread>

struct Session {
  std::atomic<bool> closed{false};
  std::atomic<int> bytes{0};
};

int main() {
  auto* session = new Session;
  std::thread worker([session] {
    session->closed.store(true, std::memory_order_release);
    session->bytes.fetch_add(1, std::memory_order_relaxed);  // too late
  });
  while (!session->closed.load(std::memory_order_acquire)) std::this_thread::yield();
  delete session;
  worker.join();
}
