// Address space for the runtime: reserved generously, touched lazily.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::engine {

/// Where the memory lies whose addresses the program sees: far from where the kernel puts programs, libraries and
/// stacks, so that the addresses are the same in every process, also with address randomisation.
namespace layout {
#ifdef HEDDLE_SANITIZED  // AddressSanitizer's own heap begins at 0x600000000000
inline constexpr std::uintptr_t program_heap = 0x500000000000;
#else
inline constexpr std::uintptr_t program_heap = 0x600000000000;
#endif
inline constexpr std::uintptr_t mappings = 0x300000000000;
inline constexpr std::uintptr_t library_heap = 0x400000000000;
inline constexpr std::uintptr_t loader_heap = 0x460000000000;
inline constexpr std::uintptr_t stacks = 0x480000000000;
inline constexpr std::uintptr_t thread_storage = 0x490000000000;
}  // namespace layout

/// Reserves readable and writable memory that costs nothing until it is touched. Where the address space is
/// limited (ulimit -v), takes half as much, again and again, down to `minimum`.
std::span<std::byte> reserve_memory(std::size_t wanted, std::size_t minimum);
/// mmap without the interposer of abi/, which is for the program. Usable before the C library's functions are found.
void* map_memory(void* address, std::size_t size, int protection, int flags, int fd = -1, long offset = 0);
/// Reserves such memory at a fixed address. Empty if the address range is in use, or there is no room.
std::span<std::byte> reserve_memory_at(void* address, std::size_t size);
/// Unmaps all of the range that is mapped.
void unmap_memory(std::uintptr_t begin, std::size_t size);
/// Returns the pages to the system; their contents are lost.
void give_back(std::span<std::byte> memory);

}  // namespace heddle::engine
