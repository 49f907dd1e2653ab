#include "engine/isolation/address_space.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>

#include "base/check.hpp"

namespace heddle::engine {

namespace {
constexpr std::uintptr_t page = 4096;
constexpr int protection = PROT_READ | PROT_WRITE;
constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

/// Returns the negative error number if the kernel refuses.
long system_call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = e;
  register long sixth asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return result;
#else
  register long first asm("x0") = a;
  register long second asm("x1") = b;
  register long third asm("x2") = c;
  register long fourth asm("x3") = d;
  register long fifth asm("x4") = e;
  register long sixth asm("x5") = f;
  register long which asm("x8") = number;
  asm volatile("svc 0"
               : "+r"(first)
               : "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth), "r"(which)
               : "memory");
  return first;
#endif
}
}  // namespace

void* map_memory(void* address, std::size_t size, int protection_of_pages, int how, int fd, long offset) {
  const long result = system_call(SYS_mmap, reinterpret_cast<long>(address), static_cast<long>(size),
                                  protection_of_pages, how, fd, offset);
  if (result >= 0 || result < -4095) return reinterpret_cast<void*>(result);
  errno = static_cast<int>(-result);
  return MAP_FAILED;
}

void unmap_memory(std::uintptr_t begin, std::size_t size) {
  system_call(SYS_munmap, static_cast<long>(begin), static_cast<long>(size), 0, 0, 0, 0);
}

std::span<std::byte> reserve_memory(std::size_t wanted, std::size_t minimum) {
  for (std::size_t size = wanted; size >= minimum; size /= 2) {
    void* memory = map_memory(nullptr, size, protection, flags);
    if (memory != MAP_FAILED) return {static_cast<std::byte*>(memory), size};
  }
  base::check_failed(__FILE__, __LINE__, "mmap", "no address space left for heddle's own state (ulimit -v?)");
}

std::span<std::byte> reserve_memory_at(void* address, std::size_t size) {
  void* memory = map_memory(address, size, protection, flags | MAP_FIXED_NOREPLACE);
  if (memory == MAP_FAILED) return {};
  if (memory != address) {  // a kernel that does not know MAP_FIXED_NOREPLACE
    unmap_memory(reinterpret_cast<std::uintptr_t>(memory), size);
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
