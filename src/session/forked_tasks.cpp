#include "session/forked_tasks.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <utility>

#include "campaign/workers/signal_watch.hpp"

namespace heddle::session {

namespace {

struct Child {
  std::size_t task = 0;
  pid_t pid = -1;
  int result = -1;  ///< a memory file
};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string read_all(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t size = ::pread(fd, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return {};
    at += static_cast<std::size_t>(size);
  }
  return text;
}

/// Result file -1 or process -1: there are too many.
Child start(std::size_t number, const std::function<std::string(std::size_t)>& task) {
  Child child{number, -1, ::memfd_create("heddle-task", MFD_CLOEXEC)};
  if (child.result < 0) return child;
  const pid_t parent = ::getpid();
  child.pid = ::fork();
  if (child.pid != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::_exit(write_all(child.result, task(number)) ? 0 : 1);
}

class ForkedTasks {
 public:
  explicit ForkedTasks(std::size_t count) : results_(count) {}
  ~ForkedTasks() {
    for (Child& child : running_) ::kill(child.pid, SIGKILL);
    for (Child& child : running_) finish(child);
  }
  ForkedTasks(const ForkedTasks&) = delete;
  ForkedTasks& operator=(const ForkedTasks&) = delete;

  std::optional<std::vector<std::string>> run(std::size_t jobs, const Deadline& deadline,
                                              const std::function<std::string(std::size_t)>& task) {
    campaign::SignalWatch signals;
    std::size_t next = 0;
    while (next < results_.size() || !running_.empty()) {
      while (next < results_.size() && running_.size() < jobs) {
        const Child child = start(next++, task);
        if (child.pid > 0)
          running_.push_back(child);
        else if (child.result >= 0)
          ::close(child.result);
      }
      if (!running_.empty() && signals.wait(std::chrono::milliseconds(200))) return std::nullopt;
      if (has_passed(deadline)) return std::nullopt;
      std::erase_if(running_, [&](Child& child) { return has_ended(child); });
    }
    return std::move(results_);
  }

 private:
  bool has_ended(Child& child) {
    int status = 0;
    if (::waitpid(child.pid, &status, WNOHANG) != child.pid) return false;
    child.pid = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) results_[child.task] = read_all(child.result);
    finish(child);
    return true;
  }

  static void finish(Child& child) {
    if (child.pid > 0)
      while (::waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    ::close(child.result);
  }

  std::vector<Child> running_;
  std::vector<std::string> results_;
};

}  // namespace

std::optional<std::vector<std::string>> run_forked(std::size_t count, std::size_t jobs, const Deadline& deadline,
                                                   const std::function<std::string(std::size_t)>& task) {
  return ForkedTasks(count).run(jobs, deadline, task);
}

}  // namespace heddle::session
