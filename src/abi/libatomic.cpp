// libatomic's functions: what compilers call for atomic objects that they cannot or do not handle in line. Sizes that
// processors know go to the memory model like any other; the rest is done under a lock, as libatomic itself does.
#include <cstring>

#include "abi/atomic_operations.hpp"

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

/// Holds the lock that stands for the object's address; nothing before main, when there is one thread.
class ObjectLock {
 public:
  ObjectLock(const volatile void* object, std::uint64_t site)
      : engine_(running()), address_(address_of(object)), site_(site) {
    if (engine_ != nullptr)
      engine_->lock_mutex(address_, engine::Engine::MutexKind::normal, site_, engine::no_deadline);
  }
  ~ObjectLock() {
    if (engine_ != nullptr) engine_->unlock_mutex(address_, engine::Engine::MutexKind::normal, site_);
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
    const engine::Value value = engine->load(access(size, at, order, site));
    std::memcpy(out, &value, size);
    engine->wrote_for_program(reinterpret_cast<std::uintptr_t>(out));
    return;
  }
  const ObjectLock lock(at, site);
  std::memcpy(out, const_cast<const void*>(at), size);
}

void store_object(std::size_t size, volatile void* at, const void* from, int order, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine != nullptr && is_plain_size(size, at)) {
    engine->store(access(size, at, order, site), value_at(from, size));
    return;
  }
  const ObjectLock lock(at, site);
  std::memcpy(const_cast<void*>(at), from, size);
}

