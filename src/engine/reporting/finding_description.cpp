#include "engine/reporting/finding_description.hpp"

#include "engine/operations/operation.hpp"
#include "engine/operations/sync_object.hpp"

namespace heddle::engine {

using channel::AccessKind;
using channel::Activity;
using channel::Place;

namespace {
/// A deadlock of 400 threads with the deepest stacks fits.
std::uint64_t record_buffer[32 * 1024];
}  // namespace

FindingDescription::FindingDescription(const Sources& sources, const channel::FindingHead& head)
    : sources_(sources), writer_(record_buffer) {
  writer_.add(head);
}

/// The stack with this number in the tree of call stacks, below the place `site`; a site of 0 is left out.
FindingDescription::Stack FindingDescription::interned_stack(std::uint64_t site, std::uint32_t number) const {
  Stack stack;
  if (site != 0) stack.push(site);
  stack.size += sources_.stacks.unwind(number, {stack.pcs + stack.size, deepest_stack});
  return stack;
}

/// The thread's stack as it is now, from its frames, so that uninstrumented code shows too. If the frames cannot be
/// walked, the calls that the instrumentation announced.
FindingDescription::Stack FindingDescription::stack_of(ProgramThread& thread, std::uint64_t site) const {
  std::uint64_t frames[deepest_stack];
  const std::size_t count = sources_.context.walk_stack(thread, frames);
  std::size_t first = 0;
  while (first < count && !sources_.modules.is_instrumented_code(frames[first])) ++first;
  if (first == count) return interned_stack(site, thread.calls.intern(sources_.stacks));
  Stack stack;
  for (std::size_t i = first; i < count && sources_.modules.is_foreign_code(frames[i]); ++i)
    stack.push(i == first ? frames[i] - 1 : frames[i]);
  return stack;
}

void FindingDescription::add_race_context(channel::Words races, channel::Words sites) {
  writer_.add(channel::RaceContextRecord{races, sites});
}

void FindingDescription::add_stack(std::uint32_t number) {
  const Stack stack = interned_stack(0, number);
  writer_.add(channel::StackRecord{stack.words()});
}

void FindingDescription::add_stack_of(ProgramThread& thread, std::uint64_t site) {
  const Stack stack = stack_of(thread, site);
  writer_.add(channel::StackRecord{stack.words()});
}

void FindingDescription::add_access(AccessKind access, graph::MemoryOrder order, std::size_t size,
                                    std::uintptr_t address, std::uint32_t slot, std::uint64_t site,
                                    std::uint32_t stack_number) {
  if (access == AccessKind::synchronisation) size = 0;  // the whole object, whatever its size
  const Stack stack = interned_stack(site, stack_number);
  writer_.add(
      channel::FindingAccess{access, order, size, address, sources_.context.thread_in_slot(slot).label, stack.words()});
}

void FindingDescription::add_local(std::uintptr_t address) {
  for (const ProgramThread* thread : sources_.context.threads_of_execution()) {
    const Range stack = thread->fiber.stack();
    if (!stack.contains(address) || thread->state != ProgramThread::State::alive) continue;
    const channel::FramePlace place = thread->calls.find_place(address, stack.end);
    if (place.pc != 0) writer_.add(channel::LocalRecord{address, place});
  }
}

void FindingDescription::add_object(std::uintptr_t address) {
  channel::ObjectRecord object;
  object.address = address;
  Stack stack;
  if (const Block block = sources_.heap.find_block(address); block.size != 0) {
    object.place = Place::heap;
    object.block = block.address;
    object.block_size = block.size;
    if (const ProgramThread* thread = sources_.context.thread_at_place(sources_.heap.slot_of(address)))
      object.thread = thread->label;
    stack = interned_stack(0, sources_.heap.allocation_stack(reinterpret_cast<void*>(block.address)));
  } else if (const Mapping* mapping = sources_.context.mapping_at(address)) {
    object.place = Place::mapped;
    object.block = mapping->range.begin;
    object.block_size = mapping->range.size();
    if (const ProgramThread* thread = sources_.context.thread_at_place(Mappings::place_of(address)))
      object.thread = thread->label;
    stack = interned_stack(0, mapping->stack);
  } else {
    for (const ProgramThread* thread : sources_.context.threads_of_execution())
      if (thread->fiber.stack().contains(address)) object.thread = thread->label;
    const bool on_stack = !object.thread.empty() || sources_.context.is_on_callers_stack(address);
    object.place = on_stack ? Place::stack : Place::global;
  }
  object.stack = stack.words();
  writer_.add(object);
  if (object.place == Place::stack) add_local(address);
}

void FindingDescription::add_thread(ProgramThread& thread) {
  channel::FindingThread record;
  record.thread = thread.label;
  const SyncObject* object = thread.waits_for;
  if (thread.parked) {
    record.activity = Activity::spins;
  } else if (object != nullptr) {
    record.activity = object->kind == SyncKind::thread ? Activity::waits_for_thread : Activity::waits_for_object;
    record.what = object->title != nullptr ? object->title : object_name(object->kind);
  } else {
    record.activity = Activity::is_before;
    record.what = describe(static_cast<Operation>(thread.pending.operation));
  }
  if (object != nullptr) record.object = object->address;
  if (const ProgramThread* holder = holder_of(thread)) record.held_by = holder->label;
  const Stack stack = stack_of(thread, thread.site);
  record.stack = stack.words();
  writer_.add(record);
  if (object != nullptr) add_local(object->address);
}

void FindingDescription::add_cycle() {
  const auto threads = sources_.context.threads_of_execution();
  for (const ProgramThread* start : threads) {
    const ProgramThread* at = start;
    for (std::size_t steps = 0; at != nullptr && steps < threads.size(); ++steps) {
      at = at->state == ProgramThread::State::alive ? holder_of(*at) : nullptr;
      if (at != start) continue;
      do {
        writer_.add(channel::CycleRecord{at->label});
        at = holder_of(*at);
      } while (at != start);
      return;
    }
  }
}

const ProgramThread* FindingDescription::holder_of(const ProgramThread& thread) const {
  const SyncObject* object = thread.waits_for;
  if (object == nullptr) return nullptr;
  if (object->kind == SyncKind::thread)
    for (const ProgramThread* other : sources_.context.threads_of_execution())
      if (other->done == object) return other;
  if (object->owner != nullptr) return object->owner;
  if (object->kind == SyncKind::rwlock && !object->readers.empty()) return object->readers[0];
  return nullptr;
}

}  // namespace heddle::engine
