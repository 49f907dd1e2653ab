// Sockets of the program: creating, connecting and accepting, names and options. TCP and UDP sockets reach the sockets
// of the same program without the network (engine/processes/loopback_socket.hpp). A socket that connects to an address
// where no thread of the program listens becomes a real one, whose peer is outside.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>

#include "abi/instrumentation/user_memory.hpp"
#include "abi/system/descriptor_calls.hpp"
#include "abi/system/loopback.hpp"

namespace heddle::abi {

namespace {

using engine::DescriptorFile;
using engine::Engine;
using engine::FileKind;
using engine::InternetAddress;
using engine::LoopbackSocket;
using engine::SocketOption;

constexpr int flag_bits = SOCK_NONBLOCK | SOCK_CLOEXEC;
// Clients never wait for room in the queue of a server: the kernel cuts this off at its own limit, 4096 or so.
constexpr int longest_queue = 65535;

int fail(int error) {
  errno = error;
  return -1;
}

bool is_emulated(int domain, int type, int protocol) {
  if (domain != AF_INET && domain != AF_INET6) return false;
  const int kind = type & ~flag_bits;
  return (kind == SOCK_STREAM && (protocol == 0 || protocol == IPPROTO_TCP)) ||
         (kind == SOCK_DGRAM && (protocol == 0 || protocol == IPPROTO_UDP));
}

/// Gives the socket a name in the kernel, and returns the state that goes with it.
LoopbackSocket* begin_emulation(Engine& engine, int fd, int domain, int type, int protocol) {
  auto* socket = engine.execution_arena().create<LoopbackSocket>();
  socket->domain = domain;
  socket->type = type & ~flag_bits;
  socket->protocol = protocol != 0 ? protocol : socket->type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP;
  const sa_family_t family = AF_UNIX;  // without a name: the kernel chooses one
  kernel(SYS_bind, fd, &family, sizeof family);
  socket->unix_name_size = sizeof socket->unix_name;
  kernel(SYS_getsockname, fd, &socket->unix_name, &socket->unix_name_size);
  return socket;
}

int create_socket(int domain, int type, int protocol, std::uint64_t site) {
  Engine* engine = running();
  if (engine == nullptr && (domain == AF_UNIX || is_emulated(domain, type, protocol)))
    run_constructors_for_descriptor();
  if (engine == nullptr || (domain != AF_UNIX && !is_emulated(domain, type, protocol)))
    return static_cast<int>(kernel(SYS_socket, domain, type, protocol));
  engine->descriptors().change_table(site);
  const long fd = kernel(SYS_socket, AF_UNIX, type, 0);
  if (fd < 0) return -1;
  DescriptorFile& file = engine->descriptors().add(static_cast<int>(fd), FileKind::socket);
  if (domain != AF_UNIX) file.internet = begin_emulation(*engine, static_cast<int>(fd), domain, type, protocol);
  return static_cast<int>(fd);
}

int bind_socket(Engine& engine, int fd, const sockaddr* address, socklen_t size) {
  LoopbackSocket* socket = internet_socket(fd);
  if (socket == nullptr) {
    const long result = kernel(SYS_bind, fd, address, size);
    DescriptorFile* file = engine.descriptors().file(fd);  // null if another thread has closed it
    if (result == 0 && file != nullptr && size <= sizeof file->unix_name) {
      std::memcpy(&file->unix_name, address, size);
      file->unix_name_size = size;
    }
    return static_cast<int>(result);
  }
  InternetAddress wanted;
  if (!read_address(*socket, address, size, wanted)) return fail(EINVAL);
  if (socket->local.port != 0) return fail(EINVAL);
  if (wanted.port != 0 && is_in_use(engine, *socket, wanted)) return fail(EADDRINUSE);
  socket->local = wanted;
  bind_to_any_port(engine, *socket);
  return 0;
}

int listen_on(Engine& engine, int fd, int queue, std::uint64_t site) {
  engine.descriptors().release(fd, site);
  LoopbackSocket* socket = internet_socket(fd);
  if (socket == nullptr) return static_cast<int>(kernel(SYS_listen, fd, queue));
  if (socket->type != SOCK_STREAM) return fail(EOPNOTSUPP);
  if (socket->local.port != 0 && is_in_use(engine, *socket, socket->local)) return fail(EADDRINUSE);
  bind_to_any_port(engine, *socket);
  if (kernel(SYS_listen, fd, longest_queue) != 0) return -1;
  socket->is_listening = true;
  return 0;
}

/// No thread of the program listens there: makes the socket a real one, whose peer is outside.
int connect_outside(Engine& engine, int fd, const LoopbackSocket& socket, const sockaddr* to, socklen_t size) {
  const long real = kernel(SYS_socket, socket.domain, socket.type | SOCK_CLOEXEC, socket.protocol);
  if (real < 0) return -1;
  for (const SocketOption& option : socket.options)
    kernel(SYS_setsockopt, real, option.level, option.name, option.value, option.size);
  const long status = kernel(SYS_fcntl, fd, F_GETFL), flags = kernel(SYS_fcntl, fd, F_GETFD);
  kernel(SYS_fcntl, real, F_SETFL, status);
  kernel(SYS_dup3, real, fd, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  kernel(SYS_close, real);
  engine.descriptors().forget(fd);
  return static_cast<int>(kernel(SYS_connect, fd, to, size));
}

/// The listening socket hears of a new client. The order of what both do is fixed from here on, so the kernel connects
/// at once.
int connect_inside(Engine& engine, int fd, const LocalAddress& listener, const sockaddr* to, socklen_t size) {
  const bool is_emulated = listener.size != 0;
  const long result = kernel(SYS_connect, fd, is_emulated ? reinterpret_cast<const sockaddr*>(&listener.address) : to,
                             is_emulated ? listener.size : size);
  if (result != 0) return -1;
  LoopbackSocket* socket = internet_socket(fd);
  if (socket != nullptr) bind_to_any_port(engine, *socket);
  engine::Descriptors& descriptors = engine.descriptors();
  if (DescriptorFile* file = descriptors.file(listener.fd)) {
    const InternetAddress from = socket == nullptr ? InternetAddress{} : socket->local;
    file->clients.push_back(engine.execution_arena(), {descriptors.file(fd), from});
    descriptors.update_waits(listener.fd);
  }
  return 0;
}

/// The socket of the program that listens at the address. What the current thread did happens before it accepts.
Peer announce_client(Engine& engine, int fd, const sockaddr* to, socklen_t size, LocalAddress& found,
                     std::uint64_t site) {
  engine.descriptors().release(fd, site);
  LocalAddress first;
  find_peer(fd, to, size, first);
  if (first.fd >= 0) engine.descriptors().release(first.fd, site);
  return find_peer(fd, to, size, found);  // other threads have run since
}

int connect_to(Engine& engine, int fd, const sockaddr* to, socklen_t size, std::uint64_t site) {
  LocalAddress found;
  const Peer peer = announce_client(engine, fd, to, size, found, site);
  if (peer == Peer::none) engine.descriptors().answer_waits_for_server();
  LoopbackSocket* socket = internet_socket(fd);
  if (socket == nullptr) return connect_inside(engine, fd, found, to, size);
  if (to->sa_family == AF_UNSPEC) {
    socket->has_peer = false;
    return 0;
  }
  InternetAddress address;
  if (!read_address(*socket, to, size, address)) return fail(EAFNOSUPPORT);
  if (socket->type == SOCK_DGRAM) {
    bind_to_any_port(engine, *socket);
  } else {
    if (socket->has_peer) return fail(EISCONN);
    if (peer == Peer::none) return connect_outside(engine, fd, *socket, to, size);
    if (connect_inside(engine, fd, found, to, size) != 0) return -1;
  }
  socket->peer = address;
  socket->has_peer = true;
  engine.descriptors().update_waits(fd);
  return 0;
}

int accept_client(int fd, sockaddr* address, socklen_t* size, int flags, std::uint64_t site) {
  Engine* engine = running_for_call(fd, site);
  if (engine == nullptr) {
    if (!wait_for_outside_input(fd, site)) return -1;
    return static_cast<int>(kernel(SYS_accept4, fd, address, size, flags));
  }
  LoopbackSocket* socket = internet_socket(fd);
  const auto accepted = static_cast<int>(read_with(fd, false, site, [&] {
    return socket == nullptr ? kernel(SYS_accept4, fd, address, size, flags)
                             : kernel(SYS_accept4, fd, nullptr, nullptr, flags);
  }));
  if (accepted < 0) return accepted;
  engine::Descriptors& descriptors = engine->descriptors();
  DescriptorFile& listener = *descriptors.file(fd);
  if (listener.clients.empty()) return accepted;  // it came from outside
  const engine::WaitingClient client = listener.clients[0];
  listener.clients.erase(0);
  if (client.file->descriptors[0] != 0)
    descriptors.add_other_end(accepted, *client.file);
  else
    descriptors.add(accepted, FileKind::socket);  // the client has gone
  if (socket == nullptr) return accepted;
  auto* server_side = engine->execution_arena().create<LoopbackSocket>(*socket);
  server_side->is_listening = false;
  server_side->has_peer = true;
  server_side->peer = loopback_host(*socket, client.address.port);
  server_side->local = loopback_host(*socket, socket->local.port);
  server_side->options = {};  // a copy of its own: as with the kernel, the listener's options are inherited once
  for (const SocketOption& option : socket->options) server_side->options.push_back(engine->execution_arena(), option);
  DescriptorFile& file = *descriptors.file(accepted);
  (descriptors.find(accepted)->end == 0 ? file.internet : file.accepted) = server_side;
  write_address(*socket, server_side->peer, address, size);
  return accepted;
}

// ---- options ----------------------------------------------------------------------------------------------------

/// Options of TCP, IP and the like, and those that Unix sockets treat in another way.
bool is_kept(int level, int name) {
  return level != SOL_SOCKET || name == SO_REUSEADDR || name == SO_REUSEPORT || name == SO_KEEPALIVE ||
         name == SO_BROADCAST || name == SO_DONTROUTE || name == SO_BINDTODEVICE;
}

SocketOption* find_option(LoopbackSocket& socket, int level, int name) {
  for (SocketOption& option : socket.options)
    if (option.level == level && option.name == name) return &option;
  return nullptr;
}

int set_option(Engine& engine, int fd, int level, int name, const void* value, socklen_t size) {
  DescriptorFile& file = *engine.descriptors().file(fd);
  if (level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO) && size == sizeof(timeval)) {
    timeval time;
    std::memcpy(&time, value, sizeof time);
    (name == SO_RCVTIMEO ? file.receive_timeout : file.send_timeout) = nanoseconds({time.tv_sec, time.tv_usec * 1000});
    return 0;
  }
  LoopbackSocket* socket = internet_socket(fd);
  if (socket == nullptr || !is_kept(level, name))
    return static_cast<int>(kernel(SYS_setsockopt, fd, level, name, value, size));
  SocketOption* option = find_option(*socket, level, name);
  if (option == nullptr) option = &socket->options.push_back(engine.execution_arena(), {level, name, {}, 0});
  option->size = std::min<std::uint32_t>(size, sizeof option->value);
  std::memcpy(option->value, value, option->size);
  return 0;
}

int get_option(int fd, int level, int name, void* value, socklen_t* size) {
  LoopbackSocket* socket = internet_socket(fd);
  if (socket == nullptr) return static_cast<int>(kernel(SYS_getsockopt, fd, level, name, value, size));
  const auto give = [&](const void* from, std::size_t bytes) {
    const auto shown = std::min<std::size_t>(bytes, *size);
    std::memcpy(value, from, shown);
    *size = static_cast<socklen_t>(shown);
    return 0;
  };
  if (level == SOL_SOCKET && name == SO_DOMAIN) return give(&socket->domain, sizeof socket->domain);
  if (level == SOL_SOCKET && name == SO_PROTOCOL) return give(&socket->protocol, sizeof socket->protocol);
  if (!is_kept(level, name)) return static_cast<int>(kernel(SYS_getsockopt, fd, level, name, value, size));
  if (const SocketOption* option = find_option(*socket, level, name)) return give(option->value, option->size);
  std::memset(value, 0, *size);
  return 0;
}

/// An array that a call fills, whose size is in and out: the call reads how much room there is, and writes how much is
/// needed.
class Room {
 public:
  Room(const void* array, const socklen_t* size, std::uint64_t site)
      : array_(array), size_(size), room_(array == nullptr || size == nullptr ? 0 : *size), site_(site) {
    if (array != nullptr) reads_object(size, site);
  }
  /// Passes on what the call returned: an error if it is negative.
  int announce(int result) const {
    if (result < 0 || array_ == nullptr || size_ == nullptr) return result;
    announce_array(array_, std::min(room_, *size_), true, site_);
    writes_object(size_, site_);
    return result;
  }

