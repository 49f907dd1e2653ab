// Annotations of code that knows ThreadSanitizer. Those that create happens-before or disable checks take effect. The
// others are accepted and have no effect.
#include <cstring>

#include "abi/start/runtime.hpp"

namespace heddle::abi {

namespace {

using engine::AnnotatedLocks;
using enum AnnotatedLocks::Flag;

void acquire(const volatile void* at, std::uint64_t site) {
  if (engine::Engine* engine = running()) engine->sync().annotate_acquire(address_of(at), site);
}
void release(const volatile void* at, std::uint64_t site) {
  if (engine::Engine* engine = running()) engine->sync().annotate_release(address_of(at), site);
}

/// How many annotated locks were taken before main, when they are not followed.
int locks_before_main = 0;

void create_lock(const volatile void* at, unsigned flags) {
  if (engine::Engine* engine = running()) engine->annotated_locks().create(address_of(at), flags);
}
void destroy_lock(const volatile void* at, unsigned flags, std::uint64_t site) {
  if (engine::Engine* engine = running()) engine->annotated_locks().destroy(address_of(at), flags, site);
}
void lock(const volatile void* at, unsigned flags, int recursion, std::uint64_t site) {
  if (engine::Engine* engine = running())
    engine->annotated_locks().after_lock(address_of(at), flags, static_cast<std::uint32_t>(recursion), site);
  else if ((flags & AnnotatedLocks::try_lock_failed) == 0)
    ++locks_before_main;
}
int unlock(const volatile void* at, unsigned flags, std::uint64_t site) {
  if (engine::Engine* engine = running())
    return static_cast<int>(
        engine->annotated_locks().before_unlock(address_of(at), flags, locks_before_main != 0, site));
  if (locks_before_main != 0) --locks_before_main;
  return 0;
}

void ignore_begin() {
  if (engine::Engine* engine = running()) ++engine->current().ignore_depth;
}
void ignore_end() {
  engine::Engine* engine = running();
  if (engine != nullptr && engine->current().ignore_depth != 0) --engine->current().ignore_depth;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void __tsan_acquire(void* a) { acquire(a, HEDDLE_CALLER); }
void __tsan_release(void* a) { release(a, HEDDLE_CALLER); }

void __tsan_mutex_create(void* a, unsigned flags) { create_lock(a, flags); }
void __tsan_mutex_destroy(void* a, unsigned flags) { destroy_lock(a, flags, HEDDLE_CALLER); }
// The code between the two calls of a pair implements the lock, and is not checked.
void __tsan_mutex_pre_lock(void* a, unsigned flags) {
  if (engine::Engine* engine = running()) engine->annotated_locks().before_lock(address_of(a), flags, HEDDLE_CALLER);
  ignore_begin();
}
void __tsan_mutex_post_lock(void* a, unsigned flags, int recursion) {
  ignore_end();
  lock(a, flags, recursion, HEDDLE_CALLER);
}
int __tsan_mutex_pre_unlock(void* a, unsigned flags) {
  const int recursion = unlock(a, flags, HEDDLE_CALLER);
  ignore_begin();
  return recursion;
}
void __tsan_mutex_post_unlock(void*, unsigned) { ignore_end(); }
void __tsan_mutex_pre_signal(void*, unsigned) { ignore_begin(); }
void __tsan_mutex_post_signal(void*, unsigned) { ignore_end(); }
// A call back into other code, in the middle of such a pair.
void __tsan_mutex_pre_divert(void*, unsigned) { ignore_end(); }
void __tsan_mutex_post_divert(void*, unsigned) { ignore_begin(); }
void __tsan_check_no_mutexes_held() {
  engine::Engine* engine = running();
  if (engine == nullptr) return;
  std::uintptr_t held = 0;
  engine->objects().for_each([&](const engine::SyncObject& object) {
    if (object.kind == engine::SyncKind::mutex && object.owner == &engine->current()) held = object.address;
  });
  if (held != 0)
    engine->findings().report_misuse("a thread holds a mutex where it must hold none (__tsan_check_no_mutexes_held)",
                                     held, HEDDLE_CALLER);
}

void __tsan_ignore_thread_begin() { ignore_begin(); }
void __tsan_ignore_thread_end() { ignore_end(); }
void __tsan_flush_memory() {}
void* __tsan_external_register_tag(const char*) { return nullptr; }
void __tsan_external_register_header(void*, const char*) {}
void __tsan_external_assign_tag(void*, void*) {}
void __tsan_external_read(void* a, void* pc, void*) {
  if (engine::Engine* engine = running()) engine->plain().access(address_of(a), 1, false, address_of(pc));
}
void __tsan_external_write(void* a, void* pc, void*) {
  if (engine::Engine* engine = running()) engine->plain().access(address_of(a), 1, true, address_of(pc));
}

void AnnotateHappensBefore(const char*, int, const volatile void* a) { release(a, HEDDLE_CALLER); }
void AnnotateHappensAfter(const char*, int, const volatile void* a) { acquire(a, HEDDLE_CALLER); }
void AnnotateRWLockCreate(const char*, int, const volatile void* a) { create_lock(a, write_reentrant); }
void AnnotateRWLockCreateStatic(const char*, int, const volatile void* a) {
  create_lock(a, write_reentrant | AnnotatedLocks::linker_init);
}
void AnnotateRWLockDestroy(const char*, int, const volatile void* a) { destroy_lock(a, 0, HEDDLE_CALLER); }
void AnnotateRWLockAcquired(const char*, int, const volatile void* a, long exclusively) {
  lock(a, exclusively != 0 ? 0U : unsigned{AnnotatedLocks::read_lock}, 1, HEDDLE_CALLER);
}
void AnnotateRWLockReleased(const char*, int, const volatile void* a, long exclusively) {
  unlock(a, exclusively != 0 ? 0U : unsigned{AnnotatedLocks::read_lock}, HEDDLE_CALLER);
}
void AnnotateIgnoreReadsBegin(const char*, int) { ignore_begin(); }
void AnnotateIgnoreReadsEnd(const char*, int) { ignore_end(); }
void AnnotateIgnoreWritesBegin(const char*, int) { ignore_begin(); }
void AnnotateIgnoreWritesEnd(const char*, int) { ignore_end(); }
void AnnotateIgnoreSyncBegin(const char*, int) {}
void AnnotateIgnoreSyncEnd(const char*, int) {}
void AnnotateBenignRace(const char*, int, const volatile void*, const char*) {}
void AnnotateBenignRaceSized(const char*, int, const volatile void*, long, const char*) {}
void AnnotateNewMemory(const char*, int, const volatile void*, long) {}
void AnnotateThreadName(const char*, int, const char*) {}
void AnnotateEnableRaceDetection(const char*, int, int) {}
void AnnotateFlushState(const char*, int) {}
int RunningOnValgrind() { return 0; }
double ValgrindSlowdown() { return 10.0; }
const char* ThreadSanitizerQuery(const char* query) {
  return std::strcmp(query, "pure_happens_before") == 0 ? "1" : "0";
}

void AnnotateCondVarSignal(const char*, int, const volatile void*) {}
void AnnotateCondVarSignalAll(const char*, int, const volatile void*) {}
void AnnotateCondVarWait(const char*, int, const volatile void*, const volatile void*) {}
void AnnotateMutexIsNotPHB(const char*, int, const volatile void*) {}
void AnnotateMutexIsUsedAsCondVar(const char*, int, const volatile void*) {}
void AnnotatePCQCreate(const char*, int, const volatile void*) {}
void AnnotatePCQDestroy(const char*, int, const volatile void*) {}
void AnnotatePCQGet(const char*, int, const volatile void*) {}
void AnnotatePCQPut(const char*, int, const volatile void*) {}
void AnnotatePublishMemoryRange(const char*, int, const volatile void*, std::size_t) {}
void AnnotateUnpublishMemoryRange(const char*, int, const volatile void*, std::size_t) {}
void AnnotateMemoryIsInitialized(const char*, int, const volatile void*, std::size_t) {}
void AnnotateMemoryIsUninitialized(const char*, int, const volatile void*, std::size_t) {}
void AnnotateTraceMemory(const char*, int, const volatile void*) {}
void AnnotateExpectRace(const char*, int, const volatile void*, const char*) {}
void AnnotateFlushExpectedRaces(const char*, int) {}
void AnnotateNoOp(const char*, int, const volatile void*) {}
void WTFAnnotateHappensBefore(const char*, int, const volatile void* a) { release(a, HEDDLE_CALLER); }
void WTFAnnotateHappensAfter(const char*, int, const volatile void* a) { acquire(a, HEDDLE_CALLER); }
void WTFAnnotateBenignRaceSized(const char*, int, const volatile void*, long, const char*) {}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
