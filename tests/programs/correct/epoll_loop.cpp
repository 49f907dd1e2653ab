// heddle: clean
// heddle-runs: 300
// heddle-levels: -O0 -O2
// An event loop: epoll over an event counter, a pipe and a timer, level- and edge-triggered, with a nested set.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cassert>
#include <cstdint>
#include <thread>

namespace {
void watch(int set, int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  assert(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0);
}
}  // namespace

int main() {
  const int set = epoll_create1(EPOLL_CLOEXEC), inner = epoll_create(1);
  const int wake = eventfd(0, EFD_NONBLOCK), timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  int work[2];
  assert(pipe(work) == 0);
  watch(set, wake, EPOLLIN);
  watch(set, timer, EPOLLIN);
  watch(inner, work[0], EPOLLIN | EPOLLET);
  watch(set, inner, EPOLLIN);
  itimerspec every_second{{1, 0}, {1, 0}};
  assert(timerfd_settime(timer, 0, &every_second, nullptr) == 0);

  int message = 0, ticks = 0, pieces = 0;
  bool stopped = false;
  std::thread loop([&] {
    while (!stopped || ticks == 0) {
      epoll_event events[4];
      const int ready = epoll_wait(set, events, 4, -1);
      assert(ready > 0);
      for (int i = 0; i < ready; ++i) {
        std::uint64_t count = 0;
        const int fd = events[i].data.fd;
        if (fd == wake) {
          assert(read(wake, &count, sizeof count) == sizeof count);
          assert(message == 7);
          stopped = true;
        } else if (fd == timer) {
          assert(read(timer, &count, sizeof count) == sizeof count && count > 0);
          ++ticks;
        } else {
          assert(fd == inner && epoll_pwait(inner, events, 1, 0, nullptr) <= 1);
          char bytes[2];
          pieces += static_cast<int>(read(work[0], bytes, 2));
        }
      }
    }
  });
  assert(write(work[1], "ab", 2) == 2);
  message = 7;
  assert(eventfd_write(wake, 1) == 0);
  loop.join();
  assert(pieces == 0 || pieces == 2);
}
