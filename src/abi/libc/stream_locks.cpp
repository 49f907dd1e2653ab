// flockfile, ftrylockfile and funlockfile. During an execution, the lock that a program takes by them is a recursive
// mutex of the engine at the address of the FILE. The C library's own lock stays free: a thread that is switched away
// while it holds the stream would block the whole process in the next call that uses the stream. So calls such as puts
// do not wait for a thread that holds the stream (docs/unsupported.md).
#include "abi/libc/stream_locks.hpp"

#include <cerrno>

#include "abi/start/runtime.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

using engine::Engine;
using engine::MutexKind;

/// glibc's lock of a stream.
struct RealLock {
  int lock, count;
  void* owner;
};
RealLock& real_lock(FILE* stream) { return *reinterpret_cast<RealLock*>(stream->_lock); }

void lock(FILE* stream, std::uint64_t site) {
  Engine* engine = running_for_program(site);
  if (engine == nullptr) return engine::next_function<void (*)(FILE*)>("flockfile")(stream);
  engine->plain().use_object(address_of(stream), site);
  engine->sync().lock_mutex(address_of(stream), MutexKind::recursive, site, engine::no_deadline);
}

int try_lock(FILE* stream, std::uint64_t site) {
  Engine* engine = running_for_program(site);
  if (engine == nullptr) return engine::next_function<int (*)(FILE*)>("ftrylockfile")(stream);
  engine->plain().use_object(address_of(stream), site);
  return engine->sync().try_lock_mutex(address_of(stream), MutexKind::recursive, site);
}

/// A stream that is not known may be held since before main, in the first execution by the C library's lock.
void unlock(FILE* stream, std::uint64_t site) {
  Engine* engine = running_for_program(site);
  if (engine != nullptr) {
    const std::uintptr_t address = address_of(stream);
    const bool is_known = engine->sync().knows(address);
    engine->plain().use_object(address, site);
    const int error = engine->sync().unlock_mutex(address, MutexKind::recursive, site);
    if (error != 0 && is_known)
      engine->findings().report_misuse("a stream is unlocked by a thread that does not hold it", address, site);
    if (is_known || real_lock(stream).owner == nullptr) return;
  }
  engine::next_function<void (*)(FILE*)>("funlockfile")(stream);
}

}  // namespace

void free_real_lock(FILE* stream) { real_lock(stream) = {}; }

#pragma GCC visibility push(default)
extern "C" {

void flockfile(FILE* stream) { lock(stream, HEDDLE_CALLER); }
int ftrylockfile(FILE* stream) { return try_lock(stream, HEDDLE_CALLER); }
void funlockfile(FILE* stream) { unlock(stream, HEDDLE_CALLER); }

// The C library's other names of the functions.
void _IO_flockfile(FILE* stream) { lock(stream, HEDDLE_CALLER); }
int _IO_ftrylockfile(FILE* stream) { return try_lock(stream, HEDDLE_CALLER); }
void _IO_funlockfile(FILE* stream) { unlock(stream, HEDDLE_CALLER); }

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
