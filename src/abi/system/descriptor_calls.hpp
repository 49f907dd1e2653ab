// What the entry points for descriptors share.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "abi/start/runtime.hpp"
#include "abi/threads/cancellation.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

/// A call of the kernel by number, past our own entry points.
template <typename... Arguments>
long kernel(long number, Arguments... arguments) {
  return engine::real().syscall(number, arguments...);
}

/// The engine, if the descriptor is one through which threads of the program communicate; null otherwise.
inline engine::Engine* running_for_descriptor(int fd) {
  engine::Engine* engine = running();
  return engine != nullptr && engine->descriptors().find(fd) != nullptr ? engine : nullptr;
}

/// running_for_descriptor() at the begin of a call, which may be a step in itself (Descriptors::find_number).
inline engine::Engine* running_for_call(int fd, std::uint64_t site) {
  if (engine::Engine* engine = running()) {
    engine->descriptor_uses().use(fd, site);
    engine->descriptors().find_number(fd, site);
  }
  return running_for_descriptor(fd);
}

bool is_nonblocking(int fd);
/// The wait that has just ended without a result was interrupted by a signal.
bool was_interrupted(engine::Engine& engine);
/// How long a call on the descriptor may wait.
engine::Patience patience_of(engine::Engine& engine, int fd, bool only_tries, std::uint64_t timeout);

/// Call when a descriptor between threads is created while no thread of the program runs: perhaps before main.
void run_constructors_for_descriptor();

std::size_t size_of(const iovec* vectors, std::size_t count);
/// Tells the race detector of the bytes that a call reads from memory, or has written to it, whatever the descriptor
/// is.
void access_buffer(const void* at, std::size_t size, bool is_write, std::uint64_t site);
void access_buffers(const iovec* vectors, std::size_t count, std::size_t size, bool is_write, std::uint64_t site);

/// A call that reads from the descriptor: waits until `call` does not block, and makes it. Returns what `call` returns;
/// -1 with EAGAIN if the call may not wait.
template <typename Call>
ssize_t read_with(int fd, bool only_tries, std::uint64_t site, Call call) {
  engine::Engine* engine = running_for_descriptor(fd);
  if (engine == nullptr) return static_cast<ssize_t>(call());
  engine::Descriptors& descriptors = engine->descriptors();
  const engine::Patience patience = patience_of(*engine, fd, only_tries, descriptors.file(fd)->receive_timeout);
  if (!at_cancellation_point(*engine, engine::Interruptible::unless_restarted,
                             [&] { return descriptors.take(fd, patience, site); })) {
    errno = was_interrupted(*engine) ? EINTR : EAGAIN;
    return -1;
  }
  const long result = call();
  if (result >= 0)
    descriptors.update_waits(fd);
  else if (errno == EAGAIN)
    descriptors.yield_after_failed_try(site);
  return static_cast<ssize_t>(result);
}

/// A descriptor that only the outside can make readable: waits until no other thread can run. Returns false, with
/// EINTR, if a signal interrupts the wait.
bool wait_for_outside_input(int fd, std::uint64_t site);

/// read and write, called from `site`.
ssize_t read_bytes(int fd, void* buffer, std::size_t size, std::uint64_t site);
ssize_t write_bytes(int fd, const void* buffer, std::size_t size, std::uint64_t site);

/// Writes all bytes to the descriptor, in several calls of the kernel if it has no room. `message`: for sockets, what
/// goes with the bytes; may be null.
ssize_t write_vectors(int fd, const iovec* vectors, std::size_t count, const msghdr* message, int flags,
                      std::uint64_t site);

}  // namespace heddle::abi
