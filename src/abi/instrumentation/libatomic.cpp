// libatomic's functions, which compilers call for atomic objects that they do not handle inline. An object of a size
// that processors know goes to the memory model. An object of any other size is accessed under a lock, as in libatomic.
#include <cstring>

#include "abi/instrumentation/atomic_operations.hpp"
#include "base/operand_sizes.hpp"

namespace heddle::abi {

namespace {

bool is_plain_size(std::size_t size, const volatile void* at) {
  return (size == 1 || size == 2 || size == 4 || size == 8 || size == 16) && address_of(at) % size == 0;
}

engine::Value value_at(const void* at, std::size_t size) {
  engine::Value value = 0;
  std::memcpy(&value, at, size);
  return value;
}

/// Holds the lock of an object, a mutex at the object's address. Before main there is one thread, and no lock is taken.
class ObjectLock {
 public:
  ObjectLock(const volatile void* object, std::uint64_t site)
      : engine_(running()), address_(address_of(object)), site_(site) {
    if (engine_ != nullptr) engine_->sync().lock_mutex(address_, engine::MutexKind::normal, site_, engine::no_deadline);
  }
  ~ObjectLock() {
    if (engine_ != nullptr) engine_->sync().unlock_mutex(address_, engine::MutexKind::normal, site_);
  }
  ObjectLock(const ObjectLock&) = delete;
  ObjectLock& operator=(const ObjectLock&) = delete;

 private:
  engine::Engine* engine_;
  std::uintptr_t address_;
  std::uint64_t site_;
};

engine::AtomicAccess access(std::size_t size, const volatile void* at, int order, std::uint64_t site) {
  return {address_of(at), static_cast<std::uint8_t>(size), order_of(order), site};
}

void load_object(std::size_t size, const volatile void* at, void* out, int order, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine != nullptr && is_plain_size(size, at)) {
    const engine::Value value = engine->atomics().load(access(size, at, order, site));
    std::memcpy(out, &value, size);
    engine->plain().record_write_for_program(reinterpret_cast<std::uintptr_t>(out), size);
    return;
  }
  const ObjectLock lock(at, site);
  std::memcpy(out, const_cast<const void*>(at), size);
}

void store_object(std::size_t size, volatile void* at, const void* from, int order, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine != nullptr && is_plain_size(size, at)) {
    engine->atomics().store(access(size, at, order, site), value_at(from, size));
    return;
  }
  const ObjectLock lock(at, site);
  std::memcpy(const_cast<void*>(at), from, size);
}

void exchange_object(std::size_t size, volatile void* at, const void* from, void* out, int order, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine != nullptr && is_plain_size(size, at)) {
    const engine::Value old = engine->atomics().read_modify_write(
        access(size, at, order, site), engine::Operation::atomic_exchange, value_at(from, size));
    std::memcpy(out, &old, size);
    engine->plain().record_write_for_program(reinterpret_cast<std::uintptr_t>(out), size);
    return;
  }
  const ObjectLock lock(at, site);
  std::memcpy(out, const_cast<const void*>(at), size);
  std::memcpy(const_cast<void*>(at), from, size);
}

bool compare_exchange_bytes(std::size_t size, volatile void* at, void* expected, const void* desired, int success,
                            int failure, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine != nullptr && is_plain_size(size, at)) {
    engine::Value value = value_at(expected, size);
    if (engine->atomics().compare_exchange(access(size, at, success, site), order_of(failure), false, value,
                                           value_at(desired, size)))
      return true;
    std::memcpy(expected, &value, size);
    engine->plain().record_write_for_program(reinterpret_cast<std::uintptr_t>(expected), size);
    return false;
  }
  const ObjectLock lock(at, site);
  const bool equal = std::memcmp(const_cast<const void*>(at), expected, size) == 0;
  if (equal)
    std::memcpy(const_cast<void*>(at), desired, size);
  else
    std::memcpy(expected, const_cast<const void*>(at), size);
  return equal;
}

}  // namespace

