#include "abi/watchdog.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/real.hpp"

namespace heddle::abi {

namespace {
constexpr std::uint32_t looks = 4;  // per timeout; so an execution may run a quarter longer

const channel::Channel* watched = nullptr;
std::uint64_t last_execution = 0, last_heartbeat = 0, last_memory = 0;
std::uint32_t looks_without_news = 0;
}  // namespace

Watchdog::Watchdog(const channel::Channel& channel, double seconds) {
  watched = nullptr;
  if (!(seconds > 0)) return;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGXCPU;
  event._sigev_un._tid = static_cast<pid_t>(engine::real().syscall(SYS_gettid));
  if (::timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) return;
  const double interval = seconds / looks;
  itimerspec times{};
  times.it_interval.tv_sec = static_cast<time_t>(interval);
  times.it_interval.tv_nsec = static_cast<long>((interval - static_cast<double>(times.it_interval.tv_sec)) * 1e9) + 1;
  times.it_value = times.it_interval;
  is_running_ = ::timer_settime(timer_, 0, &times, nullptr) == 0;
  if (!is_running_) {
    ::timer_delete(timer_);
    return;
  }
  watched = &channel;
  looks_without_news = 0;
  last_execution = last_heartbeat = last_memory = ~0ULL;
}

Watchdog::~Watchdog() {
  watched = nullptr;
  if (is_running_) ::timer_delete(timer_);
}

bool Watchdog::has_waited_long_enough() {
  if (watched == nullptr) return true;  // the driver's watchdog sent the signal
  const std::uint64_t execution = watched->progress.current_execution.load(std::memory_order_relaxed);
  const std::uint64_t heartbeat = watched->progress.current_events.load(std::memory_order_relaxed);
  const std::uint64_t memory = watched->progress.current_memory.load(std::memory_order_relaxed);
  if (execution != last_execution || heartbeat != last_heartbeat || memory != last_memory) looks_without_news = 0;
  last_execution = execution;
  last_heartbeat = heartbeat;
  last_memory = memory;
  return looks_without_news++ >= looks;
}

}  // namespace heddle::abi
