// Plain accesses and function calls, as the instrumentation announces them: before they happen, without a value.
#include "abi/runtime.hpp"
#include "abi/scrub.hpp"

namespace heddle::abi {

namespace {

[[gnu::noinline]] void access(const void* at, std::size_t size, bool is_write, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr) return;
  const Scrub scrub(*engine);
  engine->plain_access(address_of(at), size, is_write, site);
}
[[gnu::noinline]] void enter_function(engine::Engine& engine, std::uint64_t return_address, std::uintptr_t frame) {
  const Scrub scrub(engine);
  engine.enter_function(return_address, frame);
}
/// For the sizes that programs access over and over.
template <std::size_t size, races::AccessType type>
[[gnu::always_inline]] inline void access(const void* at, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr) return;
  const races::PlainAccesses stretch = engine->plain_accesses();
  races::Detector::Place place;
  if (engine->needs_no_record<size, type>(address_of(at), stretch, place)) return;
  if (!engine->access_in_peace(place.cell, stretch.first_word<type>(place.bytes), size, site))
    access(at, size, is_write(type), site);
}
template <std::size_t size>
[[gnu::always_inline]] inline void read(const void* at, std::uint64_t site) {
  access<size, races::AccessType::plain_read>(at, site);
}
template <std::size_t size>
[[gnu::always_inline]] inline void write(const void* at, std::uint64_t site) {
  access<size, races::AccessType::plain_write>(at, site);
}
void read(const void* at, std::size_t size, std::uint64_t site) { access(at, size, false, site); }
void write(const void* at, std::size_t size, std::uint64_t site) { access(at, size, true, site); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void __tsan_read1(void* a) { read<1>(a, HEDDLE_CALLER); }
void __tsan_volatile_read1(void* a) { read<1>(a, HEDDLE_CALLER); }
void __tsan_read1_pc(void* a, void* pc) { read<1>(a, address_of(pc)); }
void __tsan_write1(void* a) { write<1>(a, HEDDLE_CALLER); }
void __tsan_volatile_write1(void* a) { write<1>(a, HEDDLE_CALLER); }
void __tsan_write1_pc(void* a, void* pc) { write<1>(a, address_of(pc)); }
void __tsan_read_write1(void* a) { write<1>(a, HEDDLE_CALLER); }
void __tsan_read2(void* a) { read<2>(a, HEDDLE_CALLER); }
void __tsan_volatile_read2(void* a) { read<2>(a, HEDDLE_CALLER); }
void __tsan_unaligned_read2(void* a) { read<2>(a, HEDDLE_CALLER); }
void __tsan_unaligned_volatile_read2(void* a) { read<2>(a, HEDDLE_CALLER); }
void __tsan_read2_pc(void* a, void* pc) { read<2>(a, address_of(pc)); }
void __tsan_write2(void* a) { write<2>(a, HEDDLE_CALLER); }
void __tsan_volatile_write2(void* a) { write<2>(a, HEDDLE_CALLER); }
void __tsan_unaligned_write2(void* a) { write<2>(a, HEDDLE_CALLER); }
void __tsan_unaligned_volatile_write2(void* a) { write<2>(a, HEDDLE_CALLER); }
void __tsan_write2_pc(void* a, void* pc) { write<2>(a, address_of(pc)); }
void __tsan_read_write2(void* a) { write<2>(a, HEDDLE_CALLER); }
void __tsan_unaligned_read_write2(void* a) { write<2>(a, HEDDLE_CALLER); }
void __tsan_read4(void* a) { read<4>(a, HEDDLE_CALLER); }
void __tsan_volatile_read4(void* a) { read<4>(a, HEDDLE_CALLER); }
void __tsan_unaligned_read4(void* a) { read<4>(a, HEDDLE_CALLER); }
void __tsan_unaligned_volatile_read4(void* a) { read<4>(a, HEDDLE_CALLER); }
void __tsan_read4_pc(void* a, void* pc) { read<4>(a, address_of(pc)); }
void __tsan_write4(void* a) { write<4>(a, HEDDLE_CALLER); }
void __tsan_volatile_write4(void* a) { write<4>(a, HEDDLE_CALLER); }
void __tsan_unaligned_write4(void* a) { write<4>(a, HEDDLE_CALLER); }
void __tsan_unaligned_volatile_write4(void* a) { write<4>(a, HEDDLE_CALLER); }
void __tsan_write4_pc(void* a, void* pc) { write<4>(a, address_of(pc)); }
void __tsan_read_write4(void* a) { write<4>(a, HEDDLE_CALLER); }
void __tsan_unaligned_read_write4(void* a) { write<4>(a, HEDDLE_CALLER); }
void __tsan_read8(void* a) { read<8>(a, HEDDLE_CALLER); }
void __tsan_volatile_read8(void* a) { read<8>(a, HEDDLE_CALLER); }
void __tsan_unaligned_read8(void* a) { read<8>(a, HEDDLE_CALLER); }
void __tsan_unaligned_volatile_read8(void* a) { read<8>(a, HEDDLE_CALLER); }
void __tsan_read8_pc(void* a, void* pc) { read<8>(a, address_of(pc)); }
void __tsan_write8(void* a) { write<8>(a, HEDDLE_CALLER); }
void __tsan_volatile_write8(void* a) { write<8>(a, HEDDLE_CALLER); }
void __tsan_unaligned_write8(void* a) { write<8>(a, HEDDLE_CALLER); }
void __tsan_unaligned_volatile_write8(void* a) { write<8>(a, HEDDLE_CALLER); }
void __tsan_write8_pc(void* a, void* pc) { write<8>(a, address_of(pc)); }
void __tsan_read_write8(void* a) { write<8>(a, HEDDLE_CALLER); }
void __tsan_unaligned_read_write8(void* a) { write<8>(a, HEDDLE_CALLER); }
void __tsan_read16(void* a) { read(a, 16, HEDDLE_CALLER); }
void __tsan_volatile_read16(void* a) { read(a, 16, HEDDLE_CALLER); }
void __tsan_unaligned_read16(void* a) { read(a, 16, HEDDLE_CALLER); }
void __tsan_unaligned_volatile_read16(void* a) { read(a, 16, HEDDLE_CALLER); }
void __tsan_read16_pc(void* a, void* pc) { read(a, 16, address_of(pc)); }
void __tsan_write16(void* a) { write(a, 16, HEDDLE_CALLER); }
void __tsan_volatile_write16(void* a) { write(a, 16, HEDDLE_CALLER); }
void __tsan_unaligned_write16(void* a) { write(a, 16, HEDDLE_CALLER); }
void __tsan_unaligned_volatile_write16(void* a) { write(a, 16, HEDDLE_CALLER); }
void __tsan_write16_pc(void* a, void* pc) { write(a, 16, address_of(pc)); }
void __tsan_read_write16(void* a) { write(a, 16, HEDDLE_CALLER); }
void __tsan_unaligned_read_write16(void* a) { write(a, 16, HEDDLE_CALLER); }

void __tsan_read_range(void* a, unsigned long size) { read(a, size, HEDDLE_CALLER); }
void __tsan_write_range(void* a, unsigned long size) { write(a, size, HEDDLE_CALLER); }
void __tsan_read_range_pc(void* a, unsigned long size, void* pc) { read(a, size, address_of(pc)); }
void __tsan_write_range_pc(void* a, unsigned long size, void* pc) { write(a, size, address_of(pc)); }

// Destructors write the virtual table pointer of their class again: the same value changes nothing for anybody.
void __tsan_vptr_update(void** a, void* value) {
  if (*a != value) write<sizeof *a>(a, HEDDLE_CALLER);
}
void __tsan_vptr_read(void** a) { read<sizeof *a>(a, HEDDLE_CALLER); }

void __tsan_func_entry(void* return_address) {
  engine::Engine* engine = running();
  if (engine == nullptr) return;
  const auto from = address_of(return_address), frame = address_of(__builtin_frame_address(0));
  if (!engine->enter_function_at_once(from, frame)) enter_function(*engine, from, frame);
}
void __tsan_func_exit() {
  engine::Engine* engine = running();
  if (engine == nullptr) return;
  const Scrub scrub(*engine);
  engine->leave_function();
}

void __tsan_init() {}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