void exchange_object(std::size_t size, volatile void* at, const void* from, void* out, int order, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine != nullptr && is_plain_size(size, at)) {
    const engine::Value old = engine->read_modify_write(access(size, at, order, site),
                                                        engine::Operation::atomic_exchange, value_at(from, size));
    std::memcpy(out, &old, size);
    engine->wrote_for_program(reinterpret_cast<std::uintptr_t>(out));
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
    if (engine->compare_exchange(access(size, at, success, site), order_of(failure), false, value,
                                 value_at(desired, size)))
      return true;
    std::memcpy(expected, &value, size);
    engine->wrote_for_program(reinterpret_cast<std::uintptr_t>(expected));
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

#pragma GCC visibility push(default)
extern "C" {

// Objects of any size. The compiler knows these names as builtins of its own, hence the labels.
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

// Objects of the sizes that processors know.
std::uint8_t heddle_atomic_load_1(const volatile std::uint8_t* a, int o) __asm__("__atomic_load_1");
void heddle_atomic_store_1(volatile std::uint8_t* a, std::uint8_t v, int o) __asm__("__atomic_store_1");
std::uint8_t heddle_atomic_exchange_1(volatile std::uint8_t* a, std::uint8_t v, int o) __asm__("__atomic_exchange_1");
std::uint8_t heddle_atomic_fetch_add_1(volatile std::uint8_t* a, std::uint8_t v, int o) __asm__("__atomic_fetch_add_1");
std::uint8_t heddle_atomic_fetch_sub_1(volatile std::uint8_t* a, std::uint8_t v, int o) __asm__("__atomic_fetch_sub_1");
std::uint8_t heddle_atomic_fetch_and_1(volatile std::uint8_t* a, std::uint8_t v, int o) __asm__("__atomic_fetch_and_1");
std::uint8_t heddle_atomic_fetch_or_1(volatile std::uint8_t* a, std::uint8_t v, int o) __asm__("__atomic_fetch_or_1");
std::uint8_t heddle_atomic_fetch_xor_1(volatile std::uint8_t* a, std::uint8_t v, int o) __asm__("__atomic_fetch_xor_1");
std::uint8_t heddle_atomic_fetch_nand_1(volatile std::uint8_t* a, std::uint8_t v,
                                        int o) __asm__("__atomic_fetch_nand_1");
bool heddle_atomic_compare_exchange_1(volatile std::uint8_t* a, std::uint8_t* e, std::uint8_t v, int o,
                                      int f) __asm__("__atomic_compare_exchange_1");
std::uint16_t heddle_atomic_load_2(const volatile std::uint16_t* a, int o) __asm__("__atomic_load_2");
void heddle_atomic_store_2(volatile std::uint16_t* a, std::uint16_t v, int o) __asm__("__atomic_store_2");
std::uint16_t heddle_atomic_exchange_2(volatile std::uint16_t* a, std::uint16_t v,
                                       int o) __asm__("__atomic_exchange_2");
std::uint16_t heddle_atomic_fetch_add_2(volatile std::uint16_t* a, std::uint16_t v,
                                        int o) __asm__("__atomic_fetch_add_2");
std::uint16_t heddle_atomic_fetch_sub_2(volatile std::uint16_t* a, std::uint16_t v,
                                        int o) __asm__("__atomic_fetch_sub_2");
std::uint16_t heddle_atomic_fetch_and_2(volatile std::uint16_t* a, std::uint16_t v,
                                        int o) __asm__("__atomic_fetch_and_2");
std::uint16_t heddle_atomic_fetch_or_2(volatile std::uint16_t* a, std::uint16_t v,
                                       int o) __asm__("__atomic_fetch_or_2");
std::uint16_t heddle_atomic_fetch_xor_2(volatile std::uint16_t* a, std::uint16_t v,
                                        int o) __asm__("__atomic_fetch_xor_2");
std::uint16_t heddle_atomic_fetch_nand_2(volatile std::uint16_t* a, std::uint16_t v,
                                         int o) __asm__("__atomic_fetch_nand_2");
bool heddle_atomic_compare_exchange_2(volatile std::uint16_t* a, std::uint16_t* e, std::uint16_t v, int o,
                                      int f) __asm__("__atomic_compare_exchange_2");
std::uint32_t heddle_atomic_load_4(const volatile std::uint32_t* a, int o) __asm__("__atomic_load_4");
void heddle_atomic_store_4(volatile std::uint32_t* a, std::uint32_t v, int o) __asm__("__atomic_store_4");
std::uint32_t heddle_atomic_exchange_4(volatile std::uint32_t* a, std::uint32_t v,
                                       int o) __asm__("__atomic_exchange_4");
std::uint32_t heddle_atomic_fetch_add_4(volatile std::uint32_t* a, std::uint32_t v,
                                        int o) __asm__("__atomic_fetch_add_4");
std::uint32_t heddle_atomic_fetch_sub_4(volatile std::uint32_t* a, std::uint32_t v,
                                        int o) __asm__("__atomic_fetch_sub_4");
std::uint32_t heddle_atomic_fetch_and_4(volatile std::uint32_t* a, std::uint32_t v,
                                        int o) __asm__("__atomic_fetch_and_4");
std::uint32_t heddle_atomic_fetch_or_4(volatile std::uint32_t* a, std::uint32_t v,
                                       int o) __asm__("__atomic_fetch_or_4");
std::uint32_t heddle_atomic_fetch_xor_4(volatile std::uint32_t* a, std::uint32_t v,
                                        int o) __asm__("__atomic_fetch_xor_4");
std::uint32_t heddle_atomic_fetch_nand_4(volatile std::uint32_t* a, std::uint32_t v,
                                         int o) __asm__("__atomic_fetch_nand_4");
bool heddle_atomic_compare_exchange_4(volatile std::uint32_t* a, std::uint32_t* e, std::uint32_t v, int o,
                                      int f) __asm__("__atomic_compare_exchange_4");
std::uint64_t heddle_atomic_load_8(const volatile std::uint64_t* a, int o) __asm__("__atomic_load_8");
void heddle_atomic_store_8(volatile std::uint64_t* a, std::uint64_t v, int o) __asm__("__atomic_store_8");
std::uint64_t heddle_atomic_exchange_8(volatile std::uint64_t* a, std::uint64_t v,
                                       int o) __asm__("__atomic_exchange_8");
std::uint64_t heddle_atomic_fetch_add_8(volatile std::uint64_t* a, std::uint64_t v,
                                        int o) __asm__("__atomic_fetch_add_8");
std::uint64_t heddle_atomic_fetch_sub_8(volatile std::uint64_t* a, std::uint64_t v,
                                        int o) __asm__("__atomic_fetch_sub_8");
std::uint64_t heddle_atomic_fetch_and_8(volatile std::uint64_t* a, std::uint64_t v,
                                        int o) __asm__("__atomic_fetch_and_8");
std::uint64_t heddle_atomic_fetch_or_8(volatile std::uint64_t* a, std::uint64_t v,
                                       int o) __asm__("__atomic_fetch_or_8");
std::uint64_t heddle_atomic_fetch_xor_8(volatile std::uint64_t* a, std::uint64_t v,
                                        int o) __asm__("__atomic_fetch_xor_8");
std::uint64_t heddle_atomic_fetch_nand_8(volatile std::uint64_t* a, std::uint64_t v,
                                         int o) __asm__("__atomic_fetch_nand_8");
bool heddle_atomic_compare_exchange_8(volatile std::uint64_t* a, std::uint64_t* e, std::uint64_t v, int o,
                                      int f) __asm__("__atomic_compare_exchange_8");
unsigned __int128 heddle_atomic_load_16(const volatile unsigned __int128* a, int o) __asm__("__atomic_load_16");
void heddle_atomic_store_16(volatile unsigned __int128* a, unsigned __int128 v, int o) __asm__("__atomic_store_16");
unsigned __int128 heddle_atomic_exchange_16(volatile unsigned __int128* a, unsigned __int128 v,
                                            int o) __asm__("__atomic_exchange_16");
unsigned __int128 heddle_atomic_fetch_add_16(volatile unsigned __int128* a, unsigned __int128 v,
                                             int o) __asm__("__atomic_fetch_add_16");
unsigned __int128 heddle_atomic_fetch_sub_16(volatile unsigned __int128* a, unsigned __int128 v,
                                             int o) __asm__("__atomic_fetch_sub_16");
unsigned __int128 heddle_atomic_fetch_and_16(volatile unsigned __int128* a, unsigned __int128 v,
                                             int o) __asm__("__atomic_fetch_and_16");
unsigned __int128 heddle_atomic_fetch_or_16(volatile unsigned __int128* a, unsigned __int128 v,
                                            int o) __asm__("__atomic_fetch_or_16");
unsigned __int128 heddle_atomic_fetch_xor_16(volatile unsigned __int128* a, unsigned __int128 v,
                                             int o) __asm__("__atomic_fetch_xor_16");
unsigned __int128 heddle_atomic_fetch_nand_16(volatile unsigned __int128* a, unsigned __int128 v,
                                              int o) __asm__("__atomic_fetch_nand_16");
bool heddle_atomic_compare_exchange_16(volatile unsigned __int128* a, unsigned __int128* e, unsigned __int128 v, int o,
                                       int f) __asm__("__atomic_compare_exchange_16");

// 1 byte
std::uint8_t heddle_atomic_load_1(const volatile std::uint8_t* a, int o) { return load(a, o, HEDDLE_CALLER); }
void heddle_atomic_store_1(volatile std::uint8_t* a, std::uint8_t v, int o) { store(a, v, o, HEDDLE_CALLER); }
std::uint8_t heddle_atomic_exchange_1(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_atomic_fetch_add_1(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_atomic_fetch_sub_1(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_atomic_fetch_and_1(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_atomic_fetch_or_1(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_atomic_fetch_xor_1(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_atomic_fetch_nand_1(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
bool heddle_atomic_compare_exchange_1(volatile std::uint8_t* a, std::uint8_t* e, std::uint8_t v, int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER) != 0;
}
// 2 bytes
std::uint16_t heddle_atomic_load_2(const volatile std::uint16_t* a, int o) { return load(a, o, HEDDLE_CALLER); }
void heddle_atomic_store_2(volatile std::uint16_t* a, std::uint16_t v, int o) { store(a, v, o, HEDDLE_CALLER); }
std::uint16_t heddle_atomic_exchange_2(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_atomic_fetch_add_2(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_atomic_fetch_sub_2(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_atomic_fetch_and_2(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_atomic_fetch_or_2(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_atomic_fetch_xor_2(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_atomic_fetch_nand_2(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
bool heddle_atomic_compare_exchange_2(volatile std::uint16_t* a, std::uint16_t* e, std::uint16_t v, int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER) != 0;
}
// 4 bytes
std::uint32_t heddle_atomic_load_4(const volatile std::uint32_t* a, int o) { return load(a, o, HEDDLE_CALLER); }
void heddle_atomic_store_4(volatile std::uint32_t* a, std::uint32_t v, int o) { store(a, v, o, HEDDLE_CALLER); }
std::uint32_t heddle_atomic_exchange_4(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_atomic_fetch_add_4(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_atomic_fetch_sub_4(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_atomic_fetch_and_4(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_atomic_fetch_or_4(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_atomic_fetch_xor_4(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_atomic_fetch_nand_4(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
bool heddle_atomic_compare_exchange_4(volatile std::uint32_t* a, std::uint32_t* e, std::uint32_t v, int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER) != 0;
}
// 8 bytes
std::uint64_t heddle_atomic_load_8(const volatile std::uint64_t* a, int o) { return load(a, o, HEDDLE_CALLER); }
void heddle_atomic_store_8(volatile std::uint64_t* a, std::uint64_t v, int o) { store(a, v, o, HEDDLE_CALLER); }
std::uint64_t heddle_atomic_exchange_8(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_atomic_fetch_add_8(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_atomic_fetch_sub_8(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_atomic_fetch_and_8(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_atomic_fetch_or_8(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_atomic_fetch_xor_8(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_atomic_fetch_nand_8(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
bool heddle_atomic_compare_exchange_8(volatile std::uint64_t* a, std::uint64_t* e, std::uint64_t v, int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER) != 0;
}
// 16 bytes
unsigned __int128 heddle_atomic_load_16(const volatile unsigned __int128* a, int o) {
  return load(a, o, HEDDLE_CALLER);
}
void heddle_atomic_store_16(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  store(a, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_atomic_exchange_16(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_atomic_fetch_add_16(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_atomic_fetch_sub_16(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_atomic_fetch_and_16(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_atomic_fetch_or_16(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_atomic_fetch_xor_16(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_atomic_fetch_nand_16(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
bool heddle_atomic_compare_exchange_16(volatile unsigned __int128* a, unsigned __int128* e, unsigned __int128 v, int o,
                                       int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER) != 0;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
