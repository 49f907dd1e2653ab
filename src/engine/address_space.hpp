// Address space for the runtime's own state: reserved generously, touched lazily, never the program's.
#pragma once

#include <cstddef>
#include <span>

namespace heddle::engine {

/// Reserves readable and writable memory that costs nothing until it is touched. Where the address space is
/// limited (ulimit -v), takes half as much, again and again, down to `minimum`.
std::span<std::byte> reserve_memory(std::size_t wanted, std::size_t minimum);
/// Reserves such memory at a fixed address. Empty if the address range is in use, or there is no room.
std::span<std::byte> reserve_memory_at(void* address, std::size_t size);
/// Returns the pages to the system; their contents are lost.
void give_back(std::span<std::byte> memory);

}  // namespace heddle::engine
