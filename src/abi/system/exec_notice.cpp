#include "abi/system/exec_notice.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "abi/system/descriptor_calls.hpp"

namespace heddle::abi {

namespace {

struct Notice {
  std::atomic<std::uint32_t> is_announced;
  std::atomic<std::uint32_t> has_tried;
};
Notice* notice = nullptr;

// The child's name while it calls exec. A successful exec gives it the name of the new program.
constexpr char marker[] = "heddle-exec";
constexpr std::size_t longest_name = 16;
char own_name[longest_name];

// A child that neither runs another program nor ends within this time continues with the same program. It is processor
// time of the child, or real time while the child waits: a busy machine does not make a difference.
constexpr std::uint64_t patience = 2'000'000'000;
constexpr int look_interval_in_milliseconds = 5;

/// The beginning of a file of /proc about the process.
template <std::size_t Size>
std::size_t read_file_of(pid_t process, const char* name, char (&text)[Size]) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/%s", process, name);
  const long fd = kernel(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const long size = kernel(SYS_read, fd, text, Size - 1);
  kernel(SYS_close, fd);
  text[size < 0 ? 0 : size] = '\0';
  return size < 0 ? 0 : static_cast<std::size_t>(size);
}

bool waits_in_kernel(pid_t process) {
  char text[256];
  if (read_file_of(process, "stat", text) == 0) return true;
  const char* const name_end = std::strrchr(text, ')');
  return name_end == nullptr || name_end[1] == '\0' || name_end[2] == 'S' || name_end[2] == 'T';
}

std::uint64_t now(clockid_t clock) {
  timespec time{};
  if (kernel(SYS_clock_gettime, clock, &time) != 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

class Patience {
 public:
  explicit Patience(pid_t child)
      : child_(child), processor_clock_(~child * 8 | 2), time_(now(CLOCK_MONOTONIC)), used_(now(processor_clock_)) {}

  bool lasts() {
    const std::uint64_t time = now(CLOCK_MONOTONIC), used = now(processor_clock_);
    const std::uint64_t computed = used > used_ ? used - used_ : 0;
    total_ += computed == 0 && waits_in_kernel(child_) ? time - time_ : computed;
    time_ = time;
    used_ = used;
    return total_ < patience;
  }

 private:
  pid_t child_;
  clockid_t processor_clock_;  ///< of the child: the kernel's encoding of its number
  std::uint64_t time_;
  std::uint64_t used_;
  std::uint64_t total_ = 0;
};

/// The child has announced exec: has exec succeeded? A child whose exec fails withdraws the notice before it takes its
/// name back.
bool has_replaced_itself(pid_t child) {
  if (notice->is_announced.load() == 0) return false;
  char name[longest_name + 1];
  const std::size_t size = read_file_of(child, "comm", name);
  const bool has_marker = size >= sizeof marker && std::strncmp(name, marker, sizeof marker - 1) == 0;
  return !has_marker && notice->is_announced.load() != 0;
}

bool has_ended(pid_t child) {
  siginfo_t info{};
  return kernel(SYS_waitid, P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT, nullptr) != 0 || info.si_pid != 0;
}

}  // namespace

void prepare_exec_notice() {
  static constinit Notice unshared{};  // without shared memory, no child is known to run another program
  void* const page = ::mmap(nullptr, sizeof(Notice), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  notice = page == MAP_FAILED ? &unshared : static_cast<Notice*>(page);
}

void clear_exec_notice() {
  notice->is_announced.store(0);
  notice->has_tried.store(0);
}

void announce_exec() {
  kernel(SYS_prctl, PR_GET_NAME, own_name);
  kernel(SYS_prctl, PR_SET_NAME, marker);
  notice->has_tried.store(1);
  notice->is_announced.store(1);
  kernel(SYS_futex, &notice->is_announced, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void withdraw_exec() {
  const int error = errno;
  notice->is_announced.store(0);
  kernel(SYS_prctl, PR_SET_NAME, own_name);
  errno = error;
}

bool runs_another_program(pid_t child, int from_child) {
  Patience patience_left(child);
  pollfd asked{from_child, POLLIN, 0};
  while (kernel(SYS_poll, &asked, 1, look_interval_in_milliseconds) != 1)
    if (!patience_left.lasts()) return false;
  // Exec, the end, or the child itself has closed the pipe.
  while (!has_ended(child)) {
    if (has_replaced_itself(child)) return true;
    if (!patience_left.lasts()) return false;
    const timespec interval{0, 500'000};
    const bool is_announced = notice->is_announced.load() != 0;
    kernel(SYS_futex, &notice->is_announced, FUTEX_WAIT, is_announced ? 1 : 0, &interval, nullptr, 0);
  }
  return notice->has_tried.load() != 0;
}

}  // namespace heddle::abi
