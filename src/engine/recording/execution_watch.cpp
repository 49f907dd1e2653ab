#include "engine/recording/execution_watch.hpp"

#include <cstring>

#include "engine/operations/operation.hpp"
#include "engine/operations/sync_object.hpp"

namespace heddle::engine {

using channel::AccessKind;
using graph::Event;
using graph::EventId;

namespace {

constexpr std::size_t deepest_stack = 32;

struct Stack {
  std::uint64_t pcs[deepest_stack + 1];
  std::size_t size = 0;

  Stack(const CallStackTree& tree, std::uint64_t site, std::uint32_t number) {
    if (site != 0) pcs[size++] = site;
    size += tree.unwind(number, {pcs + size, deepest_stack});
  }
  channel::Words words() const { return {pcs, size}; }
};

/// A vector clock as words.
struct ClockWords {
  std::uint64_t entries[ThreadTable::max_threads];
  std::size_t size = 0;

  explicit ClockWords(const base::VectorClock& clock) {
    for (; size < clock.size() && size < ThreadTable::max_threads; ++size)
      entries[size] = clock[static_cast<std::uint32_t>(size)];
  }
  channel::Words words() const { return {entries, size}; }
};

void split(graph::Value value, std::uint64_t (&halves)[2]) {
  halves[0] = static_cast<std::uint64_t>(value);
  halves[1] = static_cast<std::uint64_t>(value >> 64);
}

}  // namespace

bool ExecutionWatch::begin_execution(std::uint64_t number) {
  events_.forget();
  plain_.forget();
  decisions_.forget();
  locals_.forget();
  has_object_.forget();
  accesses_seen_ = 0;
  awaits_value_ = false;
  left_out_ = 0;
  steps_ = 0;
  return inner_.begin_execution(number);
}

void ExecutionWatch::end_execution(strategies::Outcome outcome) { inner_.end_execution(outcome); }

std::uint32_t ExecutionWatch::choose(const strategies::Choice& choice) {
  const std::uint32_t index = inner_.choose(choice);
  // Without the decisions, a reader does not know which switches were preemptions. The story is complete all the same.
  if (decisions_.size() == most_notes) return index;
  decisions_.push_back(arena_, {choice.kind, events_so_far(), choice.current,
                                static_cast<std::uint32_t>(choice.options.size()), index, choice.going_on != nullptr});
  return index;
}

void ExecutionWatch::executed(const Event& event) {
  complete_last_write();
  inner_.executed(event);
  ++steps_;
  reach_step();
  if (in_.graph.has_forgotten()) return;
  find_locals(event);
  const EventId id{static_cast<std::uint32_t>(&event - in_.graph.events().data())};
  ProgramThread& thread = in_.threads.at(event.thread);
  events_.push_back(arena_, {id, thread.calls.intern(in_.stacks), steps_});
}

void ExecutionWatch::record_plain_access(AccessKind kind, std::uintptr_t address, std::size_t size, std::uint64_t site,
                                         std::uint32_t stack) {
  complete_last_write();
  ++steps_;
  reach_step();
  if (plain_.size() == most_notes) {
    ++left_out_;
    return;
  }
  const graph::ThreadId self = in_.threads.current().id;
  // A thread's own accesses to its stack are many. The reader wants the names of variables that threads share.
  if (in_.threads.is_on_foreign_stack(address)) remember_local(address);
  const graph::Thread& thread = in_.graph.thread(self);
  PlainNote note{kind, false, events_so_far(), self,  thread.plain_index(), stack, site, address,
                 size, 0,     thread.clock,    steps_};
  const bool has_number = size <= sizeof note.value && can_look_at(address, size);
  if (kind == AccessKind::read && has_number) {
    std::memcpy(&note.value, reinterpret_cast<const void*>(address), size);
    note.has_value = true;
  }
  awaits_value_ = kind == AccessKind::write && has_number;
  plain_.push_back(arena_, note);
}

void ExecutionWatch::complete_last_write() {
  if (!awaits_value_) return;
  awaits_value_ = false;
  PlainNote& note = plain_.back();
  std::memcpy(&note.value, reinterpret_cast<const void*>(note.address), note.size);
  note.has_value = true;
}

void ExecutionWatch::find_locals(const Event& event) {
  const auto accesses = in_.atomics.accesses();
  for (; accesses_seen_ < accesses.size(); ++accesses_seen_) remember_local(accesses[accesses_seen_].address);
  if (event.location == graph::no_location) return;
  const std::uint32_t location = number(event.location);
  if (has_object_.size() <= location) has_object_.resize(arena_, location + std::size_t{1});
  if (has_object_[location]) return;
  has_object_[location] = true;
  in_.objects.for_each_ever([&](const SyncObject& object) {
    if (object.location == event.location) remember_local(object.address);
  });
}

void ExecutionWatch::remember_local(std::uintptr_t address) {
  if (locals_.size() == most_locals) return;
  const ProgramThread* thread = in_.threads.with_stack(address);
  if (thread == nullptr) return;
  for (const LocalNote& note : locals_)
    if (note.address == address) return;
  const channel::FramePlace place = thread->calls.find_place(address, thread->fiber.stack().end);
  if (place.pc != 0) locals_.push_back(arena_, {address, place});
}

/// Memory that the program may have unmapped, or that it accesses through a wild pointer, is left alone.
bool ExecutionWatch::can_look_at(std::uintptr_t address, std::size_t size) const {
  if (const Block block = in_.heap.find_block(address); block.size != 0)
    return address + size <= block.address + block.size;
  if (in_.threads.with_stack(address) != nullptr) return true;
  for (const Module& module : in_.modules.all())
    for (const Range& range : module.writable)
      if (range.contains(address) && address + size <= range.end) return true;
  return false;
}

/// Writes the records of one execution.
class ExecutionWatch::Writer {
 public:
  Writer(ExecutionWatch& watch, std::span<std::uint64_t> room) : watch_(watch), in_(watch.in_), writer_(room) {}

