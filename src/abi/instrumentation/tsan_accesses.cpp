// Plain accesses and function calls. The instrumentation announces an access before it happens, without its value.
#include "abi/instrumentation/plain_access.hpp"
#include "abi/instrumentation/scrub.hpp"
#include "abi/start/process.hpp"
#include "abi/start/runtime.hpp"
#include "base/operand_sizes.hpp"

namespace heddle::abi {

namespace {

[[gnu::noinline]] void enter_function(engine::Engine& engine, std::uint64_t return_address, std::uintptr_t frame) {
  const Scrub scrub(engine);
  engine.plain().enter_function(return_address, frame);
}
template <std::size_t size>
[[gnu::always_inline]] inline void read(const void* at, std::uint64_t site) {
  access<size, races::AccessType::plain_read>(at, site);
}
template <std::size_t size>
[[gnu::always_inline]] inline void write(const void* at, std::uint64_t site) {
  access<size, races::AccessType::plain_write>(at, site);
}
/// True if volatile accesses are relaxed atomics. Those of 16 bytes are none, since processors make two of them.
template <std::size_t size>
bool is_atomic(const engine::Engine& engine, const void* at) {
  return size <= 8 && engine.volatile_is_atomic() && address_of(at) % size == 0;
}
template <std::size_t size>
void volatile_read(const void* at, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr) return;
  if (is_atomic<size>(*engine, at)) {
    const Scrub scrub(*engine);
    return engine->announce_volatile_load({address_of(at), size, graph::MemoryOrder::relaxed, site});
  }
  if (size <= 8 && engine->plain().is_racy(site) && announce_racy_access(*engine, at, size, false, site)) return;
  read<size>(at, site);
  engine->plain().record_volatile_read(address_of(at), size, site);
}
template <std::size_t size>
void volatile_write(const void* at, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr) return;
  if (!is_atomic<size>(*engine, at)) return write<size>(at, site);
  const Scrub scrub(*engine);
  engine->announce_volatile_store({address_of(at), size, graph::MemoryOrder::relaxed, site});
}
void read(const void* at, std::size_t size, std::uint64_t site) { access(at, size, false, site); }
void write(const void* at, std::size_t size, std::uint64_t site) { access(at, size, true, site); }

}  // namespace

// One line an entry point. A read-modify-write without atomicity counts as a write.
#define HEDDLE_DEFINE_ACCESSES(bytes, bits, T)                                            \
  void __tsan_read##bytes(void* a) { read<bytes>(a, HEDDLE_CALLER); }                     \
  void __tsan_write##bytes(void* a) { write<bytes>(a, HEDDLE_CALLER); }                   \
  void __tsan_read_write##bytes(void* a) { write<bytes>(a, HEDDLE_CALLER); }              \
  void __tsan_volatile_write##bytes(void* a) { volatile_write<bytes>(a, HEDDLE_CALLER); } \
  void __tsan_read##bytes##_pc(void* a, void* pc) { read<bytes>(a, address_of(pc)); }     \
  void __tsan_write##bytes##_pc(void* a, void* pc) { write<bytes>(a, address_of(pc)); }

// entry_thunks.cpp defines __tsan_volatile_readN, which jumps here.
#define HEDDLE_DEFINE_VOLATILE_READS(bytes, bits, T) \
  void heddle_tsan_volatile_read##bytes(void* a) { volatile_read<bytes>(a, HEDDLE_CALLER); }

#define HEDDLE_DEFINE_UNALIGNED_ACCESSES(bytes, bits, T)                                          \
  void __tsan_unaligned_read##bytes(void* a) { read<bytes>(a, HEDDLE_CALLER); }                   \
  void __tsan_unaligned_write##bytes(void* a) { write<bytes>(a, HEDDLE_CALLER); }                 \
  void __tsan_unaligned_read_write##bytes(void* a) { write<bytes>(a, HEDDLE_CALLER); }            \
  void __tsan_unaligned_volatile_read##bytes(void* a) { volatile_read<bytes>(a, HEDDLE_CALLER); } \
  void __tsan_unaligned_volatile_write##bytes(void* a) { volatile_write<bytes>(a, HEDDLE_CALLER); }

extern "C" {
HEDDLE_FOR_EACH_SIZE(HEDDLE_DEFINE_VOLATILE_READS)
}

#pragma GCC visibility push(default)
extern "C" {

HEDDLE_FOR_EACH_SIZE(HEDDLE_DEFINE_ACCESSES)
HEDDLE_FOR_EACH_SIZE_ABOVE_1(HEDDLE_DEFINE_UNALIGNED_ACCESSES)

void __tsan_read_range(void* a, unsigned long size) { read(a, size, HEDDLE_CALLER); }
void __tsan_write_range(void* a, unsigned long size) { write(a, size, HEDDLE_CALLER); }
void __tsan_read_range_pc(void* a, unsigned long size, void* pc) { read(a, size, address_of(pc)); }
void __tsan_write_range_pc(void* a, unsigned long size, void* pc) { write(a, size, address_of(pc)); }

// A destructor writes its class's virtual table pointer again. A write of the same value races with no reader.
void __tsan_vptr_update(void** a, void* value) {
  if (*a != value) write<sizeof *a>(a, HEDDLE_CALLER);
}
void __tsan_vptr_read(void** a) { read<sizeof *a>(a, HEDDLE_CALLER); }

void __tsan_func_entry(void* return_address) {
  engine::Engine* engine = running();
  if (engine == nullptr) return;
  const auto from = address_of(return_address), frame = address_of(__builtin_frame_address(0));
  // A search leaves loops without announced accesses to the timer (preemption.hpp), which withholds the proof.
  if (!engine->plain().compares_local_state() && !engine->plain().may_skip_steps()) [[unlikely]]
    engine->plain().count_access(HEDDLE_CALLER);
  if (!engine->plain().try_enter_function(from, frame)) enter_function(*engine, from, frame);
}
void __tsan_func_exit() {
  engine::Engine* engine = running();
  if (engine == nullptr) return;
  const Scrub scrub(*engine);
  engine->plain().leave_function();
}

void __tsan_init() { heddle::abi::register_loaded_library(); }

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
