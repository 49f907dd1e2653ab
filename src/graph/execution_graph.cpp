#include "graph/execution_graph.hpp"

#include "base/fast_paths.hpp"

namespace heddle::graph {

namespace {
// One large graph should not make every later graph reserve as much memory.
constexpr std::size_t largest_room = 4096;

template <typename T>
void empty_with_room(base::ArenaVector<T>& vector, base::Arena& arena) {
  const std::size_t room = vector.capacity();
  vector.forget();
  if (base::fast_paths && room != 0) vector.reserve(arena, room < largest_room ? room : largest_room);
}
}  // namespace

void ExecutionGraph::clear() {
  // Threads and locations, which every event uses, lie at the beginning of a page. The end of a page is where the
  // frames on a stack lie; a load that follows a store to the same offset in another page is delayed.
  empty_with_room(threads_, *arena_);
  empty_with_room(locations_, *arena_);
  empty_with_room(events_, *arena_);
  free_locations_.forget();
  kept_hash_ = 0;
  events_are_apart_ = has_forgotten_ = false;
  keeps_program_order_ = !base::fast_paths;
  history_.forget();
  new_threads_.forget();
  keeps_history_ = is_past_cutting_ = has_diverged_ = false;
  next_repeated_ = repeated_end_ = 0;
}

void ExecutionGraph::add_thread(ThreadId id, std::uint64_t name) {
  if (is_repeating()) return;
  if (keeps_history_) new_threads_.push_back(*arena_, {id, static_cast<std::uint32_t>(events_.size())});
  if (threads_.size() <= number(id))
    threads_.resize(*arena_, number(id) + 1);
  else
    threads_[number(id)] = Thread{};
  threads_[number(id)].name = name;
  threads_[number(id)].exists = true;
}

LocationId ExecutionGraph::add_location(std::uint64_t name, std::uint8_t size, Value initial) {
  if (is_repeating()) return repeat_location(name);
  LocationId id{static_cast<std::uint32_t>(locations_.size())};
  if (free_locations_.empty()) {
    locations_.add_uninitialised(*arena_);
  } else {
    id = free_locations_.back();
    free_locations_.pop_back();
  }
  Location& location = *new (&locations_[number(id)]) Location{};
  location.name = name;
  location.size = size;
  Event& init = begin_event();
  init.kind = EventKind::init;
  init.size = size;
  init.location = id;
  init.written = initial;
  append_begun();
  return id;
}

namespace {
// The caller writes a draft field by field right before append(). The processor forwards a store to a load of the same
// bytes, but a load that spans several stores stalls until they reach the cache. So each field is copied by itself. The
// empty asm keeps the compiler from merging the copies.
template <typename Field>
void copy_field(Field& to, const Field& from) {
  Field value = from;
  asm("" : "+r"(value));
  to = value;
}

void copy_fields(Event& to, const Event& from) {
  copy_field(to.kind, from.kind);
  copy_field(to.order, from.order);
  copy_field(to.size, from.size);
  copy_field(to.operation, from.operation);
  copy_field(to.thread, from.thread);
  copy_field(to.index, from.index);
  copy_field(to.location, from.location);
  copy_field(to.reads_from, from.reads_from);
  copy_field(to.mo_position, from.mo_position);
  copy_field(to.overwritten_by, from.overwritten_by);
  copy_field(to.stack, from.stack);
  copy_field(to.site, from.site);
  copy_field(to.failed_exchange, from.failed_exchange);
  copy_field(to.read, from.read);
  copy_field(to.written, from.written);
  copy_field(to.clock, from.clock);
  copy_field(to.released, from.released);
  const EventId* synchronised = from.synchronised.data();
  std::size_t count = from.synchronised.size();
  asm("" : "+r"(synchronised), "+r"(count));
  to.synchronised = {synchronised, count};
}
}  // namespace

/// For a plain store that was found late: its thread may have executed later events already.
void ExecutionGraph::insert_in_program_order(Thread& author, const Event& event, EventId id) {
  std::size_t at = author.events.size();
  while (at > 0 && this->event(author.events[at - 1]).index > event.index) --at;
  author.events.insert(*arena_, at, id);
}

void ExecutionGraph::find_program_order() {
  keeps_program_order_ = true;
  for (std::uint32_t i = 0; i < events_.size(); ++i)
    if (events_[i].thread != no_thread) insert_in_program_order(thread(events_[i].thread), events_[i], EventId{i});
}

EventId ExecutionGraph::append(const Event& draft, std::uint32_t mo_position) {
  if (&begun_event() != &draft) copy_fields(begun_event(), draft);
  return append_begun(mo_position);
}

void ExecutionGraph::insert_in_modification_order(Location& location, Event& event, EventId id,
                                                  std::uint32_t position) {
  auto& order = location.modification_order;
  const Event& successor = this->event(order[position]);
  kept_hash_ -= hash_of(successor);
  event.mo_position = position;
  order.insert(*arena_, position, id);
  for (std::size_t i = position + 1; i < order.size(); ++i) ++this->event(order[i]).mo_position;
  kept_hash_ += hash_of(successor);
}

void ExecutionGraph::place(EventId id) {
  is_past_cutting_ = true;
  Event& store = event(id);
  kept_hash_ -= hash_of(store);
  add_to_modification_order(location(store.location), store, id, newest);
  kept_hash_ += hash_of(store);
}

void ExecutionGraph::retract_last() {
  const Event last = events_.back();
  if (last.kind != EventKind::init) kept_hash_ -= hash_of(last);
  if (accesses_memory(last.kind)) {
    Location& location = this->location(last.location);
    for (ThreadAccesses& by : location.accessed_by)
      if (by.thread == last.thread) by.accesses.pop_back();
    if (last.kind == EventKind::rmw) event(last.reads_from).overwritten_by = no_event;
    if (writes(last.kind)) {
      auto& order = location.modification_order;
      const std::size_t next = last.mo_position + std::size_t{1};
      const Event* successor = next == order.size() ? nullptr : &event(order[next]);
      if (successor != nullptr) kept_hash_ -= hash_of(*successor);
      order.erase(last.mo_position);
      for (std::size_t i = last.mo_position; i < order.size(); ++i) --event(order[i]).mo_position;
      if (successor != nullptr) kept_hash_ += hash_of(*successor);
    }
  }
  if (last.thread != no_thread) {
    Thread& author = thread(last.thread);
    if (keeps_program_order_) author.events.pop_back();
    if (last.index == author.index) author.index -= 2;
  }
  events_.pop_back();
}

EventId ExecutionGraph::newest_write(LocationId id) const { return location(id).modification_order.back(); }

std::uint32_t ExecutionGraph::mo_position_of(const Event& access) const {
  return access.kind == EventKind::load ? event(access.reads_from).mo_position : access.mo_position;
}

std::uint32_t ExecutionGraph::newest_known(const Location& location, const base::VectorClock& clock,
                                           ThreadId own) const {
  std::uint32_t position = event(location.known_to_all).mo_position;
  for (const ThreadAccesses& by : location.accessed_by) {
    const std::uint32_t known = by.thread == own ? 0xffffffffU : clock[number(by.thread)];
    // Coherence makes the positions of one thread's accesses grow with program order, so the newest known access
    // decides. It is mostly one of the last, so the search goes backwards, in steps that double.
    std::size_t unknown_from = by.accesses.size(), begin = unknown_from;
    for (std::size_t step = 1; begin > 0 && by.accesses[begin - 1].index > known; step *= 2) {
      unknown_from = begin - 1;
      begin = unknown_from > step ? unknown_from - step : 0;
    }
    while (begin < unknown_from) {
      const std::size_t middle = begin + (unknown_from - begin) / 2;
      if (by.accesses[middle].index > known)
        unknown_from = middle;
      else
        begin = middle + 1;
    }
    if (begin == 0) continue;
    const std::uint32_t at = mo_position_of(event(by.accesses[begin - 1].event));
    if (at > position) position = at;
  }
  return position;
}

}  // namespace heddle::graph