 private:
  const void* array_;
  const socklen_t* size_;
  socklen_t room_;
  std::uint64_t site_;
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int socket(int domain, int type, int protocol) { return create_socket(domain, type, protocol, HEDDLE_CALLER); }

int bind(int fd, const sockaddr* address, socklen_t size) {
  announce_array(address, size, false, HEDDLE_CALLER);
  Engine* engine = running_for_descriptor(fd);
  if (engine == nullptr) return static_cast<int>(kernel(SYS_bind, fd, address, size));
  engine->descriptors().change_table(HEDDLE_CALLER);
  return bind_socket(*engine, fd, address, size);
}
int listen(int fd, int queue) {
  Engine* engine = running_for_call(fd, HEDDLE_CALLER);
  if (engine == nullptr) return static_cast<int>(kernel(SYS_listen, fd, queue));
  return listen_on(*engine, fd, queue, HEDDLE_CALLER);
}
int connect(int fd, const sockaddr* address, socklen_t size) {
  announce_array(address, size, false, HEDDLE_CALLER);
  Engine* engine = running_for_call(fd, HEDDLE_CALLER);
  if (engine == nullptr) return static_cast<int>(kernel(SYS_connect, fd, address, size));
  return connect_to(*engine, fd, address, size, HEDDLE_CALLER);
}
int accept(int fd, sockaddr* address, socklen_t* size) {
  const Room room(address, size, HEDDLE_CALLER);
  return room.announce(accept_client(fd, address, size, 0, HEDDLE_CALLER));
}
int accept4(int fd, sockaddr* address, socklen_t* size, int flags) {
  const Room room(address, size, HEDDLE_CALLER);
  return room.announce(accept_client(fd, address, size, flags, HEDDLE_CALLER));
}

int getsockname(int fd, sockaddr* address, socklen_t* size) {
  const Room room(address, size, HEDDLE_CALLER);
  const LoopbackSocket* socket = internet_socket(fd);
  if (socket == nullptr) return room.announce(static_cast<int>(kernel(SYS_getsockname, fd, address, size)));
  const bool shows_loopback = socket->has_peer && socket->local.port != 0;
  write_address(*socket, shows_loopback ? loopback_host(*socket, socket->local.port) : socket->local, address, size);
  return room.announce(0);
}
int getpeername(int fd, sockaddr* address, socklen_t* size) {
  const Room room(address, size, HEDDLE_CALLER);
  const LoopbackSocket* socket = internet_socket(fd);
  if (socket == nullptr) return room.announce(static_cast<int>(kernel(SYS_getpeername, fd, address, size)));
  if (!socket->has_peer) return fail(ENOTCONN);
  write_address(*socket, socket->peer, address, size);
  return room.announce(0);
}
int setsockopt(int fd, int level, int name, const void* value, socklen_t size) {
  announce_array(value, size, false, HEDDLE_CALLER);
  Engine* engine = running_for_descriptor(fd);
  if (engine == nullptr || value == nullptr)
    return static_cast<int>(kernel(SYS_setsockopt, fd, level, name, value, size));
  return set_option(*engine, fd, level, name, value, size);
}
int getsockopt(int fd, int level, int name, void* value, socklen_t* size) {
  const Room room(value, size, HEDDLE_CALLER);
  return room.announce(get_option(fd, level, name, value, size));
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
