// Pipes, event counters and other descriptors between threads of the program: creating, copying, reading, writing. A
// call that would block is a wait that the scheduler knows (engine/processes/descriptors.hpp). Descriptors of files and
// of what the process inherited go to the kernel.
#include "abi/system/descriptor_calls.hpp"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstring>

#include "abi/instrumentation/plain_access.hpp"
#include "abi/start/process.hpp"

namespace heddle::abi {

using engine::FileKind;

bool is_nonblocking(int fd) { return (kernel(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK) != 0; }

engine::Patience patience_of(engine::Engine& engine, int fd, bool only_tries, std::uint64_t timeout) {
  if (only_tries || is_nonblocking(fd)) return {.waits = false};
  if (timeout == 0) return {};
  return {.until = engine.scheduler().time().now() + timeout};
}

void access_buffer(const void* at, std::size_t size, bool is_write, std::uint64_t site) {
  if (size != 0 && running_for_instrumented(site) != nullptr) access(at, size, is_write, site);
}

std::size_t size_of(const iovec* vectors, std::size_t count) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) size += vectors[i].iov_len;
  return size;
}

void access_buffers(const iovec* vectors, std::size_t count, std::size_t size, bool is_write, std::uint64_t site) {
  for (std::size_t i = 0; i < count && size != 0; ++i) {
    const std::size_t part = vectors[i].iov_len < size ? vectors[i].iov_len : size;
    access_buffer(vectors[i].iov_base, part, is_write, site);
    size -= part;
  }
}

bool was_interrupted(engine::Engine& engine) { return engine.current().take_wait_end() == engine::WaitEnd::by_signal; }

bool wait_for_outside_input(int fd, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr || engine->threads().alive() < 2) return true;
  struct stat status;
  if (kernel(SYS_fstat, fd, &status) != 0) return true;
  pollfd asked{fd, POLLIN, 0};
  const bool is_stream = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
  const bool is_terminal = S_ISCHR(status.st_mode) && kernel(SYS_poll, &asked, 1, 0) == 0;
  if (!(is_stream || is_terminal) || is_nonblocking(fd)) return true;
  if (at_cancellation_point(*engine, engine::Interruptible::unless_restarted, [&] {
        return engine->descriptors().wait_for_outside({&asked, 1}, site);
      }))
    return true;
  engine->current().take_wait_end();
  errno = EINTR;
  return false;
}

void run_constructors_for_descriptor() {
  if (is_program_starting()) run_constructors_in_executions("creates a descriptor");
}

namespace {

/// The rest of what a call writes.
class Output {
 public:
  Output(iovec* copy, const iovec* vectors, std::size_t count) : at_(copy), count_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      copy[i] = vectors[i];
      left_ += vectors[i].iov_len;
    }
  }
  iovec* at() const { return at_; }
  std::size_t count() const { return count_; }
  std::size_t left() const { return left_; }
  void advance(std::size_t size) {
    left_ -= size;
    while (count_ != 0 && size >= at_->iov_len) {
      size -= at_->iov_len;
      ++at_;
      --count_;
    }
    if (size == 0) return;
    at_->iov_base = static_cast<char*>(at_->iov_base) + size;
    at_->iov_len -= size;
  }

 private:
  iovec* at_;
  std::size_t count_;
  std::size_t left_ = 0;
};

