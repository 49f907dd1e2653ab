#include "engine/transcripts/transcript_run.hpp"

#include "engine/operations/atomic_values.hpp"
#include "engine/threads/waiting_loop.hpp"
#include "memory/plain_stores.hpp"

namespace heddle::engine {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::MemoryOrder;
using graph::ThreadId;
using strategies::ChoiceKind;
using strategies::Outcome;
using transcript::Action;
using transcript::Author;
using transcript::Cursor;
using transcript::PlainAccess;
using transcript::Segment;
using transcript::WordId;

std::optional<Outcome> TranscriptRun::run() {
  state_ = transcriber_.state();
  if (state_ == nullptr) return std::nullopt;
  options_.forget();
  memory_.begin_execution(log_.model_state());
  const std::optional<Outcome> outcome = run_to_end();
  if (outcome) transcriber_.mark_used();
  threads_.set_current(nullptr);
  return outcome;
}

std::optional<Outcome> TranscriptRun::run_to_end() {
  Cursor* moving = state_->moving();
  Next next = moving == nullptr ? Next::step : move(*moving);
  ThreadId current = moving == nullptr ? threads_.main_slot().id : moving->thread;
  while (next == Next::step) {
    if (!list_options()) return std::nullopt;
    if (options_.empty()) {
      for (const Cursor& cursor : state_->cursors())
        if (could_go_on_elsewhere(cursor)) return Outcome::blocked;
      return std::nullopt;
    }
    const std::uint32_t chosen =
        options_.size() > 1 ? decider_.decide({.kind = ChoiceKind::thread, .current = current, .options = options_})
                            : 0;
    current = options_[chosen].thread;
    Cursor& cursor = state_->cursor(current);
    (void)decider_.about_to_execute(current, cursor.pending);
    if (cursor.segment != nullptr && cursor.segment->action.kind == Action::Kind::exit) return Outcome::completed;
    next = perform(cursor);
    if (next == Next::step && is_near_limits()) next = Next::not_told;
    if (next != Next::step) break;
    if (Cursor& self = state_->cursor(current); self.state == Cursor::State::moving) next = move(self);
  }
  switch (next) {
    case Next::abandoned: return Outcome::cut_off;
    case Next::blocked: return Outcome::blocked;
    default: return std::nullopt;
  }
}

/// Reaching a limit is reported by an execution of the program.
bool TranscriptRun::is_near_limits() {
  constexpr std::size_t decisions_of_step = 16;  // it has three or four
  return log_.is_near_limits() || !decider_.has_room_for(decisions_of_step);
}

/// False: it is not known how one of the threads would perform its action, since none ever did.
bool TranscriptRun::list_options() {
  options_.clear();
  for (const std::uint32_t index : state_->by_rank()) {
    const Cursor& cursor = state_->at(index);
    if (cursor.state != Cursor::State::arrived) continue;
    if (cursor.pending.kind == EventKind::join &&
        state_->cursor(cursor.segment->action.joined).state != Cursor::State::ended)
      continue;
    if (cursor.segment != nullptr && !is_complete(*cursor.segment)) return false;
    options_.push_back(execution_arena_, {.thread = cursor.thread, .pending = &cursor.pending});
  }
  return true;
}

bool TranscriptRun::is_complete(const Segment& segment) {
  switch (segment.action.kind) {
    case Action::Kind::create: return segment.future->child.thread != graph::no_thread;
    case Action::Kind::compare_exchange: return segment.future->spurious_failure.has_value();
    default: return true;
  }
}

// ---- operations -----------------------------------------------------------------------------------------------

TranscriptRun::Next TranscriptRun::perform(Cursor& cursor) {
  ProgramThread& thread = threads_.at(cursor.thread);
  thread.pending_step.object = nullptr;  // of an execution of the program
  threads_.set_current(&thread);
  performing_ = &cursor;
  is_abandoned_ = false;
  const std::size_t steps = state_->steps();
  if (cursor.pending.kind == EventKind::start) {
    record_after(EventKind::start, Operation::thread_start, cursor.created, 0);
  } else {
    Segment& segment = *cursor.segment;
    const Action& action = segment.action;
    switch (action.kind) {
      case Action::Kind::create:
        graph_.add_thread(segment.future->child.thread, segment.future->child.name);
        log_.begin_event(EventKind::create, MemoryOrder::plain, Operation::thread_create, action.site);
        record(graph::ExecutionGraph::newest);
        break;
      case Action::Kind::join:
        record_after(EventKind::join, Operation::thread_join, state_->cursor(action.joined).finished, action.site);
        break;
      case Action::Kind::finish:
        log_.begin_event(EventKind::finish, MemoryOrder::plain, Operation::thread_finish, action.site);
        record(graph::ExecutionGraph::newest);
        break;
      default: perform_access(action);
    }
  }
  HEDDLE_CHECK(state_->steps() == steps + 1, "an action of a transcript is one step");
  if (is_abandoned_) return Next::abandoned;
  const Event& event = graph_.events().back();
  if (!accesses_memory(event.kind)) return Next::step;
  const transcript::Place& place = state_->transcript().place(state_->place_of(event.location));
  const bool races = state_->bytes().races_with_atomic(place.word, place.bytes, writes(event.kind),
                                                       {event.thread, event.index, event.clock});
  return races || is_gone(place.word, event.thread) ? Next::not_told : Next::step;
}

void TranscriptRun::perform_access(const Action& action) {
  const auto operation = static_cast<Operation>(action.operation);
  if (action.kind == Action::Kind::fence) {
    memory_.fence(log_.begin_event(EventKind::fence, action.order, operation, action.site));
    return;
  }
  Event& event = log_.begin_event(performing_->pending.kind, action.order, operation, action.site);
  event.location = performing_->pending.location;
  event.size = state_->transcript().place(action.place).size;
  const std::uint8_t size = event.size;
  switch (action.kind) {
    case Action::Kind::load: memory_.load(event); break;
    case Action::Kind::store:
      event.written = truncated(action.operand, size);
      memory_.store(event);
      break;
    case Action::Kind::modify:
      event.use_of_result = performing_->segment->use_of_result;
      memory_.read_modify_write(
          event, [&](graph::Value old) { return truncated(apply(operation, old, action.operand), size); });
      break;
    default:
      memory_.compare_exchange(event, {action.failure_order, *performing_->segment->future->spurious_failure,
                                       action.expected, truncated(action.operand, size)});
  }
}

void TranscriptRun::record_after(EventKind kind, Operation operation, EventId cause, std::uint64_t site) {
  Event& event = log_.begin_event(kind, MemoryOrder::plain, operation, site);
  auto synchronised = graph_.arena().create_array<EventId>(1);
  synchronised[0] = cause;
  event.synchronised = synchronised;
  record(graph::ExecutionGraph::newest);
}

EventId TranscriptRun::record(std::uint32_t mo_position) {
  const Segment* segment = performing_->segment;
  const EventId id = log_.append(mo_position, segment == nullptr ? 0 : segment->waiting.failed_emulations);
  state_->performed(*performing_, graph_.event(id), id);
  is_abandoned_ = !decider_.executed(graph_.event(id));
  log_.count_event();
  return id;
}

// ---- from one operation to the next -------------------------------------------------------------------------

/// Brings a thread that has performed an operation to its next one.
TranscriptRun::Next TranscriptRun::move(Cursor& cursor) {
  const std::uint32_t moment = state_->bytes().now();
  const std::uint64_t contents = state_->bytes().contents();
  for (Segment* segment = cursor.branch->variants; segment != nullptr; segment = segment->next_variant) {
    const Fit fit = follow(cursor, *segment);
    if (fit == Fit::finds_other_values) {
      state_->bytes().take_back(moment);
      continue;
    }
    if (fit == Fit::not_told || segment->is_opaque || !state_->transcript().has_seen(*segment, contents) ||
        !locate(segment->action.place))
      return Next::not_told;
    state_->arrive(cursor, *segment);
    const bool waits_for_ever = segment->waiting.is_parked && decider_.waits_for_ever(cursor.thread);
    return waits_for_ever ? Next::blocked : Next::step;
  }
  return Next::not_told;
}

TranscriptRun::Fit TranscriptRun::follow(const Cursor& cursor, const Segment& segment) {
  const Author author = state_->author(cursor.thread);
  for (const PlainAccess& access : segment.accesses) {
    if (!state_->bytes().finds(access, author.thread)) return Fit::finds_other_values;
    if (!is_ordinary(access, author)) return Fit::not_told;
    state_->bytes().add(access, author);
  }
  return Fit::fits;
}

bool TranscriptRun::is_ordinary(const PlainAccess& access, const Author& author) {
  if (!state_->bytes().is_ordinary(access, author) || is_gone(access.word, author.thread)) return false;
  const bool frees_atomic = access.kind == PlainAccess::Kind::deallocation &&
                            (state_->bytes().word(access.word).is_atomic & access.bytes) != 0;
  return !frees_atomic || are_ordered_before(access.word, author);
}

/// Whether all atomic accesses of other threads to the word happen before.
bool TranscriptRun::are_ordered_before(WordId word, const Author& author) const {
  for (std::uint32_t i = 0; i < graph_.locations().size(); ++i) {
    const graph::LocationId id{i};
    if (state_->transcript().place(state_->place_of(id)).word != word) continue;
    for (const graph::ThreadAccesses& by : graph_.location(id).accessed_by)
      if (by.thread != author.thread && by.accesses.back().index > (*author.clock)[number(by.thread)]) return false;
  }
  return true;
}

/// Whether the word is on the stack of another thread that has ended, or whose function has returned.
bool TranscriptRun::is_gone(WordId id, ThreadId thread) {
  const transcript::PlainBytes::Word& word = state_->bytes().word(id);
  if (word.stack_of == graph::no_thread || word.stack_of == thread) return false;
  if (!state_->has(word.stack_of)) return true;
  const Cursor& owner = state_->cursor(word.stack_of);
  return owner.state == Cursor::State::ended ||
         (owner.segment != nullptr && word.address < owner.segment->stack_pointer);
}

/// Makes the place a location of the graph if it is none, as Locations does. False: that cannot be told.
bool TranscriptRun::locate(std::uint32_t index) {
  if (index == transcript::no_place || state_->location(index) != graph::no_location) return true;
  const transcript::Place place = state_->transcript().place(index);
  transcript::PlainBytes& bytes = state_->bytes();
  const transcript::PlainBytes::Word& word = bytes.word(place.word);
  if ((word.known & place.bytes) != place.bytes || (word.is_freed & place.bytes) != 0) return false;
  const std::uint64_t value =
      static_cast<std::uint64_t>(truncated(word.value >> (8 * (place.address - word.address)), place.size));
  const graph::LocationId location = graph_.add_location(place.name, place.size, value);
  state_->locate(index, location);
  if (const auto* plain = bytes.newest_write(place.word, place.bytes))
    memory::import_plain_store(graph_, log_.model_state(), location, value,
                               {plain->thread, plain->index, plain->site, plain->stack});
  bytes.make_atomic(place.word, place.bytes);
  return true;
}

/// SearchParking::could_go_on_elsewhere, for what a transcript tells of a thread that waits.
bool TranscriptRun::could_go_on_elsewhere(const Cursor& cursor) const {
  if (cursor.state != Cursor::State::parked) return false;
  const transcript::Waiting& waiting = cursor.segment->waiting;
  const graph::Thread& thread = graph_.thread(cursor.thread);
  return waiting.need_not_go_on || could_read_other_values(graph_, thread, thread.index - waiting.loop_length);
}

}  // namespace heddle::engine
