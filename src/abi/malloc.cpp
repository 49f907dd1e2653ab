// The program's heap. Allocations of the C library (stream buffers, loader state) outlive executions and come from its
// own allocator. All other allocations come from the arena that is reset after each execution.
#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "abi/program_heap.hpp"
#include "abi/runtime.hpp"

extern "C" {
void* __libc_malloc(std::size_t);
void __libc_free(void*);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace heddle::abi {

namespace {

engine::Heap heap;
constexpr std::size_t large_reserve = 64 * 1024;

bool belongs_to_libc(std::uint64_t site) { return engine::is_system_code(reinterpret_cast<const void*>(site)); }

void* allocate(std::size_t size, std::size_t alignment, std::uint64_t site) {
  heap.initialise();
  void* pointer = nullptr;
  if (engine::Engine* engine = running())
    pointer = engine->plain().allocate(size, alignment, site);
  else
    // Before main: every execution starts with these blocks. The C++ library itself allocates one large block, its
    // reserve for exceptions. (Its other allocations are made by operator new, which heddle defines.)
    pointer =
        heap.allocate(0, size, alignment,
                      size >= large_reserve && engine::is_cxx_library_code(site) ? engine::Heap::library_reserve : 0);
  if (pointer == nullptr) errno = ENOMEM;
  return pointer;
}

void release(void* pointer, std::uint64_t site) {
  if (pointer == nullptr) return;
  if (!heap.contains(pointer)) return __libc_free(pointer);
  if (engine::Engine* engine = running())
    engine->plain().deallocate(pointer, site);
  else
    heap.release(0, pointer, engine::Reuse::at_once);
}

void* reallocate(void* old, std::size_t size, std::uint64_t site) {
  if (old == nullptr) return allocate(size, 16, site);
  if (size == 0) {
    release(old, site);
    return nullptr;
  }
  const std::size_t old_size = heap.size_of(old);
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
  void* pointer = allocate(size, alignment, site);
  if (pointer == nullptr) throw_bad_alloc();
  return pointer;
}

}  // namespace

engine::Heap& program_heap() {
  heap.initialise();
  return heap;
}

}  // namespace heddle::abi

using heddle::abi::allocate;
using heddle::abi::allocate_or_throw;
using heddle::abi::belongs_to_libc;
using heddle::abi::reallocate;
using heddle::abi::release;

#pragma GCC visibility push(default)
extern "C" {

void* malloc(std::size_t size) {
  const std::uint64_t site = HEDDLE_CALLER;
  return belongs_to_libc(site) ? __libc_malloc(size) : allocate(size, 16, site);
}
void free(void* pointer) { release(pointer, HEDDLE_CALLER); }
void* calloc(std::size_t count, std::size_t size) {
  const std::uint64_t site = HEDDLE_CALLER;
  if (belongs_to_libc(site)) return __libc_calloc(count, size);
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* pointer = allocate(bytes, 16, site);
  return pointer == nullptr ? nullptr : std::memset(pointer, 0, bytes);
}
void* realloc(void* pointer, std::size_t size) {
  const std::uint64_t site = HEDDLE_CALLER;
  const bool ours = pointer == nullptr ? !belongs_to_libc(site) : heddle::abi::program_heap().contains(pointer);
  return ours ? reallocate(pointer, size, site) : __libc_realloc(pointer, size);
}
void* reallocarray(void* pointer, std::size_t count, std::size_t size) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return reallocate(pointer, bytes, HEDDLE_CALLER);
}
void* memalign(std::size_t alignment, std::size_t size) {
  const std::uint64_t site = HEDDLE_CALLER;
  return belongs_to_libc(site) ? __libc_memalign(alignment, size) : allocate(size, alignment, site);
}
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
std::size_t malloc_usable_size(void* pointer) {
  return pointer == nullptr ? 0 : heddle::abi::program_heap().size_of(pointer);
}

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
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 16, HEDDLE_CALLER); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 16, HEDDLE_CALLER); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment), HEDDLE_CALLER);
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment), HEDDLE_CALLER);
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
