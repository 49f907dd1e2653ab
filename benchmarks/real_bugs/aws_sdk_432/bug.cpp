// A reference count that goes down with release alone: the thread that frees the object has released what it did, and
// has not acquired what the others did before.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef MENDED
constexpr auto counted_down = std::memory_order_acq_rel;
#else
constexpr auto counted_down = std::memory_order_release;
#endif

struct Session {
  std::atomic<int> users{2};
  int sent = 0, received = 0;
  ~Session() { assert(sent == 1 && received == 2); }
};

static void leave(Session* session) {
  if (session->users.fetch_sub(1, counted_down) == 1) delete session;  // upstream fix: acq_rel
}

int main() {
  auto* session = new Session;
  std::thread receiver([session] {
    session->received = 2;
    leave(session);
  });
  session->sent = 1;
  leave(session);
  receiver.join();
}