/// Writes as much as there is room for.
long write_some(int fd, FileKind kind, const Output& output, const msghdr* message, int flags) {
  if (kind == FileKind::socket) {
    msghdr some = message == nullptr ? msghdr{} : *message;
    some.msg_iov = output.at();
    some.msg_iovlen = output.count();
    return kernel(SYS_sendmsg, fd, &some, flags | MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  pollfd asked{fd, POLLOUT, 0};
  if (kernel(SYS_poll, &asked, 1, 0) > 0 && (asked.revents & POLLERR) != 0) {  // the kernel would raise SIGPIPE
    errno = EPIPE;
    return -1;
  }
  const long status = kernel(SYS_fcntl, fd, F_GETFL);
  const bool may_block = (status & O_NONBLOCK) == 0 && (kind != FileKind::pipe || output.left() > PIPE_BUF);
  if (may_block) kernel(SYS_fcntl, fd, F_SETFL, status | O_NONBLOCK);
  const long written = kernel(SYS_writev, fd, output.at(), output.count());
  const int error = errno;
  if (may_block) kernel(SYS_fcntl, fd, F_SETFL, status);
  errno = error;
  return written;
}

/// The thread gets SIGPIPE, as the kernel would send it. Returns if the program survives that.
void raise_broken_pipe(engine::Engine& engine, std::uint64_t site) {
  siginfo_t info{};
  info.si_signo = SIGPIPE;
  info.si_code = SI_KERNEL;
  engine.signals().send(&engine.current(), info, site);
  errno = EPIPE;
}

bool is_message_socket(int fd) {
  int type = SOCK_STREAM;
  socklen_t size = sizeof type;
  kernel(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size);
  return type != SOCK_STREAM;
}

int add_new(long fd, FileKind kind) {
  if (engine::Engine* engine = running(); engine != nullptr && fd >= 0)
    engine->descriptors().add(static_cast<int>(fd), kind);
  return static_cast<int>(fd);
}

/// The program is about to create a descriptor.
void change_table(std::uint64_t site) {
  if (engine::Engine* engine = running())
    engine->descriptors().change_table(site);
  else
    run_constructors_for_descriptor();
}

int create_pair(long result, int* fds, FileKind kind, std::uint64_t site) {
  if (result == 0) access_buffer(fds, 2 * sizeof *fds, true, site);
  if (engine::Engine* engine = running(); engine != nullptr && result == 0)
    engine->descriptors().add_pair(fds[0], fds[1], kind);
  return static_cast<int>(result);
}

int copy_descriptor(int from, long to) {
  if (engine::Engine* engine = running(); engine != nullptr && to >= 0) {
    engine->descriptor_uses().open(static_cast<int>(to));
    engine->descriptors().copy(from, static_cast<int>(to));
  }
  return static_cast<int>(to);
}

/// Fills in what signalfd says of a signal.
signalfd_siginfo describe(const siginfo_t& info) {
  signalfd_siginfo out{};
  out.ssi_signo = static_cast<std::uint32_t>(info.si_signo);
  out.ssi_code = info.si_code;
  out.ssi_pid = static_cast<std::uint32_t>(info.si_pid);
  out.ssi_uid = info.si_uid;
  out.ssi_int = info.si_value.sival_int;
  out.ssi_ptr = reinterpret_cast<std::uint64_t>(info.si_value.sival_ptr);
  return out;
}

/// Takes pending signals through a file of signals.
ssize_t read_signals(engine::Engine& engine, int fd, void* buffer, std::size_t size, std::uint64_t site) {
  auto* out = static_cast<signalfd_siginfo*>(buffer);
  const std::size_t room = size / sizeof *out;
  std::size_t taken = 0;
  const auto take = [&]() -> long {
    const engine::DescriptorFile* file = engine.descriptors().file(fd);
    if (file == nullptr || file->kind != FileKind::signals) {  // another thread has closed it
      errno = EBADF;
      return -1;
    }
    const engine::SignalSet wanted = file->signals;
    siginfo_t info;
    while (taken < room && engine.signals().take_if_pending(wanted, &info, site) != 0) out[taken++] = describe(info);
    engine.descriptors().update_signal_files(engine.signals());
    if (taken != 0) return static_cast<long>(taken * sizeof *out);
    errno = EAGAIN;
    return -1;
  };
  if (room == 0) {
    errno = EINVAL;
    return -1;
  }
  for (;;) {
    engine.descriptors().update_signal_files(engine.signals());
    const ssize_t got = read_with(fd, false, site, take);
    if (got >= 0 || errno != EAGAIN || is_nonblocking(fd)) return got;
  }
}

/// Before a read that goes to the kernel. Returns false if it is interrupted.
bool begin_read(int fd, std::uint64_t site) {
  record_read_of_stdin(fd);
  if (running_for_call(fd, site) != nullptr) return true;
  if (engine::Engine* engine = running()) engine->file_uses().read(fd, site);
  return wait_for_outside_input(fd, site);
}

}  // namespace

ssize_t read_bytes(int fd, void* buffer, std::size_t size, std::uint64_t site) {
  if (!begin_read(fd, site)) return -1;
  ssize_t got = -1;
  engine::Engine* const engine = running_for_descriptor(fd);
  const FileKind kind = engine == nullptr ? FileKind::pipe : engine->descriptors().file(fd)->kind;
  if (kind == FileKind::signals)
    got = read_signals(*engine, fd, buffer, size, site);
  else if (size == 0 && kind == FileKind::pipe)
    got = kernel(SYS_read, fd, buffer, size);  // does not wait
  else
    got = read_with(fd, false, site, [&] { return kernel(SYS_read, fd, buffer, size); });
  if (got > 0) access_buffer(buffer, static_cast<std::size_t>(got), true, site);
  return got;
}

namespace {

ssize_t read_vectors(int fd, const iovec* vectors, int count, std::uint64_t site) {
  if (!begin_read(fd, site)) return -1;
  const ssize_t got = read_with(fd, false, site, [&] { return kernel(SYS_readv, fd, vectors, count); });
  if (got > 0) access_buffers(vectors, static_cast<std::size_t>(count), static_cast<std::size_t>(got), true, site);
  return got;
}

/// fcntl: only the commands that copy a descriptor change the table.
int control(int fd, int command, long argument, std::uint64_t site) {
  if (command != F_DUPFD && command != F_DUPFD_CLOEXEC)
    return static_cast<int>(kernel(SYS_fcntl, fd, command, argument));
  change_table(site);
  return copy_descriptor(fd, kernel(SYS_fcntl, fd, command, argument));
}

}  // namespace

ssize_t write_bytes(int fd, const void* buffer, std::size_t size, std::uint64_t site) {
  const iovec vector{const_cast<void*>(buffer), size};
  return write_vectors(fd, &vector, 1, nullptr, 0, site);
}

ssize_t write_vectors(int fd, const iovec* vectors, std::size_t count, const msghdr* message, int flags,
                      std::uint64_t site) {
  const std::size_t size = size_of(vectors, count);
  access_buffers(vectors, count, size, false, site);
  engine::Engine* engine = running_for_call(fd, site);
  if (engine == nullptr) {
    if (message != nullptr) return static_cast<ssize_t>(kernel(SYS_sendmsg, fd, message, flags));
    if (engine = running(); engine != nullptr) engine->file_uses().write(fd, site);
    if (count == 1) return static_cast<ssize_t>(kernel(SYS_write, fd, vectors->iov_base, vectors->iov_len));
    return static_cast<ssize_t>(kernel(SYS_writev, fd, vectors, count));
  }
  engine::Descriptors& descriptors = engine->descriptors();
  const FileKind kind = descriptors.file(fd)->kind;
  const engine::Patience patience =
      patience_of(*engine, fd, (flags & MSG_DONTWAIT) != 0, descriptors.file(fd)->send_timeout);
  iovec copy[IOV_MAX];
  if (count > IOV_MAX) {
    errno = EINVAL;
    return -1;
  }
  Output output(copy, vectors, count);
  for (;;) {
    const bool has_room = at_cancellation_point(*engine, engine::Interruptible::unless_restarted,
                                                [&] { return descriptors.put(fd, patience, site); });
    if (!has_room)
      errno = was_interrupted(*engine) ? EINTR : EAGAIN;
    else if (const long written = write_some(fd, kind, output, message, flags); written >= 0) {
      descriptors.update_waits(fd);
      output.advance(static_cast<std::size_t>(written));
      if (output.left() == 0 || !patience.waits || (kind == FileKind::socket && is_message_socket(fd)))
        return static_cast<ssize_t>(size - output.left());
      continue;
    } else if (errno == EAGAIN) {
      descriptors.yield_after_failed_try(site);
      if (patience.waits) continue;
      errno = EAGAIN;
    }
    if (errno == EPIPE && (flags & MSG_NOSIGNAL) == 0) raise_broken_pipe(*engine, site);
    const std::size_t done = size - output.left();
    return done != 0 ? static_cast<ssize_t>(done) : -1;
  }
}

#pragma GCC visibility push(default)
extern "C" {

// ---- creating and copying -----------------------------------------------------------------------------------

int pipe2(int* fds, int flags) {
  change_table(HEDDLE_CALLER);
  return create_pair(kernel(SYS_pipe2, fds, flags), fds, FileKind::pipe, HEDDLE_CALLER);
}
int pipe(int* fds) {
  change_table(HEDDLE_CALLER);
  return create_pair(kernel(SYS_pipe2, fds, 0), fds, FileKind::pipe, HEDDLE_CALLER);
}
int socketpair(int domain, int type, int protocol, int* fds) {
  change_table(HEDDLE_CALLER);
  return create_pair(kernel(SYS_socketpair, domain, type, protocol, fds), fds, FileKind::socket, HEDDLE_CALLER);
}
int eventfd(unsigned count, int flags) {
  change_table(HEDDLE_CALLER);
  return add_new(kernel(SYS_eventfd2, count, flags), FileKind::event_counter);
}
int signalfd(int fd, const sigset_t* mask, int flags) {
  engine::Engine* engine = running();
  change_table(HEDDLE_CALLER);
  if (engine == nullptr) return static_cast<int>(kernel(SYS_signalfd4, fd, mask, _NSIG / 8, flags));
  static_assert(int{SFD_NONBLOCK} == int{EFD_NONBLOCK} && int{SFD_CLOEXEC} == int{EFD_CLOEXEC});
  if (fd < 0) fd = add_new(kernel(SYS_eventfd2, 0, flags), FileKind::signals);
  engine::DescriptorFile* file = engine->descriptors().file(fd);
  if (file == nullptr || file->kind != FileKind::signals) {
    if (fd >= 0) errno = EINVAL;
    return -1;
  }
  std::memcpy(&file->signals, mask, sizeof file->signals);
  engine->descriptors().update_signal_files(engine->signals());
  return fd;
}
int inotify_init1(int flags) {
  change_table(HEDDLE_CALLER);
  return add_new(kernel(SYS_inotify_init1, flags), FileKind::other);
}
int inotify_init() { return inotify_init1(0); }
int dup(int fd) {
  change_table(HEDDLE_CALLER);
  return copy_descriptor(fd, kernel(SYS_dup, fd));
}

int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  const long argument = va_arg(arguments, long);
  va_end(arguments);
  return control(fd, command, argument, HEDDLE_CALLER);
}
int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));

