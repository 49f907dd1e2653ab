#include "abi/start/watchdog.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {
constexpr std::uint32_t looks = 4;               // per timeout; so an execution may run a quarter longer
constexpr std::uint64_t second = 1'000'000'000;  // in nanoseconds

const channel::Channel* watched = nullptr;
std::uint64_t last_execution = 0, last_heartbeat = 0, last_memory = 0;
bool has_looked = false;
std::uint64_t last_processor_time = 0;
std::uint64_t interval = 0, limit = 0, silence = 0;  // in nanoseconds

std::uint64_t processor_time() {
  timespec time{};
  engine::real().clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * second + static_cast<std::uint64_t>(time.tv_nsec);
}
}  // namespace

Watchdog::Watchdog(const channel::Channel& channel, double seconds) {
  watched = nullptr;
  if (!(seconds > 0)) return;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGXCPU;
  event._sigev_un._tid = static_cast<pid_t>(engine::real().syscall(SYS_gettid));
  if (::timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) return;
  limit = static_cast<std::uint64_t>(seconds * static_cast<double>(second));
  interval = limit / looks + 1;
  itimerspec times{};
  times.it_interval.tv_sec = static_cast<time_t>(interval / second);
  times.it_interval.tv_nsec = static_cast<long>(interval % second);
  times.it_value = times.it_interval;
  is_running_ = ::timer_settime(timer_, 0, &times, nullptr) == 0;
  if (!is_running_) {
    ::timer_delete(timer_);
    return;
  }
  watched = &channel;
  silence = 0;
  has_looked = false;
  last_execution = last_heartbeat = last_memory = ~0ULL;
}

Watchdog::~Watchdog() {
  watched = nullptr;
  if (is_running_) ::timer_delete(timer_);
}

bool Watchdog::has_waited_long_enough(bool waits_in_kernel) {
  if (watched == nullptr) return true;  // the driver's watchdog sent the signal
  const std::uint64_t execution = watched->progress.current_execution.load(std::memory_order_relaxed);
  const std::uint64_t heartbeat = watched->progress.current_events.load(std::memory_order_relaxed);
  const std::uint64_t memory = watched->progress.current_memory.load(std::memory_order_relaxed);
  const bool has_news = execution != last_execution || heartbeat != last_heartbeat || memory != last_memory;
  const std::uint64_t now = processor_time(), computed = now - last_processor_time;
  if (has_news || !has_looked)
    silence = 0;
  else
    silence += waits_in_kernel && computed < interval / 8 ? interval : computed;
  has_looked = true;
  last_processor_time = now;
  last_execution = execution;
  last_heartbeat = heartbeat;
  last_memory = memory;
  return silence >= limit;
}

}  // namespace heddle::abi
