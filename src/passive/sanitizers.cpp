// The passive runtime (announcements.cpp): fibers, and what else programs that know sanitizers call.
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

char no_fiber = 0;

template <typename T>
T load(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <typename T>
void store(void* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void* __tsan_get_current_fiber() { return &no_fiber; }
void* __tsan_create_fiber(unsigned) { return &no_fiber; }
void __tsan_destroy_fiber(void*) {}
void __tsan_switch_to_fiber(void*, unsigned) {}
void __tsan_set_fiber_name(void*, const char*) {}

void __tsan_testonly_barrier_init(unsigned long long* barrier, unsigned count) {
  auto* real = static_cast<pthread_barrier_t*>(std::malloc(sizeof(pthread_barrier_t)));
  pthread_barrier_init(real, nullptr, count);
  *barrier = reinterpret_cast<unsigned long long>(real);
}
void __tsan_testonly_barrier_wait(unsigned long long* barrier) {
  pthread_barrier_wait(reinterpret_cast<pthread_barrier_t*>(*barrier));
}

std::uint16_t __sanitizer_unaligned_load16(const void* at) { return load<std::uint16_t>(at); }
std::uint32_t __sanitizer_unaligned_load32(const void* at) { return load<std::uint32_t>(at); }
std::uint64_t __sanitizer_unaligned_load64(const void* at) { return load<std::uint64_t>(at); }
void __sanitizer_unaligned_store16(void* at, std::uint16_t value) { store(at, value); }
void __sanitizer_unaligned_store32(void* at, std::uint32_t value) { store(at, value); }
void __sanitizer_unaligned_store64(void* at, std::uint64_t value) { store(at, value); }

void __sanitizer_set_report_path(const char*) {}
void __sanitizer_set_report_fd(void*) {}
const char* __sanitizer_get_report_path() { return "stderr"; }
void __sanitizer_sandbox_on_notify(void*) {}
void __sanitizer_report_error_summary(const char* text) { std::fprintf(stderr, "%s\n", text); }
void __sanitizer_set_death_callback(void (*)()) {}
int __sanitizer_acquire_crash_state() { return 1; }
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                              void (*)(const volatile void*)) {
  return 0;
}
void __sanitizer_print_stack_trace() {}
void __sanitizer_symbolize_pc(void* address, const char*, char* out, std::size_t size) {
  std::snprintf(out, size, "%p", address);
}
void __sanitizer_symbolize_global(void* address, const char*, char* out, std::size_t size) {
  std::snprintf(out, size, "%p", address);
}
int __sanitizer_get_module_and_offset_for_pc(void* address, char* path, std::size_t size, void** offset) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return 0;
  std::snprintf(path, size, "%s", info.dli_fname);
  *offset = reinterpret_cast<void*>(static_cast<char*>(address) - static_cast<char*>(info.dli_fbase));
  return 1;
}
std::size_t __sanitizer_get_estimated_allocated_size(std::size_t size) { return size; }
int __sanitizer_get_ownership(const volatile void*) { return 0; }
std::size_t __sanitizer_get_allocated_size(const volatile void* at) {
  return malloc_usable_size(const_cast<void*>(at));
}
std::size_t __sanitizer_get_current_allocated_bytes() { return 0; }
std::size_t __sanitizer_get_heap_size() { return 0; }
std::size_t __sanitizer_get_free_bytes() { return 0; }
std::size_t __sanitizer_get_unmapped_bytes() { return 0; }

}  // extern "C"
#pragma GCC visibility pop
