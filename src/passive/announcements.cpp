// The passive runtime is libheddle.so for a program that runs without heddle's control (HEDDLE_OFF,
// abi/start/switch_off.hpp). It defines what instrumented code calls, and leaves threads, locks, memory and time to the
// C library.
//
// In this file: announcements of accesses and calls, and annotations. They have no effect.
#include <cstddef>
#include <cstring>

#include "base/operand_sizes.hpp"

// One line an entry point.
#define HEDDLE_DEFINE_ACCESSES(bytes, bits, T)  \
  void __tsan_read##bytes(void*) {}             \
  void __tsan_write##bytes(void*) {}            \
  void __tsan_read_write##bytes(void*) {}       \
  void __tsan_volatile_read##bytes(void*) {}    \
  void __tsan_volatile_write##bytes(void*) {}   \
  void __tsan_read##bytes##_pc(void*, void*) {} \
  void __tsan_write##bytes##_pc(void*, void*) {}

#define HEDDLE_DEFINE_UNALIGNED_ACCESSES(bytes, bits, T) \
  void __tsan_unaligned_read##bytes(void*) {}            \
  void __tsan_unaligned_write##bytes(void*) {}           \
  void __tsan_unaligned_read_write##bytes(void*) {}      \
  void __tsan_unaligned_volatile_read##bytes(void*) {}   \
  void __tsan_unaligned_volatile_write##bytes(void*) {}

#pragma GCC visibility push(default)
extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

HEDDLE_FOR_EACH_SIZE(HEDDLE_DEFINE_ACCESSES)
HEDDLE_FOR_EACH_SIZE_ABOVE_1(HEDDLE_DEFINE_UNALIGNED_ACCESSES)

void __tsan_read_range(void*, unsigned long) {}
void __tsan_write_range(void*, unsigned long) {}
void __tsan_read_range_pc(void*, unsigned long, void*) {}
void __tsan_write_range_pc(void*, unsigned long, void*) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void* __tsan_memcpy(void* to, const void* from, std::size_t size) { return std::memcpy(to, from, size); }
void* __tsan_memmove(void* to, const void* from, std::size_t size) { return std::memmove(to, from, size); }
void* __tsan_memset(void* to, int value, std::size_t size) { return std::memset(to, value, size); }

void __tsan_acquire(void*) {}
void __tsan_release(void*) {}
void __tsan_mutex_create(void*, unsigned) {}
void __tsan_mutex_destroy(void*, unsigned) {}
void __tsan_mutex_pre_lock(void*, unsigned) {}
void __tsan_mutex_post_lock(void*, unsigned, int) {}
int __tsan_mutex_pre_unlock(void*, unsigned) { return 0; }
void __tsan_mutex_post_unlock(void*, unsigned) {}
void __tsan_mutex_pre_signal(void*, unsigned) {}
void __tsan_mutex_post_signal(void*, unsigned) {}
void __tsan_mutex_pre_divert(void*, unsigned) {}
void __tsan_mutex_post_divert(void*, unsigned) {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}
void __tsan_flush_memory() {}
void* __tsan_external_register_tag(const char*) { return nullptr; }
void __tsan_external_register_header(void*, const char*) {}
void __tsan_external_assign_tag(void*, void*) {}
void __tsan_external_read(void*, void*, void*) {}
void __tsan_external_write(void*, void*, void*) {}

void AnnotateHappensBefore(const char*, int, const volatile void*) {}
void AnnotateHappensAfter(const char*, int, const volatile void*) {}
void AnnotateRWLockCreate(const char*, int, const volatile void*) {}
void AnnotateRWLockCreateStatic(const char*, int, const volatile void*) {}
void AnnotateRWLockDestroy(const char*, int, const volatile void*) {}
void AnnotateRWLockAcquired(const char*, int, const volatile void*, long) {}
void AnnotateRWLockReleased(const char*, int, const volatile void*, long) {}
void AnnotateIgnoreReadsBegin(const char*, int) {}
void AnnotateIgnoreReadsEnd(const char*, int) {}
void AnnotateIgnoreWritesBegin(const char*, int) {}
void AnnotateIgnoreWritesEnd(const char*, int) {}
void AnnotateIgnoreSyncBegin(const char*, int) {}
void AnnotateIgnoreSyncEnd(const char*, int) {}
void AnnotateBenignRace(const char*, int, const volatile void*, const char*) {}
void AnnotateBenignRaceSized(const char*, int, const volatile void*, long, const char*) {}
void AnnotateNewMemory(const char*, int, const volatile void*, long) {}
void AnnotateThreadName(const char*, int, const char*) {}
void AnnotateEnableRaceDetection(const char*, int, int) {}
void AnnotateFlushState(const char*, int) {}
int RunningOnValgrind() { return 0; }
void AnnotateCondVarSignal(const char*, int, const volatile void*) {}
void AnnotateCondVarSignalAll(const char*, int, const volatile void*) {}
void AnnotateMutexIsNotPHB(const char*, int, const volatile void*) {}
void AnnotateMutexIsUsedAsCondVar(const char*, int, const volatile void*) {}
void AnnotatePCQCreate(const char*, int, const volatile void*) {}
void AnnotatePCQDestroy(const char*, int, const volatile void*) {}
void AnnotatePCQGet(const char*, int, const volatile void*) {}
void AnnotatePCQPut(const char*, int, const volatile void*) {}
void AnnotateTraceMemory(const char*, int, const volatile void*) {}
void AnnotateNoOp(const char*, int, const volatile void*) {}
void WTFAnnotateHappensBefore(const char*, int, const volatile void*) {}
void WTFAnnotateHappensAfter(const char*, int, const volatile void*) {}
void AnnotatePublishMemoryRange(const char*, int, const volatile void*, std::size_t) {}
void AnnotateUnpublishMemoryRange(const char*, int, const volatile void*, std::size_t) {}
void AnnotateMemoryIsInitialized(const char*, int, const volatile void*, std::size_t) {}
void AnnotateMemoryIsUninitialized(const char*, int, const volatile void*, std::size_t) {}
void AnnotateCondVarWait(const char*, int, const volatile void*, const volatile void*) {}
void AnnotateExpectRace(const char*, int, const volatile void*, const char*) {}
void AnnotateFlushExpectedRaces(const char*, int) {}
void WTFAnnotateBenignRaceSized(const char*, int, const volatile void*, long, const char*) {}
double ValgrindSlowdown() { return 1.0; }
const char* ThreadSanitizerQuery(const char*) { return "0"; }
void __tsan_check_no_mutexes_held() {}

}  // extern "C"
#pragma GCC visibility pop
