// A TCP or UDP socket of the program. Threads of one program reach each other without the network: the descriptor is
// that of a Unix socket of the same type, and the Internet addresses are kept here. So an execution does not depend on
// which ports other processes use, or on how long the kernel keeps the ports of earlier executions.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

#include "base/arena.hpp"

namespace heddle::engine {

struct DescriptorFile;

/// A host and a port, in the byte order of the network. IPv4 hosts have the first four bytes.
struct InternetAddress {
  std::uint8_t host[16] = {};
  std::uint16_t port = 0;
};

struct SocketOption {
  int level;
  int name;
  std::uint8_t value[32];
  std::uint32_t size;
};

struct LoopbackSocket {
  int domain = 0;  ///< AF_INET or AF_INET6
  int type = 0;    ///< SOCK_STREAM or SOCK_DGRAM
  int protocol = 0;
  bool is_listening = false;
  bool has_peer = false;
  InternetAddress local;  ///< port 0: not bound
  InternetAddress peer;
  sockaddr_storage unix_name = {};  ///< by which the kernel knows it
  socklen_t unix_name_size = 0;
  base::ArenaVector<SocketOption> options;  ///< that Unix sockets do not have
};

/// A client that has connected to a listening socket, which has not accepted it.
struct WaitingClient {
  DescriptorFile* file;
  InternetAddress address;
};

}  // namespace heddle::engine