// Objects of the sizes that processors know, one line an entry point. The compiler has builtins of these names, so each
// function has another name in C++ and gets its own by a label.
// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define HEDDLE_DEFINE_ATOMICS(bytes, bits, T)                                                      \
  T heddle_atomic_load_##bytes(const volatile T* a, int o) __asm__("__atomic_load_" #bytes);       \
  T heddle_atomic_load_##bytes(const volatile T* a, int o) { return load(a, o, HEDDLE_CALLER); }   \
  void heddle_atomic_store_##bytes(volatile T* a, T v, int o) __asm__("__atomic_store_" #bytes);   \
  void heddle_atomic_store_##bytes(volatile T* a, T v, int o) { store(a, v, o, HEDDLE_CALLER); }   \
  HEDDLE_DEFINE_MODIFICATION(bytes, T, exchange, Operation::atomic_exchange)                       \
  HEDDLE_DEFINE_MODIFICATION(bytes, T, fetch_add, Operation::atomic_add)                           \
  HEDDLE_DEFINE_MODIFICATION(bytes, T, fetch_sub, Operation::atomic_sub)                           \
  HEDDLE_DEFINE_MODIFICATION(bytes, T, fetch_and, Operation::atomic_and)                           \
  HEDDLE_DEFINE_MODIFICATION(bytes, T, fetch_or, Operation::atomic_or)                             \
  HEDDLE_DEFINE_MODIFICATION(bytes, T, fetch_xor, Operation::atomic_xor)                           \
  HEDDLE_DEFINE_MODIFICATION(bytes, T, fetch_nand, Operation::atomic_nand)                         \
  bool heddle_atomic_compare_exchange_##bytes(volatile T* a, T* e, T v, int o,                     \
                                              int f) __asm__("__atomic_compare_exchange_" #bytes); \
  bool heddle_atomic_compare_exchange_##bytes(volatile T* a, T* e, T v, int o, int f) {            \
    return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER) != 0;           \
  }

#define HEDDLE_DEFINE_MODIFICATION(bytes, T, name, operation)                                        \
  T heddle_atomic_##name##_##bytes(volatile T* a, T v, int o) __asm__("__atomic_" #name "_" #bytes); \
  T heddle_atomic_##name##_##bytes(volatile T* a, T v, int o) { return modify(a, operation, v, o, HEDDLE_CALLER); }
// NOLINTEND(bugprone-macro-parentheses)

#pragma GCC visibility push(default)
extern "C" {

// Objects of any size.
void heddle_atomic_load(std::size_t size, const volatile void* a, void* out, int o) __asm__("__atomic_load");
void heddle_atomic_store(std::size_t size, volatile void* a, const void* v, int o) __asm__("__atomic_store");
void heddle_atomic_exchange(std::size_t size, volatile void* a, const void* v, void* out,
                            int o) __asm__("__atomic_exchange");
bool heddle_atomic_compare_exchange(std::size_t size, volatile void* a, void* e, const void* v, int o,
                                    int f) __asm__("__atomic_compare_exchange");
bool heddle_atomic_is_lock_free(std::size_t size, const volatile void* a) __asm__("__atomic_is_lock_free");

void heddle_atomic_load(std::size_t size, const volatile void* a, void* out, int o) {
  load_object(size, a, out, o, HEDDLE_CALLER);
}
void heddle_atomic_store(std::size_t size, volatile void* a, const void* v, int o) {
  store_object(size, a, v, o, HEDDLE_CALLER);
}
void heddle_atomic_exchange(std::size_t size, volatile void* a, const void* v, void* out, int o) {
  exchange_object(size, a, v, out, o, HEDDLE_CALLER);
}
bool heddle_atomic_compare_exchange(std::size_t size, volatile void* a, void* e, const void* v, int o, int f) {
  return compare_exchange_bytes(size, a, e, v, o, f, HEDDLE_CALLER);
}
bool heddle_atomic_is_lock_free(std::size_t size, const volatile void* a) {
  return is_plain_size(size, a) && size <= 8;
}

HEDDLE_FOR_EACH_SIZE(HEDDLE_DEFINE_ATOMICS)

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