// ---- reading and writing ------------------------------------------------------------------------------------

ssize_t read(int fd, void* buffer, std::size_t size) { return read_bytes(fd, buffer, size, HEDDLE_CALLER); }
ssize_t __read_chk(int fd, void* buffer, std::size_t size, std::size_t room) {
  if (size > room) __builtin_trap();
  return read_bytes(fd, buffer, size, HEDDLE_CALLER);
}
ssize_t readv(int fd, const iovec* vectors, int count) { return read_vectors(fd, vectors, count, HEDDLE_CALLER); }
ssize_t write(int fd, const void* buffer, std::size_t size) { return write_bytes(fd, buffer, size, HEDDLE_CALLER); }
ssize_t writev(int fd, const iovec* vectors, int count) {
  if (count < 0) {
    errno = EINVAL;
    return -1;
  }
  return write_vectors(fd, vectors, static_cast<std::size_t>(count), nullptr, 0, HEDDLE_CALLER);
}
int eventfd_read(int fd, eventfd_t* value) {
  return read_bytes(fd, value, sizeof *value, HEDDLE_CALLER) == sizeof *value ? 0 : -1;
}
int eventfd_write(int fd, eventfd_t value) {
  return write_bytes(fd, &value, sizeof value, HEDDLE_CALLER) == sizeof value ? 0 : -1;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
