#include "abi/system/loopback.hpp"

#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>

#include "abi/system/descriptor_calls.hpp"

namespace heddle::abi {

namespace {

using engine::DescriptorFile;
using engine::InternetAddress;
using engine::LoopbackSocket;

// The ports that a socket gets if the program asks for any.
constexpr std::uint16_t first_free_port = 32768;

bool is_any_host(const InternetAddress& address) {
  return std::all_of(std::begin(address.host), std::end(address.host), [](std::uint8_t byte) { return byte == 0; });
}
bool same_host(const InternetAddress& a, const InternetAddress& b) {
  return is_any_host(a) || is_any_host(b) || std::memcmp(a.host, b.host, sizeof a.host) == 0;
}

/// Calls visit(fd, file) for one descriptor of each socket.
template <typename Visitor>
void for_each_socket(engine::Descriptors& descriptors, Visitor visit) {
  for (int fd = 0; fd < descriptors.end(); ++fd) {
    DescriptorFile* file = descriptors.file(fd);
    if (file != nullptr && file->kind == engine::FileKind::socket && file->number == fd && visit(fd, *file)) return;
  }
}

bool has_option(const LoopbackSocket& socket, int name) {
  for (const engine::SocketOption& option : socket.options)
    if (option.level == SOL_SOCKET && option.name == name) return option.value[0] != 0;
  return false;
}

}  // namespace

LoopbackSocket* internet_socket(int fd) {
  engine::Engine* engine = running();
  const engine::Descriptor* known = engine == nullptr ? nullptr : engine->descriptors().find(fd);
  if (known == nullptr) return nullptr;
  return known->end == 0 ? known->file->internet : known->file->accepted;
}

bool read_address(const LoopbackSocket& socket, const sockaddr* from, socklen_t size, InternetAddress& out) {
  out = {};
  if (from == nullptr || size < sizeof(sockaddr_in)) return false;
  sockaddr_in v4;
  std::memcpy(&v4, from, sizeof v4);
  if (v4.sin_family == AF_INET) {
    if (socket.domain == AF_INET6) return false;
    std::memcpy(out.host, &v4.sin_addr, sizeof v4.sin_addr);
    out.port = v4.sin_port;
    return true;
  }
  sockaddr_in6 v6;
  if (v4.sin_family != AF_INET6 || socket.domain != AF_INET6 || size < sizeof v6) return false;
  std::memcpy(&v6, from, sizeof v6);
  std::memcpy(out.host, &v6.sin6_addr, sizeof out.host);
  out.port = v6.sin6_port;
  return true;
}

void write_address(const LoopbackSocket& socket, const InternetAddress& address, sockaddr* to, socklen_t* size) {
  if (to == nullptr || size == nullptr) return;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = address.port;
  std::memcpy(&v4.sin_addr, address.host, sizeof v4.sin_addr);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = address.port;
  std::memcpy(&v6.sin6_addr, address.host, sizeof v6.sin6_addr);
  const bool is_v6 = socket.domain == AF_INET6;
  const void* bytes = is_v6 ? static_cast<const void*>(&v6) : &v4;
  const socklen_t needed = is_v6 ? sizeof v6 : sizeof v4;
  std::memcpy(to, bytes, std::min(needed, *size));
  *size = needed;
}

bool is_in_use(engine::Engine& engine, const LoopbackSocket& asking, const InternetAddress& address) {
  bool found = false;
  for_each_socket(engine.descriptors(), [&](int, const DescriptorFile& file) {
    const LoopbackSocket* other = file.internet;
    if (other == nullptr || other == &asking || other->type != asking.type || other->local.port != address.port)
      return false;
    if (other->has_peer && other->type == SOCK_STREAM) return false;  // a connection, not a server
    if (!same_host(other->local, address)) return false;
    const bool both_share = has_option(*other, SO_REUSEPORT) && has_option(asking, SO_REUSEPORT);
    const bool both_reuse = has_option(*other, SO_REUSEADDR) && has_option(asking, SO_REUSEADDR);
    return found = !both_share && !(both_reuse && !other->is_listening);
  });
  return found;
}

void bind_to_any_port(engine::Engine& engine, LoopbackSocket& socket) {
  if (socket.local.port != 0) return;
  InternetAddress address = socket.local;
  for (std::uint32_t port = first_free_port; port < 65536; ++port) {
    address.port = htons(static_cast<std::uint16_t>(port));
    bool taken = false;
    for_each_socket(engine.descriptors(), [&](int, const DescriptorFile& file) {
      return taken = file.internet != nullptr && file.internet->local.port == address.port;
    });
    if (taken) continue;
    socket.local = address;
    return;
  }
}

Peer find_peer(int fd, const sockaddr* to, socklen_t size, LocalAddress& found) {
  engine::Engine* engine = running();
  const LoopbackSocket* socket = internet_socket(fd);
  if (socket == nullptr) {
    // A Unix socket: the kernel finds the peer, the engine must know it too.
    for_each_socket(engine->descriptors(), [&](int other, const DescriptorFile& file) {
      if (file.unix_name_size != size || std::memcmp(&file.unix_name, to, size) != 0) return false;
      found.fd = other;
      return true;
    });
    return Peer::not_emulated;
  }
  InternetAddress address;
  if (!read_address(*socket, to, size, address)) return Peer::none;
  for_each_socket(engine->descriptors(), [&](int other, const DescriptorFile& file) {
    const LoopbackSocket* candidate = file.internet;
    if (candidate == nullptr || candidate->type != socket->type || candidate->local.port != address.port) return false;
    if (candidate->type == SOCK_STREAM && !candidate->is_listening) return false;
    if (candidate->domain == socket->domain && !same_host(candidate->local, address)) return false;
    found.fd = other;
    std::memcpy(&found.address, &candidate->unix_name, candidate->unix_name_size);
    found.size = candidate->unix_name_size;
    return true;
  });
  return found.fd < 0 ? Peer::none : Peer::inside;
}

void show_address(int fd, sockaddr* from, socklen_t* size, socklen_t room) {
  const LoopbackSocket* socket = internet_socket(fd);
  if (socket == nullptr || from == nullptr || size == nullptr) return;
  InternetAddress sender = socket->peer;
  const socklen_t written = std::min(*size, room);
  for_each_socket(running()->descriptors(), [&](int, const DescriptorFile& file) {
    const LoopbackSocket* other = file.internet;
    if (other == nullptr || other->unix_name_size != *size || std::memcmp(&other->unix_name, from, written) != 0)
      return false;
    sender = other->local;
    if (is_any_host(sender)) sender = loopback_host(*other, sender.port);
    return true;
  });
  *size = room;
  write_address(*socket, sender, from, size);
}

InternetAddress loopback_host(const LoopbackSocket& socket, std::uint16_t port) {
  InternetAddress address;
  if (socket.domain == AF_INET6) {
    address.host[15] = 1;
  } else {
    address.host[0] = 127;
    address.host[3] = 1;
  }
  address.port = port;
  return address;
}

void add_received_descriptors(const msghdr& message) {
  engine::Engine* engine = running();
  engine::Descriptors& descriptors = engine->descriptors();
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(const_cast<msghdr*>(&message), part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int received = -1;
      std::memcpy(&received, CMSG_DATA(part) + i * sizeof(int), sizeof received);
      for (int fd = 0; fd < descriptors.end(); ++fd) {
        constexpr int compares_files = 0;  // KCMP_FILE
        const long self = kernel(SYS_getpid);
        if (fd == received || descriptors.find(fd) == nullptr ||
            kernel(SYS_kcmp, self, self, compares_files, received, fd) != 0)
          continue;
        descriptors.copy(fd, received);
        break;
      }
    }
  }
}

}  // namespace heddle::abi
