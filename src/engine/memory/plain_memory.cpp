#include "engine/memory/plain_memory.hpp"

#include <cstdio>
#include <cstring>

#include "engine/memory/atomics.hpp"
#include "engine/memory/object_table.hpp"
#include "engine/reporting/finding_sink.hpp"
#include "engine/scheduling/execution_observer.hpp"
#include "engine/threads/stack_walker.hpp"

namespace heddle::engine {

namespace {

constexpr std::uintptr_t cell_bytes = races::ShadowMemory::cell_bytes;
// Larger blocks are not marked byte for byte. A race between the allocation itself and a first access to such a block
// goes unseen, and so does a use after free of bytes that were never accessed before.
constexpr std::size_t largest_marked_block = 16 * 1024;
// An allocation of this size fails on every machine: the program must cope.
constexpr std::size_t hopeless_size = std::size_t{1} << 40;
// A thread that reads volatile memory as often lets other threads run, also if no loop is recognised.
constexpr std::uint32_t volatile_reads_in_a_row = 64;

/// What memory holds now, up to 16 bytes.
graph::Value value_at(std::uintptr_t address, std::size_t size) {
  graph::Value value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), size);
  return value;
}

races::AccessType type_of(const graph::Event& event) {
  if (is_plain(static_cast<Operation>(event.operation)))
    return writes(event.kind) ? races::AccessType::plain_write : races::AccessType::plain_read;
  return writes(event.kind) ? races::AccessType::atomic_write : races::AccessType::atomic_read;
}

/// As the program wrote it.
graph::MemoryOrder order_of(const graph::Event& event) {
  return is_plain(static_cast<Operation>(event.operation)) ? graph::MemoryOrder::plain : event.order;
}

}  // namespace

races::Access PlainMemory::access_now(std::uintptr_t address, std::size_t size, races::AccessType type,
                                      races::AccessCause cause, std::uint64_t site) {
  ProgramThread& self = threads_.current();
  const graph::Thread& thread = graph_.thread(self.id);
  races::Access access;
  access.address = address;
  access.size = size;
  access.type = type;
  access.cause = cause;
  access.thread = self.id;
  access.index = thread.plain_index();
  access.clock = thread.clock;
  access.site = site;
  access.stack = self.calls.intern(stacks_);
  return access;
}

/// Whether a loop waits (WaitingLoop) is judged by the thread's stack as it is, and by whether other memory has
/// changed.
void PlainMemory::record_write_for_program(std::uintptr_t address, std::size_t size) {
  if (!compares_local_state_) return;
  if (observer_.is_on()) observer_.record_access(transcript::PlainAccess::Kind::unseen_write, address, size, 0, 0);
  scheduler_.mark_plain_write(address, size);
}

bool PlainMemory::try_record_uncontended(std::uintptr_t address, races::Cell* cell, std::uint64_t first_word,
                                         std::uint32_t size, std::uint64_t site) {
  ProgramThread& self = threads_.current();
  if (self.ignore_depth != 0 || threads_.is_on_foreign_stack(address)) return false;
  const std::uint32_t stack = self.calls.interned();
  if (stack == CallStack::not_interned) return intern_and_record(address, cell, first_word, size, site);
  const auto record = races::RecordStamp::of_plain(first_word, size, site, stack);
  return races_.try_record_uncontended(cell, record, *graph_.thread(self.id).clock);
}

/// A function of its own, so that the usual case, a stack that is interned already, saves no registers.
[[gnu::noinline]] bool PlainMemory::intern_and_record(std::uintptr_t address, races::Cell* cell,
                                                      std::uint64_t first_word, std::uint32_t size,
                                                      std::uint64_t site) {
  threads_.current().calls.intern(stacks_);
  return try_record_uncontended(address, cell, first_word, size, site);
}

