#include "transcript/run_state.hpp"

namespace heddle::transcript {

using graph::EventId;
using graph::EventKind;
using graph::ThreadId;
using Kind = Action::Kind;
using State = Cursor::State;

void RunState::begin(ThreadId main) {
  take_back_to({});
  marks_.clear();
  add(main, 0).branch = &transcript_.root();
}

void RunState::take_back(std::size_t steps) {
  take_back_to(marks_[steps - 1]);
  marks_.truncate(steps);
}

void RunState::take_back_to(const Mark& mark) {
  bytes_.take_back(mark.bytes);
  while (changes_.size() > mark.changes) {
    cursors_[changes_.back().index] = changes_.back().before;
    changes_.pop_back();
  }
  while (located_.size() > mark.located) {
    graph::LocationId& location = locations_[located_.back()];
    places_.truncate(number(location));
    location = graph::no_location;
    located_.pop_back();
  }
  if (cursors_.size() == mark.cursors) return;
  while (cursors_.size() > mark.cursors) {
    index_[number(cursors_.back().thread)] = absent;
    cursors_.pop_back();
  }
  sort();
}

Cursor& RunState::add(ThreadId thread, std::uint64_t rank) {
  while (index_.size() <= number(thread)) index_.push_back(arena_, absent);
  index_[number(thread)] = static_cast<std::uint32_t>(cursors_.size());
  Cursor cursor;
  cursor.thread = thread;
  cursor.rank = rank;
  cursors_.push_back(arena_, cursor);
  sort();
  return cursors_.back();
}

void RunState::sort() {
  by_rank_.clear();
  for (std::uint32_t i = 0; i < cursors_.size(); ++i) {
    std::size_t at = by_rank_.size();
    while (at != 0 && cursors_[by_rank_[at - 1]].rank > cursors_[i].rank) --at;
    by_rank_.insert(arena_, at, i);
  }
}

Cursor* RunState::moving() {
  for (Cursor& cursor : cursors_)
    if (cursor.state == State::moving) return &cursor;
  return nullptr;
}

namespace {

EventKind event_kind(Kind kind) {
  switch (kind) {
    case Kind::load: return EventKind::load;
    case Kind::store: return EventKind::store;
    case Kind::modify:
    case Kind::compare_exchange: return EventKind::rmw;
    case Kind::fence: return EventKind::fence;
    case Kind::create: return EventKind::create;
    case Kind::join: return EventKind::join;
    case Kind::finish:
    case Kind::exit: return EventKind::finish;
  }
  return EventKind::fence;
}

}  // namespace

void RunState::arrive(Cursor& cursor, Segment& segment) {
  change(cursor);
  cursor.segment = &segment;
  cursor.state = segment.waiting.is_parked ? State::parked : State::arrived;
  cursor.pending = {};
  cursor.pending.kind = event_kind(segment.action.kind);
  cursor.pending.order = segment.action.order;
  cursor.pending.operation = segment.action.operation;
  cursor.pending.yields = segment.action.kind == Kind::exit;
  cursor.pending.location = location(segment.action.place);
}

void RunState::performed(Cursor& cursor, const graph::Event& event, EventId id) {
  change(cursor);
  cursor.state = State::moving;
  if (event.kind == EventKind::start) return add_mark();  // the creator has set its branch
  Segment& segment = *cursor.segment;
  graph::Value result = 0;
  bool succeeded = true;
  switch (segment.action.kind) {
    case Kind::load:
    case Kind::modify: result = event.read; break;
    case Kind::compare_exchange:
      result = event.read;
      succeeded = event.kind == EventKind::rmw;
      break;
    case Kind::join: result = this->cursor(segment.action.joined).result; break;
    case Kind::finish:
      cursor.state = State::ended;
      cursor.finished = id;
      cursor.result = segment.action.result;
      break;
    default: break;
  }
  cursor.branch = &transcript_.branch_of(*segment.future, result, succeeded);
  if (segment.action.kind == Kind::create) add_child(segment.future->child, id);
  add_mark();
}

void RunState::add_child(Future::Child& child, EventId created) {
  Cursor& cursor = add(child.thread, child.rank);
  cursor.state = State::arrived;
  cursor.branch = &child.beginning;
  cursor.created = created;
  cursor.pending.kind = EventKind::start;
}

void RunState::add_mark() {
  marks_.push_back(arena_, {bytes_.now(), static_cast<std::uint32_t>(changes_.size()),
                            static_cast<std::uint32_t>(located_.size()), static_cast<std::uint32_t>(cursors_.size())});
}

void RunState::locate(std::uint32_t place, graph::LocationId location) {
  while (locations_.size() <= place) locations_.push_back(arena_, graph::no_location);
  locations_[place] = location;
  while (places_.size() < number(location)) places_.push_back(arena_, no_place);
  places_.push_back(arena_, place);
  located_.push_back(arena_, place);
}

}  // namespace heddle::transcript
