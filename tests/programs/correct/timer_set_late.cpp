// A thread waits for a timer that another thread sets, or adds to its epoll set, while it waits. And reading no bytes
// from a pipe does not wait.
// heddle: clean
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cassert>
#include <thread>

namespace {

int new_timer() { return timerfd_create(CLOCK_MONOTONIC, 0); }

void set(int timer, long nanoseconds) {
  itimerspec setting{};
  setting.it_value.tv_nsec = nanoseconds;
  assert(timerfd_settime(timer, 0, &setting, nullptr) == 0);
}

int add(int set, int file) {
  epoll_event event{};
  event.events = EPOLLIN;
  return epoll_ctl(set, EPOLL_CTL_ADD, file, &event);
}

void wait_in_poll(int timer) {
  pollfd file{timer, POLLIN, 0};
  assert(poll(&file, 1, -1) == 1);
}

void wait_in_set(int set) {
  epoll_event event{};
  assert(epoll_wait(set, &event, 1, -1) == 1);
}

}  // namespace

int main() {
  const int timer = new_timer(), postponed = new_timer(), added = new_timer(), nested = new_timer();
  const int set_of_added = epoll_create1(0), inner = epoll_create1(0), outer = epoll_create1(0);
  assert(add(outer, inner) == 0);
  set(postponed, 1000);
  set(added, 1000);
  std::thread for_timer([&] { wait_in_poll(timer); }), for_postponed([&] { wait_in_poll(postponed); });
  std::thread for_set([&] { wait_in_set(set_of_added); }), for_nested([&] { wait_in_set(outer); });
  set(timer, 1000000);
  set(postponed, 2000000);
  assert(add(set_of_added, added) == 0);
  assert(add(inner, nested) == 0);
  set(nested, 1000);
  for (std::thread* thread : {&for_timer, &for_postponed, &for_set, &for_nested}) thread->join();

  int ends[2];
  char byte;
  assert(pipe(ends) == 0);
  assert(read(ends[0], &byte, 0) == 0);
}