bool PlainMemory::try_record(std::uintptr_t address, std::size_t size, bool is_write, std::uint64_t site) {
  if (!base::fast_paths || watch_ != nullptr || size > races::ShadowMemory::cell_bytes) return false;
  const races::Detector::Place place = races_.place_of(address, size);
  const races::PlainAccesses stretch = accesses_until_next_event();
  using enum races::AccessType;
  if (is_write ? races_.is_remembered<plain_write>(place, stretch) : races_.is_remembered<plain_read>(place, stretch))
    return true;
  const std::uint64_t first_word =
      is_write ? stretch.first_word<plain_write>(place.bytes) : stretch.first_word<plain_read>(place.bytes);
  return try_record_uncontended(address, place.cell, first_word, static_cast<std::uint32_t>(size), site);
}

bool PlainMemory::access(std::uintptr_t address, std::size_t size, bool is_write, std::uint64_t site) {
  if (compares_local_state_) {
    if (is_write) scheduler_.mark_plain_write(address, size);
    using Kind = transcript::PlainAccess::Kind;
    if (observer_.is_on())
      observer_.record_access(is_write ? Kind::write : Kind::read, address, size, site, call_stack());
  }
  if (threads_.current().ignore_depth != 0 || size == 0) return true;
  if (try_record(address, size, is_write, site)) return true;
  access_contended(address, size, is_write, site);
  return false;
}

void PlainMemory::access_contended(std::uintptr_t address, std::size_t size, bool is_write, std::uint64_t site) {
  if (threads_.current().ignore_depth != 0) return;
  if (threads_.is_on_foreign_stack(address)) check_foreign_stack(address, is_write, site);
  const races::AccessType type = is_write ? races::AccessType::plain_write : races::AccessType::plain_read;
  const races::Access access = access_now(address, size, type, races::AccessCause::access, site);
  if (watch_ != nullptr) [[unlikely]]
    watch_->record_plain_access(is_write ? channel::AccessKind::write : channel::AccessKind::read, address, size, site,
                                access.stack);
  if (const auto conflict = races_.access_contended(access)) findings_.report_race(access, *conflict);
}

void PlainMemory::schedule_racy_access(bool is_write, std::uint64_t site) {
  scheduler_.schedule_point(is_write ? graph::EventKind::store : graph::EventKind::load, graph::MemoryOrder::plain,
                            is_write ? Operation::plain_write : Operation::plain_read, graph::no_location, site);
}

bool PlainMemory::has_polled_memory_changed(const ProgramThread& thread) {
  bool has_changed = false;
  const auto compare = [&](const SpinDetector::Read& seen) {
    has_changed |= seen.is_volatile() && value_at(seen.address, seen.size) != seen.value;
  };
  if (thread.loops.spin.is_spinning())
    for (std::uint32_t i = 0; i < thread.loops.spin.body_size(); ++i) compare(thread.loops.spin.body(i));
  else
    thread.loops.spin.for_each_read(compare);
  return has_changed;
}

/// A loop over volatile memory is not part of the graph. It waits if it reads the same values again and again. The
/// memory may be the thread's own stack: other threads may know its address.
void PlainMemory::record_volatile_read(std::uintptr_t address, std::size_t size, std::uint64_t site) {
  ProgramThread& self = threads_.current();
  self.loops.spin.read({.site = site,
                        .value = value_at(address, size),
                        .address = address,
                        .size = size,
                        .frame = self.calls.innermost_frame()});
  const bool watches_every_read = compares_local_state_ && !policy_compares_local_state_;
  const bool is_long = ++self.volatile_reads >= volatile_reads_in_a_row;
  if (!self.loops.spin.is_spinning() && !watches_every_read && !is_long) return;
  self.volatile_reads = 0;
  scheduler_.poll(site);
}

/// The accesses of a loop that polls plain memory race with the write that ends the loop, if that is announced. The
/// race is reported when the other thread runs.
void PlainMemory::preempt_if_silent(std::uint64_t site) {
  const Silence now{threads_.current().id, log_.events()};
  if (now == silence_) scheduler_.preempt(site);
  silence_ = {now.thread, log_.events()};
}

