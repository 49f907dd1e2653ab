// malloc and its family. There are three heaps:
// - that of the program, whose blocks take part in race checks and leak checks;
// - that of the C library (stream buffers, locales, environment), so that its allocations neither look like leaks nor
//   change the addresses of the program's. Both heaps are reset after each execution, as the library's variables are;
// - that of the loader, which knows the libraries and threads of the process. It is never reset.
// The C library's own allocator is not used, since its state is reset without its memory.
#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "abi/libc/program_heap.hpp"
#include "abi/start/runtime.hpp"

namespace heddle::abi {

namespace {

engine::Heap heap;
engine::Heap heap_of_library;
engine::Heap heap_of_loader;
constexpr std::size_t large_reserve = 64 * 1024;
constexpr std::size_t library_part = std::size_t{4} << 30;
constexpr std::size_t loader_part = std::size_t{1} << 30;

engine::Heap& loader_heap() {
  heap_of_loader.initialise(engine::layout::loader_heap, loader_part);
  return heap_of_loader;
}

/// The part of a heap that the caller's thread allocates from.
std::uint32_t own_part() {
  engine::Engine* engine = running();
  return engine == nullptr ? 0 : engine->current().place;
}

using Contents = engine::Heap::Contents;

void* allocate_for_program(std::size_t size, std::size_t alignment, std::uint64_t site,
                           Contents contents = Contents::pattern) {
  heap.initialise();
  if (engine::Engine* engine = running()) {
    engine->signals().check_call("malloc", site);
    return engine->plain().allocate(size, alignment, site, contents);
  }
  // Before main: every execution starts with these blocks. The C++ library itself allocates one large block, its
  // reserve for exceptions. (Its other allocations are made by operator new, which heddle defines.)
  const bool is_reserve = size >= large_reserve && engine::is_cxx_library_code(site);
  return heap.allocate(0, size, alignment, is_reserve ? engine::Heap::library_reserve : 0, contents);
}

void* allocate(std::size_t size, std::size_t alignment, std::uint64_t site, Contents contents = Contents::pattern) {
  const auto* caller = reinterpret_cast<const void*>(site);
  void* pointer = nullptr;
  if (!engine::is_system_code(caller))
    pointer = allocate_for_program(size, alignment, site, contents);
  else if (engine::is_loader_code(caller))
    pointer = loader_heap().allocate(0, size, alignment, 0, contents);
  else
    pointer = library_heap().allocate(own_part(), size, alignment, 0, contents);
  if (pointer == nullptr) errno = ENOMEM;
  return pointer;
}

/// The heap of the system that the block belongs to; null if it is the program's, or no block at all.
engine::Heap* system_heap_of(const void* pointer) {
  if (heap_of_library.contains(pointer)) return &heap_of_library;
  return heap_of_loader.contains(pointer) ? &heap_of_loader : nullptr;
}

void release(void* pointer, std::uint64_t site) {
  if (pointer == nullptr) return;
  engine::Engine* engine = running();
  engine::Heap* of_system = heap.contains(pointer) ? nullptr : system_heap_of(pointer);
  if (of_system == nullptr) {
    if (engine != nullptr) engine->signals().check_call("free", site);
    if (engine != nullptr && engine->held_locks().is_any_held() && engine->modules().is_instrumented_code(site)) {
      const std::uintptr_t address = address_of(pointer);
      engine->held_locks().check_memory({address, address + heap.size_of(pointer)}, site);
    }
    if (engine != nullptr)
      engine->plain().deallocate(pointer, site);
    else
      heap.release(0, pointer, engine::Reuse::at_once);
    return;
  }
  const std::uint32_t part = of_system == &heap_of_loader ? 0 : own_part();
  const auto result = of_system->release(part, pointer, engine::Reuse::at_once);
  if (engine == nullptr || result == engine::FreeResult::freed) return;
  if (result == engine::FreeResult::already_free)
    engine->findings().report_double_free(pointer, site);
  else
    engine->findings().report_invalid_free(pointer, site);
  engine->execution().end(strategies::Outcome::completed);
}

/// The size of a block of any heap.
std::size_t size_of(const void* pointer) {
  for (const engine::Heap* each : {&heap, &heap_of_library, &heap_of_loader})
    if (each->contains(pointer)) return each->size_of(pointer);
  return 0;
}

void* reallocate(void* old, std::size_t size, std::uint64_t site) {
  if (old == nullptr) return allocate(size, 16, site);
  if (size == 0) {
    release(old, site);
    return nullptr;
  }
  const std::size_t old_size = size_of(old);
  void* moved = allocate(size, 16, site);
  if (moved == nullptr) return nullptr;
  const std::size_t kept = old_size < size ? old_size : size;
  std::memcpy(moved, old, kept);  // allocation and release are recorded as accesses to the blocks
  release(old, site);
  return moved;
}

[[noreturn]] void throw_bad_alloc() {
  using Throw = void (*)();
  if (auto throw_it = reinterpret_cast<Throw>(::dlsym(RTLD_DEFAULT, "_ZSt17__throw_bad_allocv"))) throw_it();
  __builtin_trap();
}

void* allocate_or_throw(std::size_t size, std::size_t alignment, std::uint64_t site) {
  void* pointer = allocate_for_program(size, alignment, site);
  if (pointer == nullptr) throw_bad_alloc();
  return pointer;
}

}  // namespace

engine::Heap& program_heap() {
  heap.initialise();
  return heap;
}

engine::Heap& library_heap() {
  heap_of_library.initialise(engine::layout::library_heap, library_part);
  return heap_of_library;
}

}  // namespace heddle::abi

