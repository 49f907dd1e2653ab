#include "campaign/workers/process_activity.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace heddle::campaign {

namespace {

using std::chrono::milliseconds;

std::string read_small_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  char text[4096];
  const ssize_t size = ::read(fd, text, sizeof text);
  ::close(fd);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

/// /proc/PID/stat: the number, the name in parentheses, which may contain any character, the state, ten more numbers,
/// and the processor time in user mode and in the kernel.
std::optional<ProcessActivity> read_stat(pid_t process) {
  const std::string text = read_small_file(fmt::format("/proc/{}/stat", process));
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return std::nullopt;
  const char state = text[name_end + 2];
  const char* next = text.c_str() + name_end + 3;
  std::uint64_t ticks = 0;
  for (int field = 0; field < 12; ++field) {
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(next, &end, 10);
    if (end == next) return std::nullopt;
    next = end;
    if (field >= 10) ticks += value;
  }
  static const auto ticks_a_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  // D is no state of waiting here: a page that comes from a busy disk is a matter of load.
  return ProcessActivity{milliseconds(ticks * 1000 / ticks_a_second),
                         state != '\0' && std::strchr("STtZX", state) != nullptr};
}

std::vector<pid_t> children_of(pid_t process) {
  const std::string text = read_small_file(fmt::format("/proc/{0}/task/{0}/children", process));
  std::vector<pid_t> children;
  for (const char* next = text.c_str();;) {
    char* end = nullptr;
    const long child = std::strtol(next, &end, 10);
    if (end == next) return children;
    children.push_back(static_cast<pid_t>(child));
    next = end;
  }
}

}  // namespace

std::optional<ProcessActivity> activity_of(pid_t process) {
  constexpr std::size_t most_processes = 100;
  auto all = read_stat(process);
  if (!all) return std::nullopt;
  std::vector<pid_t> processes{process};
  for (std::size_t i = 0; i < processes.size() && processes.size() < most_processes; ++i)
    for (const pid_t child : children_of(processes[i])) {
      const auto activity = read_stat(child);
      if (!activity) continue;
      processes.push_back(child);
      all->processor_time += activity->processor_time;
      all->waits = all->waits && activity->waits;
    }
  return all;
}

void UsedTime::look(std::chrono::steady_clock::time_point now, const std::optional<ProcessActivity>& activity) {
  if (last_look_ && !activity) total_ += now - *last_look_;
  if (last_look_ && activity && last_) {
    // A process that has ended takes its processor time with it.
    const milliseconds computed = std::max(activity->processor_time - last_->processor_time, milliseconds(0));
    const bool waited = activity->waits && last_->waits && computed.count() == 0;
    total_ += waited ? now - *last_look_ : std::chrono::nanoseconds(computed);
  }
  last_look_ = now;
  last_ = activity;
}

}  // namespace heddle::campaign