std::uintptr_t PlainMemory::program_stack_pointer(ProgramThread& owner) {
  const std::uintptr_t suspended_at = owner.fiber.suspended_at();
  const std::uint32_t events = graph_.thread(owner.id).plain_index();
  ProgramThread::SeenStack& seen = owner.seen_stack;
  if (seen.suspended_at != suspended_at || seen.events != events)
    seen = {suspended_at, events, stack_walker_.program_stack_pointer(owner)};
  return seen.stack_pointer;
}

/// A frame below the stack pointer of its thread has returned. A thread is suspended in the runtime, which it has
/// called, so there is no red zone: all frames of the program are above the stack pointer at the call. Where that is
/// need not be looked up for addresses above the frame of the innermost function.
void PlainMemory::check_foreign_stack(std::uintptr_t address, bool is_write, std::uint64_t site) {
  ProgramThread& owner = *threads_.with_stack(address);
  if (owner.dormant) return;  // where its frames end is not known
  char message[192];
  bool harms_runtime = false;
  if (owner.state == ProgramThread::State::finished) {
    std::snprintf(message, sizeof message, "access to the stack of %s, which has ended", owner.label);
  } else {
    const std::uintptr_t end = owner.fiber.suspended_at();
    if (owner.state != ProgramThread::State::alive || !owner.started || !owner.fiber.stack().contains(end)) return;
    constexpr std::uintptr_t entry_call = 2 * sizeof(std::uintptr_t);  // see CallStack::find_frame()
    if (const std::uintptr_t frame = owner.calls.innermost_frame(); frame != 0 && address >= frame + entry_call) return;
    if (address >= end && address >= program_stack_pointer(owner)) return;
    std::snprintf(message, sizeof message, "access to the stack of %s, to a frame of a function that has returned",
                  owner.label);
    harms_runtime = is_write && address >= end;
  }
  findings_.report_dead_stack(message, address, site);
  if (harms_runtime) scheduler_.end_with_finding();
}

void PlainMemory::use_object(std::uintptr_t address, std::uint64_t site) {
  ProgramThread& self = threads_.current();
  if (self.ignore_depth != 0 || !modules_.is_instrumented_code(site)) return;
  if (threads_.is_on_foreign_stack(address)) check_foreign_stack(address, false, site);
  const graph::Thread& thread = graph_.thread(self.id);
  const races::RecordStamp stamp(races::AccessType::atomic_read, races::AccessCause::synchronisation,
                                 graph::MemoryOrder::plain, self.id, thread.plain_index(), 1, site,
                                 self.calls.intern(stacks_));
  const races::Detector::Place place = races_.place_of(address, 1);
  if (!races_.try_record_uncontended(place.cell, stamp.of(place.bytes), *thread.clock))
    look_for_race_of_object(address, site);
}

void PlainMemory::look_for_race_of_object(std::uintptr_t address, std::uint64_t site) {
  const races::Access access =
      access_now(address, 1, races::AccessType::atomic_read, races::AccessCause::synchronisation, site);
  if (const auto conflict = races_.access_contended(access)) findings_.report_race(access, *conflict);
}

void PlainMemory::check_atomic_access(std::uintptr_t address, std::uint8_t size, const graph::Event& event) {
  ProgramThread& self = threads_.current();
  if (self.ignore_depth != 0) return;
  if (threads_.is_on_foreign_stack(address)) check_foreign_stack(address, writes(event.kind), event.site);
  const races::RecordStamp stamp(type_of(event), races::AccessCause::access, order_of(event), event.thread, event.index,
                                 size, event.site, self.calls.intern(stacks_));
  const races::Detector::Place place = races_.place_of(address, size);
  if (!races_.try_record_uncontended(place.cell, stamp.of(place.bytes), *event.clock))
    look_for_atomic_race(address, size, event);
}

