#include "engine/address_space.hpp"

#include <sys/mman.h>

#include <cstdint>

#include "base/check.hpp"

namespace heddle::engine {

namespace {
constexpr std::uintptr_t page = 4096;
constexpr int protection = PROT_READ | PROT_WRITE;
constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
}  // namespace

std::span<std::byte> reserve_memory(std::size_t wanted, std::size_t minimum) {
  for (std::size_t size = wanted; size >= minimum; size /= 2) {
    void* memory = ::mmap(nullptr, size, protection, flags, -1, 0);
    if (memory != MAP_FAILED) return {static_cast<std::byte*>(memory), size};
  }
  base::check_failed(__FILE__, __LINE__, "mmap", "no address space left for heddle's own state (ulimit -v?)");
}

std::span<std::byte> reserve_memory_at(void* address, std::size_t size) {
  void* memory = ::mmap(address, size, protection, flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED) return {};
  if (memory != address) {  // a kernel that does not know MAP_FIXED_NOREPLACE
    ::munmap(memory, size);
    return {};
  }
  return {static_cast<std::byte*>(memory), size};
}

void give_back(std::span<std::byte> memory) {
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory.data()) + page - 1) & ~(page - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(memory.data() + memory.size()) & ~(page - 1);
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace heddle::engine
