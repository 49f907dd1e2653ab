// Sending and receiving on sockets between threads of the program.
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>

#include "abi/system/descriptor_calls.hpp"
#include "abi/system/loopback.hpp"

namespace heddle::abi {

namespace {

using engine::Engine;
using engine::LoopbackSocket;

ssize_t receive(int fd, void* buffer, std::size_t size, int flags, sockaddr* from, socklen_t* from_size,
                std::uint64_t site) {
  if (running_for_call(fd, site) == nullptr) {
    if ((flags & MSG_DONTWAIT) == 0 && !wait_for_outside_input(fd, site)) return -1;
    const long got = kernel(SYS_recvfrom, fd, buffer, size, flags, from, from_size);
    if (got > 0) access_buffer(buffer, std::min(static_cast<std::size_t>(got), size), true, site);
    return static_cast<ssize_t>(got);
  }
  const socklen_t room = from_size == nullptr ? 0 : *from_size;
  // MSG_WAITALL would block in the kernel: the call is repeated instead, until it has all bytes or finds the end.
  const bool wants_all = (flags & (MSG_WAITALL | MSG_PEEK | MSG_TRUNC)) == MSG_WAITALL;
  flags &= ~MSG_WAITALL;
  auto* at = static_cast<char*>(buffer);
  std::size_t all = 0;
  for (;;) {
    const ssize_t got = read_with(fd, (flags & MSG_DONTWAIT) != 0, site, [&] {
      return kernel(SYS_recvfrom, fd, at + all, size - all, flags, from, from_size);
    });
    if (got > 0) access_buffer(at + all, std::min(static_cast<std::size_t>(got), size - all), true, site);
    if (got >= 0 && from != nullptr) show_address(fd, from, from_size, room);
    if (got < 0) return all != 0 ? static_cast<ssize_t>(all) : got;
    all += static_cast<std::size_t>(got);
    if (got == 0 || all >= size || !wants_all) return static_cast<ssize_t>(all);
  }
}

ssize_t receive_message(int fd, msghdr* message, int flags, std::uint64_t site) {
  if (running_for_call(fd, site) == nullptr) {
    if ((flags & MSG_DONTWAIT) == 0 && !wait_for_outside_input(fd, site)) return -1;
    const long got = kernel(SYS_recvmsg, fd, message, flags);
    if (got > 0) access_buffers(message->msg_iov, message->msg_iovlen, static_cast<std::size_t>(got), true, site);
    return static_cast<ssize_t>(got);
  }
  const socklen_t room = message->msg_namelen;
  const ssize_t got = read_with(fd, (flags & MSG_DONTWAIT) != 0, site,
                                [&] { return kernel(SYS_recvmsg, fd, message, flags & ~MSG_WAITALL); });
  if (got > 0) access_buffers(message->msg_iov, message->msg_iovlen, static_cast<std::size_t>(got), true, site);
  if (got >= 0 && message->msg_name != nullptr)
    show_address(fd, static_cast<sockaddr*>(message->msg_name), &message->msg_namelen, room);
  if (got >= 0) add_received_descriptors(*message);
  return got;
}

std::size_t size_of(const msghdr& message) { return abi::size_of(message.msg_iov, message.msg_iovlen); }

/// A datagram is lost if no socket has the address, or if that socket has no room.
ssize_t send_datagram(int fd, const LoopbackSocket& socket, const msghdr& message, int flags, std::uint64_t site) {
  sockaddr_storage peer;
  socklen_t peer_size = sizeof peer;
  write_address(socket, socket.peer, reinterpret_cast<sockaddr*>(&peer), &peer_size);
  if (message.msg_name == nullptr && !socket.has_peer) {
    errno = EDESTADDRREQ;
    return -1;
  }
  LocalAddress to;
  if (message.msg_name != nullptr)
    find_peer(fd, static_cast<const sockaddr*>(message.msg_name), message.msg_namelen, to);
  else
    find_peer(fd, reinterpret_cast<const sockaddr*>(&peer), peer_size, to);
  Engine& engine = *running();
  bind_to_any_port(engine, *internet_socket(fd));
  access_buffers(message.msg_iov, message.msg_iovlen, size_of(message), false, site);
  if (to.fd >= 0) {
    engine.descriptors().release(to.fd, site);
    msghdr real = message;
    real.msg_name = &to.address;
    real.msg_namelen = to.size;
    if (kernel(SYS_sendmsg, fd, &real, flags | MSG_DONTWAIT) < 0 && errno == EMSGSIZE) return -1;
    engine.descriptors().update_waits(to.fd);
  }
  return static_cast<ssize_t>(size_of(message));
}

ssize_t send_message(int fd, const msghdr& message, int flags, std::uint64_t site) {
  const LoopbackSocket* socket = internet_socket(fd);
  if (socket != nullptr && socket->type == SOCK_DGRAM) return send_datagram(fd, *socket, message, flags, site);
  LocalAddress to;
  if (message.msg_name != nullptr)
    find_peer(fd, static_cast<const sockaddr*>(message.msg_name), message.msg_namelen, to);
  engine::Descriptors& descriptors = running()->descriptors();
  if (to.fd >= 0) descriptors.release(to.fd, site);
  const ssize_t sent = write_vectors(fd, message.msg_iov, message.msg_iovlen, &message, flags, site);
  if (to.fd >= 0 && sent >= 0) descriptors.update_waits(to.fd);
  return sent;
}

ssize_t send_bytes(int fd, const void* buffer, std::size_t size, int flags, const sockaddr* to, socklen_t to_size,
                   std::uint64_t site) {
  if (running_for_call(fd, site) == nullptr) {
    access_buffer(buffer, size, false, site);
    return static_cast<ssize_t>(kernel(SYS_sendto, fd, buffer, size, flags, to, to_size));
  }
  iovec vector{const_cast<void*>(buffer), size};
  msghdr message{};
  message.msg_name = const_cast<sockaddr*>(to);
  message.msg_namelen = to_size;
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  return send_message(fd, message, flags, site);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

ssize_t recv(int fd, void* buffer, std::size_t size, int flags) {
  return receive(fd, buffer, size, flags, nullptr, nullptr, HEDDLE_CALLER);
}
ssize_t __recv_chk(int fd, void* buffer, std::size_t size, std::size_t room, int flags) {
  if (size > room) __builtin_trap();
  return receive(fd, buffer, size, flags, nullptr, nullptr, HEDDLE_CALLER);
}
ssize_t recvfrom(int fd, void* buffer, std::size_t size, int flags, sockaddr* from, socklen_t* from_size) {
  return receive(fd, buffer, size, flags, from, from_size, HEDDLE_CALLER);
}
ssize_t __recvfrom_chk(int fd, void* buffer, std::size_t size, std::size_t room, int flags, sockaddr* from,
                       socklen_t* from_size) {
  if (size > room) __builtin_trap();
  return receive(fd, buffer, size, flags, from, from_size, HEDDLE_CALLER);
}
ssize_t recvmsg(int fd, msghdr* message, int flags) { return receive_message(fd, message, flags, HEDDLE_CALLER); }

ssize_t send(int fd, const void* buffer, std::size_t size, int flags) {
  return send_bytes(fd, buffer, size, flags, nullptr, 0, HEDDLE_CALLER);
}
ssize_t sendto(int fd, const void* buffer, std::size_t size, int flags, const sockaddr* to, socklen_t to_size) {
  return send_bytes(fd, buffer, size, flags, to, to_size, HEDDLE_CALLER);
}
ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  if (running_for_call(fd, HEDDLE_CALLER) == nullptr) {
    access_buffers(message->msg_iov, message->msg_iovlen, size_of(*message), false, HEDDLE_CALLER);
    return static_cast<ssize_t>(kernel(SYS_sendmsg, fd, message, flags));
  }
  return send_message(fd, *message, flags, HEDDLE_CALLER);
}

int shutdown(int fd, int how) {
  Engine* engine = running_for_call(fd, HEDDLE_CALLER);
  if (engine != nullptr) engine->descriptors().release(fd, HEDDLE_CALLER);
  const long result = kernel(SYS_shutdown, fd, how);
  if (engine != nullptr) engine->descriptors().update_waits(fd);
  return static_cast<int>(result);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
