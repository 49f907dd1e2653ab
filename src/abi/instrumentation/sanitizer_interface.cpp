// sanitizer/common_interface_defs.h and sanitizer/allocator_interface.h: what programs that know sanitizers call.
// Settings of reports have no effect, since heddle's driver writes reports.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "abi/instrumentation/plain_access.hpp"
#include "abi/libc/program_heap.hpp"
#include "abi/start/runtime.hpp"

namespace heddle::abi {

namespace {

template <typename T>
T load(const void* at, std::uint64_t site) {
  access(at, sizeof(T), false, site);
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <typename T>
void store(void* at, T value, std::uint64_t site) {
  access(at, sizeof value, true, site);
  std::memcpy(at, &value, sizeof value);
}

/// "file+offset", as far as it fits.
void describe(const void* address, char* out, std::size_t size) {
  if (size == 0) return;
  Dl_info info{};
  const bool is_known = ::dladdr(address, &info) != 0 && info.dli_fname != nullptr;
  if (is_known)
    std::snprintf(out, size, "(%s+0x%zx)", info.dli_fname,
                  static_cast<std::size_t>(address_of(address) - address_of(info.dli_fbase)));
  else
    std::snprintf(out, size, "%p", address);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

std::uint16_t __sanitizer_unaligned_load16(const void* at) { return load<std::uint16_t>(at, HEDDLE_CALLER); }
std::uint32_t __sanitizer_unaligned_load32(const void* at) { return load<std::uint32_t>(at, HEDDLE_CALLER); }
std::uint64_t __sanitizer_unaligned_load64(const void* at) { return load<std::uint64_t>(at, HEDDLE_CALLER); }
void __sanitizer_unaligned_store16(void* at, std::uint16_t value) { store(at, value, HEDDLE_CALLER); }
void __sanitizer_unaligned_store32(void* at, std::uint32_t value) { store(at, value, HEDDLE_CALLER); }
void __sanitizer_unaligned_store64(void* at, std::uint64_t value) { store(at, value, HEDDLE_CALLER); }

void __sanitizer_set_report_path(const char*) {}
void __sanitizer_set_report_fd(void*) {}
const char* __sanitizer_get_report_path() { return "stderr"; }
void __sanitizer_sandbox_on_notify(void*) {}
void __sanitizer_report_error_summary(const char* text) { std::fprintf(stderr, "%s\n", text); }
void __sanitizer_set_death_callback(void (*)()) {}
int __sanitizer_acquire_crash_state() { return 1; }
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                              void (*)(const volatile void*)) {
  return 0;  // not installed
}
void __sanitizer_print_stack_trace() {
  engine::Engine* engine = running();
  if (engine == nullptr) return;
  std::uint64_t frames[64];
  const std::size_t count = engine->walk_current_stack(frames);
  for (std::size_t i = 0, shown = 0; i < count; ++i) {
    if (!engine->modules().is_foreign_code(frames[i])) continue;
    char place[512];
    describe(reinterpret_cast<const void*>(frames[i]), place, sizeof place);
    std::fprintf(stderr, "    #%zu 0x%zx %s\n", shown++, static_cast<std::size_t>(frames[i]), place);
  }
}
void __sanitizer_symbolize_pc(void* address, const char*, char* out, std::size_t size) { describe(address, out, size); }
void __sanitizer_symbolize_global(void* address, const char*, char* out, std::size_t size) {
  describe(address, out, size);
}
int __sanitizer_get_module_and_offset_for_pc(void* address, char* path, std::size_t size, void** offset) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return 0;
  if (size != 0) std::snprintf(path, size, "%s", info.dli_fname);
  if (offset != nullptr) *offset = reinterpret_cast<void*>(address_of(address) - address_of(info.dli_fbase));
  return 1;
}

std::size_t __sanitizer_get_estimated_allocated_size(std::size_t size) { return size; }
int __sanitizer_get_ownership(const volatile void* at) {
  engine::Engine* engine = running();
  return engine != nullptr && engine->heap().find_block(address_of(at)).address == address_of(at) ? 1 : 0;
}
std::size_t __sanitizer_get_allocated_size(const volatile void* at) {
  engine::Engine* engine = running();
  return engine == nullptr ? 0 : engine->heap().find_block(address_of(at)).size;
}
std::size_t __sanitizer_get_current_allocated_bytes() {
  engine::Engine* engine = running();
  return engine == nullptr ? 0 : engine->heap().allocated();
}
std::size_t __sanitizer_get_heap_size() { return __sanitizer_get_current_allocated_bytes(); }
std::size_t __sanitizer_get_free_bytes() { return 0; }
std::size_t __sanitizer_get_unmapped_bytes() { return 0; }

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
