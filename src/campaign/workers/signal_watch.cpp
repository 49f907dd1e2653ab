#include "campaign/workers/signal_watch.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace heddle::campaign {

SignalWatch::SignalWatch() {
  // If the parent process ignores SIGCHLD, so does this one, and the exit status of workers is lost.
  std::signal(SIGCHLD, SIG_DFL);
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&watched, signal);
  sigprocmask(SIG_BLOCK, &watched, &before_);
  fd_ = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
}

SignalWatch::~SignalWatch() {
  // Discards signals that arrived since the last wait: the campaign has ended.
  (void)wait(std::chrono::microseconds(0));
  if (fd_ >= 0) ::close(fd_);
  // Some programs, timeout among them, send SIGTERM twice. The second one must not end this process while it writes the
  // report, so it stays blocked. Ctrl-C may end it.
  if (end_was_wanted_)
    for (const int signal : {SIGTERM, SIGHUP}) sigaddset(&before_, signal);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool SignalWatch::wait(std::chrono::microseconds longest) {
  pollfd entry{fd_, POLLIN, 0};
  const timespec limit{longest.count() / 1'000'000, longest.count() % 1'000'000 * 1000};
  had_signal_ = ::ppoll(&entry, 1, &limit, nullptr) > 0;
  bool end_wanted = false;
  signalfd_siginfo info{};
  while (had_signal_ && fd_ >= 0 && ::read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    end_wanted = end_wanted || info.ssi_signo != static_cast<unsigned>(SIGCHLD);
  }
  end_was_wanted_ = end_was_wanted_ || end_wanted;
  return end_wanted;
}

}  // namespace heddle::campaign