  /// Returns false if the records do not fit.
  bool write_all() {
    add(channel::LogHead{watch_.events_so_far(), 0});
    add_threads();
    add_locations();
    for (const LocalNote& note : watch_.locals_) add(channel::LoggedLocal{note.address, note.place});
    add_events();
    add_plain_accesses();
    add_decisions();
    return fits_;
  }
  void write_head(std::uint64_t left_out) { add(channel::LogHead{watch_.events_so_far(), left_out}); }
  std::size_t size() const { return writer_.words().size_bytes(); }

 private:
  template <typename Record>
  void add(const Record& record) {
    fits_ = fits_ && writer_.add(record);
  }

  void add_threads() {
    for (const ProgramThread* thread : in_.threads.threads()) {
      const Range stack = thread->fiber.stack();
      add(channel::LoggedThread{number(thread->id), thread->label, stack.begin, stack.end});
    }
  }

  void add_locations() {
    const auto addresses = watch_.arena_.create_array<std::uintptr_t>(in_.graph.locations().size());
    for (std::uintptr_t& address : addresses) address = 0;
    for (const AccessNote& access : in_.atomics.accesses())
      addresses[number(in_.graph.event(access.event).location)] = access.address;
    for (std::uint32_t i = 0; i < addresses.size(); ++i)
      if (addresses[i] != 0)
        add(channel::LoggedLocation{i, addresses[i], in_.graph.location(graph::LocationId{i}).size, {}});
    in_.objects.for_each_ever([&](const SyncObject& object) {
      if (object.location != graph::no_location)
        add(channel::LoggedLocation{number(object.location), object.address, 0,
                                    object.title != nullptr ? object.title : object_name(object.kind)});
    });
  }

  void add_events() {
    const auto events = in_.graph.events();
    const auto notes = watch_.arena_.create_array<EventNote>(events.size());
    for (std::uint32_t i = 0; i < events.size(); ++i) notes[i] = {EventId{i}, events[i].stack, 0};
    for (const EventNote& note : watch_.events_) notes[number(note.event)] = note;
    for (std::uint32_t i = 0; i < events.size(); ++i) add_event(events[i], i, notes[i]);
  }

  void add_event(const Event& event, std::uint32_t id, const EventNote& note) {
    const Stack stack(in_.stacks, event.site, note.stack);
    const ClockWords clock(*event.clock);
    const auto synchronised = watch_.arena_.create_array<std::uint64_t>(event.synchronised.size());
    for (std::size_t i = 0; i < synchronised.size(); ++i) synchronised[i] = number(event.synchronised[i]);
    channel::LoggedEvent record;
    record.number = id;
    record.step = note.step;
    record.kind = event.kind;
    record.order = is_plain(static_cast<Operation>(event.operation)) ? graph::MemoryOrder::plain : event.order;
    record.size = event.size;
    record.thread = number(event.thread);
    record.index = event.index;
    record.location = number(event.location);
    record.reads_from = number(event.reads_from);
    record.mo_position = event.mo_position;
    record.failed_exchange = is_failed_exchange(event);
    record.failed_spuriously = event.failed_spuriously;
    split(event.read, record.read);
    split(event.written, record.written);
    record.operation = describe(static_cast<Operation>(event.operation));
    record.stack = stack.words();
    record.clock = clock.words();
    record.synchronised = synchronised;
    add(record);
  }

  void add_plain_accesses() {
    for (const PlainNote& note : watch_.plain_) {
      const Stack stack(in_.stacks, note.site, note.stack);
      const ClockWords clock(*note.clock);
      add(channel::LoggedPlainAccess{note.kind, note.events_before, number(note.thread), note.index, note.address,
                                     note.size, note.has_value, note.value, stack.words(), clock.words(), note.step});
    }
  }

  void add_decisions() {
    for (const DecisionNote& note : watch_.decisions_)
      add(channel::LoggedDecision{static_cast<std::uint32_t>(note.kind), note.events_before, number(note.thread),
                                  note.options, note.index, note.could_continue});
  }

  ExecutionWatch& watch_;
  const Parts& in_;
  channel::RecordWriter writer_;
  bool fits_ = true;
};

void ExecutionWatch::write(channel::Channel& channel) {
  complete_last_write();
  auto* words = reinterpret_cast<std::uint64_t*>(channel.at(channel::recordings_offset));
  const std::span<std::uint64_t> room{words, channel::recordings_capacity / sizeof *words};
  Writer whole(*this, room);
  const bool is_complete = !in_.graph.has_forgotten() && left_out_ == 0 && whole.write_all();
  Writer head(*this, room);
  if (!is_complete) head.write_head(left_out_ + 1);
  channel.progress.recordings_size.store(is_complete ? whole.size() : head.size(), std::memory_order_release);
}

}  // namespace heddle::engine
