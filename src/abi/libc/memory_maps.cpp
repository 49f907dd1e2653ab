// mmap and its family: mappings of the program are at addresses that follow from the thread and its earlier mappings,
// and end with the execution.
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "abi/start/runtime.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

/// Warns if other addresses already show some of the file's bytes: accesses by both are not the same memory to heddle.
engine::SharedBytes find_shared_bytes(engine::Engine& engine, int fd, std::size_t size, long offset) {
  struct stat status;
  if (::fstat(fd, &status) != 0) return {};
  const auto begin = static_cast<std::uintptr_t>(offset);
  const engine::SharedBytes bytes{status.st_dev, status.st_ino, {begin, begin + size}};
  if (engine.mappings().find_shared(bytes) != nullptr) {
    engine.findings().withhold_proof(channel::ProofGap::files);
    engine.warn(
        "the program maps the same memory twice (mmap with MAP_SHARED); heddle takes the two addresses for different "
        "memory, so it misses races between them and may show values that cannot be read");
  }
  return bytes;
}

void* map_for_program(engine::Engine& engine, std::size_t size, int protection, int flags, int fd, long offset,
                      std::uint64_t site) {
  engine::ProgramThread& self = engine.current();
  const std::uintptr_t wanted = engine.mappings().take_address(self.place, size);
  if (wanted == 0) return engine::map_memory(nullptr, size, protection, flags, fd, offset);
  void* memory =
      engine::map_memory(reinterpret_cast<void*>(wanted), size, protection, flags | MAP_FIXED_NOREPLACE, fd, offset);
  if (memory == MAP_FAILED) return memory;
  engine::Mapping mapping;
  mapping.range = {address_of(memory), address_of(memory) + size};
  mapping.stack = engine.plain().call_stack(site);
  mapping.is_shared = (flags & MAP_SHARED) != 0 && (flags & MAP_ANONYMOUS) == 0;
  if (mapping.is_shared) {
    mapping.bytes = find_shared_bytes(engine, fd, size, offset);
    engine.file_uses().map(fd, site);
  }
  engine.mappings().add(mapping);
  return memory;
}

/// Memory at an address that the program demands replaces what was there.
void* map_at_address(void* address, std::size_t size, int protection, int flags, int fd, long offset) {
  void* memory = engine::map_memory(address, size, protection, flags, fd, offset);
  if (engine::Engine* engine = running(); engine != nullptr && memory != MAP_FAILED)
    engine->plain().forget(address_of(memory), size);
  return memory;
}

/// mremap: the addresses that the memory had, and those that are new to it, hold other memory from now on.
void forget_moved(engine::Engine& engine, const void* old, std::size_t old_size, const void* memory, std::size_t size) {
  if (memory != old) {
    engine.plain().forget(address_of(old), old_size);
    engine.plain().forget(address_of(memory), size);
  } else if (size < old_size) {
    engine.plain().forget(address_of(old) + size, old_size - size);
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// Mappings before main and of the runtime are the kernel's matter, and so are those at addresses that the program
// demands.
void* mmap(void* address, std::size_t size, int protection, int flags, int fd, off_t offset) {
  engine::Engine* engine = running_for_program(HEDDLE_CALLER);
  const bool is_free = address == nullptr && (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT)) == 0;
  if (engine == nullptr) return engine::map_memory(address, size, protection, flags, fd, offset);
  if (!is_free) return map_at_address(address, size, protection, flags, fd, offset);
  return map_for_program(*engine, size, protection, flags, fd, offset, HEDDLE_CALLER);
}
void* mmap64(void* address, std::size_t size, int protection, int flags, int fd, off64_t offset)
    __attribute__((alias("mmap")));

int munmap(void* address, std::size_t size) {
  const auto result = static_cast<int>(engine::real().syscall(SYS_munmap, address, size));
  if (engine::Engine* engine = running(); engine != nullptr && result == 0) {
    engine->mappings().remove({address_of(address), address_of(address) + size});
    engine->plain().forget(address_of(address), size);
  }
  return result;
}

void* mremap(void* old, std::size_t old_size, std::size_t size, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  void* wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  engine::Engine* engine = running();
  const engine::Mapping* known = engine == nullptr ? nullptr : engine->mappings().find(address_of(old));
  if (known == nullptr || wanted != nullptr || (flags & MREMAP_MAYMOVE) == 0 || size <= old_size) {
    auto* memory = reinterpret_cast<void*>(engine::real().syscall(SYS_mremap, old, old_size, size, flags, wanted));
    if (engine != nullptr && memory != MAP_FAILED) forget_moved(*engine, old, old_size, memory, size);
    return memory;
  }
  engine::Mapping moved = *known;
  const std::uintptr_t to = engine->mappings().take_address(engine->current().place, size);
  if (to == 0) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  auto* memory = reinterpret_cast<void*>(
      engine::real().syscall(SYS_mremap, old, old_size, size, flags | MREMAP_FIXED, reinterpret_cast<void*>(to)));
  if (memory == MAP_FAILED) return memory;
  engine->mappings().remove({address_of(old), address_of(old) + old_size});
  forget_moved(*engine, old, old_size, memory, size);
  moved.range = {to, to + size};
  engine->mappings().add(moved);
  return memory;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