void PlainMemory::look_for_atomic_race(std::uintptr_t address, std::uint8_t size, const graph::Event& event) {
  races::Access access;
  access.address = address;
  access.size = size;
  access.type = type_of(event);
  access.order = order_of(event);
  access.thread = event.thread;
  access.index = event.index;
  access.clock = event.clock;
  access.site = event.site;
  access.stack = threads_.current().calls.intern(stacks_);
  if (const auto conflict = races_.access_contended(access)) findings_.report_race(access, *conflict);
}

void PlainMemory::forget_cell(races::Cell& cell, std::uintptr_t at) {
  for (std::uintptr_t byte = at; byte < at + cell_bytes && (cell.has_location || cell.has_object); ++byte) {
    atomics_.forget_location(byte);
    objects_.forget_memory(byte);
  }
  cell.has_location = cell.has_object = false;
  cell.count = 0;
  cell.more.clear();
}

void PlainMemory::forget(std::uintptr_t address, std::size_t size) {
  races_.for_each_known_cell(address, size, [this](races::Cell& cell, std::uintptr_t at) { forget_cell(cell, at); });
}

void* PlainMemory::allocate(std::size_t size, std::size_t alignment, std::uint64_t site, Heap::Contents contents) {
  log_.beat();
  if (compares_local_state_) scheduler_.mark_progress();
  ProgramThread& self = threads_.current();
  const std::uint32_t stack = call_stack(site);
  void* pointer = heap_.allocate(self.place, size, alignment, stack, contents);
  if (pointer == nullptr) {
    if (size >= hopeless_size) return nullptr;
    char message[160];
    std::snprintf(message, sizeof message,
                  "the program wants more heap than --max-memory allows (%zu more bytes when %zu were in use)", size,
                  heap_.allocated());
    findings_.report_limit(LimitKind::memory, message, site);
    end_.end(strategies::Outcome::cut_off);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (watch_ != nullptr) [[unlikely]]
    watch_->record_plain_access(channel::AccessKind::allocation, address, size, site, self.calls.intern(stacks_));
  const bool is_marked = size <= largest_marked_block && self.ignore_depth == 0 && modules_.is_instrumented_code(site);
  if (observer_.is_on())
    observer_.record_access(
        is_marked ? transcript::PlainAccess::Kind::allocation : transcript::PlainAccess::Kind::unseen_write, address,
        size, site, self.calls.intern(stacks_));
  // The memory may have been in use before.
  const auto forget = [this](races::Cell& cell, std::uintptr_t at) { forget_cell(cell, at); };
  if (!is_marked)
    races_.for_each_known_cell(address, size, forget);
  else
    races_.begin_block(access_now(address, size, races::AccessType::plain_write, races::AccessCause::allocation, site),
                       forget);
  return pointer;
}

void PlainMemory::deallocate(void* pointer, std::uint64_t site) {
  const auto check = [&](std::size_t size) {
    if (watch_ != nullptr) [[unlikely]]
      watch_->record_plain_access(channel::AccessKind::deallocation, reinterpret_cast<std::uintptr_t>(pointer), size,
                                  site, call_stack());
    if (size == 0 || threads_.current().ignore_depth != 0 || !modules_.is_instrumented_code(site)) return;
    if (observer_.is_on())
      observer_.record_access(transcript::PlainAccess::Kind::deallocation, reinterpret_cast<std::uintptr_t>(pointer),
                              size, site, call_stack());
    const races::Access access = access_now(reinterpret_cast<std::uintptr_t>(pointer), size,
                                            races::AccessType::plain_write, races::AccessCause::deallocation, site);
    const auto conflict = size > largest_marked_block ? races_.access_where_known(access) : races_.access(access);
    if (conflict) findings_.report_race(access, *conflict);
  };
  switch (heap_.release(threads_.current().place, pointer, reuse_, check)) {
    case FreeResult::freed: return;
    case FreeResult::already_free: findings_.report_double_free(pointer, site); break;
    case FreeResult::not_a_block: findings_.report_invalid_free(pointer, site); break;
  }
  scheduler_.end_with_finding();  // the heap of a real allocator would be corrupt from here on
}

}  // namespace heddle::engine
