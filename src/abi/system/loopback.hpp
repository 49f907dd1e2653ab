// The addresses of the program's sockets: which socket of the program an address stands for, and which address the
// program sees (engine/processes/loopback_socket.hpp).
#pragma once

#include <sys/socket.h>

#include "engine/engine.hpp"

namespace heddle::abi {

/// The name by which the kernel knows a socket of the program.
struct LocalAddress {
  sockaddr_storage address = {};
  socklen_t size = 0;
  int fd = -1;  ///< one of the socket's descriptors
};

enum class Peer : std::uint8_t {
  inside,        ///< a socket of the program
  none,          ///< no socket of the program
  not_emulated,  ///< the socket is none of the emulated ones: the kernel knows
};

/// The socket of the program that `to` stands for, as the socket `fd` would reach it.
Peer find_peer(int fd, const sockaddr* to, socklen_t size, LocalAddress& found);
/// The state of the socket, if it is a TCP or UDP socket whose network is emulated; null otherwise.
engine::LoopbackSocket* internet_socket(int fd);
/// Reads an Internet address. Returns false if it is none of the socket's family.
bool read_address(const engine::LoopbackSocket& socket, const sockaddr* from, socklen_t size,
                  engine::InternetAddress& out);
/// Writes an Internet address as the C library's functions do: no more than fits, and the size that is needed.
void write_address(const engine::LoopbackSocket& socket, const engine::InternetAddress& address, sockaddr* to,
                   socklen_t* size);
/// The address of the program's own host, with this port.
engine::InternetAddress loopback_host(const engine::LoopbackSocket& socket, std::uint16_t port);
/// The kernel has written the name of a sender into `from`, which has this much room. Replaces it by the address that
/// the program knows.
void show_address(int fd, sockaddr* from, socklen_t* size, socklen_t room);
/// Gives the socket a free port, unless it has one.
void bind_to_any_port(engine::Engine& engine, engine::LoopbackSocket& socket);
/// True if a socket of the same type uses the address.
bool is_in_use(engine::Engine& engine, const engine::LoopbackSocket& asking, const engine::InternetAddress& address);
/// Descriptors that came with a message (SCM_RIGHTS) refer to known files.
void add_received_descriptors(const msghdr& message);

}  // namespace heddle::abi
