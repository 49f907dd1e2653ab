#include "engine/processes/descriptor_steps.hpp"

#include <fcntl.h>
#include <sys/syscall.h>

#include <cerrno>

#include "engine/isolation/real.hpp"

namespace heddle::engine {

using graph::EventKind;
using graph::MemoryOrder;

namespace {
pollfd scratch[most_polled_files];
}

constinit const Step DescriptorSteps::read{.judge = judge,
                                           .change = change,
                                           .operation = Operation::descriptor_read,
                                           .kind = EventKind::lock,
                                           .order = MemoryOrder::acq_rel,
                                           .learns = Learns::all_releases};
constinit const Step DescriptorSteps::write{.judge = judge,
                                            .change = change,
                                            .operation = Operation::descriptor_write,
                                            .kind = EventKind::unlock,
                                            .order = MemoryOrder::acq_rel,
                                            .publishes = Publishes::adds};
constinit const Step DescriptorSteps::look{.judge = judge,
                                           .change = change,
                                           .operation = Operation::descriptor_poll,
                                           .kind = EventKind::lock,
                                           .order = MemoryOrder::acq_rel,
                                           .is_silent = true};

namespace {
/// poll() answers at once if it is asked for a number that no file has.
bool is_closed(int fd) {
  if (fd < 0) return false;
  const int error = errno;
  const bool is_open = real().syscall(SYS_fcntl, fd, F_GETFD) >= 0;
  errno = error;
  return !is_open;
}
}  // namespace

int poll_kernel(std::span<pollfd> files, int milliseconds) {
  const int error = errno;
  const long ready = real().syscall(SYS_poll, files.data(), files.size(), milliseconds);
  errno = error;
  return static_cast<int>(ready);
}

/// Outside files are left out, unless no other thread could run: when another process acts is not part of the schedule.
bool Descriptors::Request::is_ready() const {
  if (never_waits || is_granted) return true;
  if (files.size() > most_polled_files) return poll_kernel(files, 0) > 0;
  bool has_inner_files = false;
  for (std::size_t i = 0; i < files.size(); ++i) {
    scratch[i] = files[i];
    if (!waits_for_closed(i) && owner->is_inner(files[i].fd))
      has_inner_files = true;
    else if (!waits_for_closed(i) && owner->find(files[i].fd) == nullptr && is_closed(files[i].fd))
      return true;
    else
      scratch[i].fd = -1;
  }
  return has_inner_files && poll_kernel({scratch, files.size()}, 0) > 0;
}

}  // namespace heddle::engine