using heddle::abi::allocate;
using heddle::abi::allocate_for_program;
using heddle::abi::allocate_or_throw;
using heddle::abi::reallocate;
using heddle::abi::release;
using heddle::abi::size_of;

#pragma GCC visibility push(default)
extern "C" {

void* malloc(std::size_t size) { return allocate(size, 16, HEDDLE_CALLER); }
void free(void* pointer) { release(pointer, HEDDLE_CALLER); }
void* calloc(std::size_t count, std::size_t size) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return allocate(bytes, 16, HEDDLE_CALLER, heddle::engine::Heap::Contents::zeros);
}
void* realloc(void* pointer, std::size_t size) { return reallocate(pointer, size, HEDDLE_CALLER); }
void* reallocarray(void* pointer, std::size_t count, std::size_t size) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return reallocate(pointer, bytes, HEDDLE_CALLER);
}
void* memalign(std::size_t alignment, std::size_t size) { return allocate(size, alignment, HEDDLE_CALLER); }
void* aligned_alloc(std::size_t alignment, std::size_t size) { return allocate(size, alignment, HEDDLE_CALLER); }
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* pointer = allocate(size, alignment, HEDDLE_CALLER);
  if (pointer == nullptr) return ENOMEM;
  *out = pointer;
  return 0;
}
void* valloc(std::size_t size) { return allocate(size, 4096, HEDDLE_CALLER); }
void* pvalloc(std::size_t size) { return allocate((size + 4095) & ~std::size_t{4095}, 4096, HEDDLE_CALLER); }
std::size_t malloc_usable_size(void* pointer) { return pointer == nullptr ? 0 : size_of(pointer); }

}  // extern "C"

// Without these operators, every allocation would seem to come from the C++ library.
void* operator new(std::size_t size) { return allocate_or_throw(size, 16, HEDDLE_CALLER); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 16, HEDDLE_CALLER); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment), HEDDLE_CALLER);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment), HEDDLE_CALLER);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate_for_program(size, 16, HEDDLE_CALLER);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate_for_program(size, 16, HEDDLE_CALLER);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate_for_program(size, static_cast<std::size_t>(alignment), HEDDLE_CALLER);
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate_for_program(size, static_cast<std::size_t>(alignment), HEDDLE_CALLER);
}
void operator delete(void* pointer) noexcept { release(pointer, HEDDLE_CALLER); }
void operator delete[](void* pointer) noexcept { release(pointer, HEDDLE_CALLER); }
void operator delete(void* pointer, std::size_t) noexcept { release(pointer, HEDDLE_CALLER); }
void operator delete[](void* pointer, std::size_t) noexcept { release(pointer, HEDDLE_CALLER); }
void operator delete(void* pointer, std::align_val_t) noexcept { release(pointer, HEDDLE_CALLER); }
void operator delete[](void* pointer, std::align_val_t) noexcept { release(pointer, HEDDLE_CALLER); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept { release(pointer, HEDDLE_CALLER); }
void operator delete[](void* pointer, std::size_t, std::align_val_t) noexcept { release(pointer, HEDDLE_CALLER); }
void operator delete(void* pointer, const std::nothrow_t&) noexcept { release(pointer, HEDDLE_CALLER); }
void operator delete[](void* pointer, const std::nothrow_t&) noexcept { release(pointer, HEDDLE_CALLER); }
#pragma GCC visibility pop
