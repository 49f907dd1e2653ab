#include "litmus/interpreter.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace heddle::litmus {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::LocationId;
using graph::ThreadId;
using strategies::Choice;
using strategies::ChoiceKind;
using strategies::Option;
using strategies::Outcome;
using strategies::Strategy;
using Kind = Instruction::Kind;

namespace {

// Litmus tests have tens of events; what the models keep per event and per question is some hundred bytes.
// Pages that an execution does not touch cost nothing.
constexpr std::size_t arena_size = std::size_t{8} << 20;

graph::Value to_value(std::int64_t value, Type type) {
  const auto bits = static_cast<std::uint64_t>(value);
  return type.size == 8 ? bits : bits & ((std::uint64_t{1} << (8 * type.size)) - 1);
}

std::int64_t apply(RmwOperation operation, std::int64_t old, std::int64_t operand) {
  const auto a = static_cast<std::uint64_t>(old);
  const auto b = static_cast<std::uint64_t>(operand);
  switch (operation) {
    case RmwOperation::exchange: return operand;
    case RmwOperation::add: return static_cast<std::int64_t>(a + b);
    case RmwOperation::subtract: return static_cast<std::int64_t>(a - b);
    case RmwOperation::bit_and: return old & operand;
    case RmwOperation::bit_or: return old | operand;
    case RmwOperation::bit_xor: return old ^ operand;
  }
  return 0;
}

std::int64_t apply(Operator op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Operator::add: return apply(RmwOperation::add, a, b);
    case Operator::subtract: return apply(RmwOperation::subtract, a, b);
    case Operator::multiply:
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    case Operator::bit_and: return a & b;
    case Operator::bit_or: return a | b;
    case Operator::bit_xor: return a ^ b;
    case Operator::equal: return a == b;
    case Operator::not_equal: return a != b;
    case Operator::less: return a < b;
    case Operator::less_equal: return a <= b;
    case Operator::greater: return a > b;
    case Operator::greater_equal: return a >= b;
    case Operator::negate: return apply(RmwOperation::subtract, 0, a);
    case Operator::logical_not: return a == 0;
    case Operator::constant:
    case Operator::reg: break;
  }
  return 0;
}

EventKind event_kind(const Instruction& instruction) {
  switch (instruction.kind) {
    case Kind::load: return EventKind::load;
    case Kind::store: return EventKind::store;
    case Kind::rmw:
    case Kind::compare_exchange: return EventKind::rmw;
    default: return EventKind::fence;
  }
}

}  // namespace

std::uint64_t location_name(std::uint32_t index) { return base::hash_words(base::hash_text("location"), index); }
std::uint64_t thread_name(std::uint32_t index) { return base::hash_words(base::hash_text("thread"), index); }

Interpreter::Interpreter(const Test& test, const models::MemoryModel& model)
    : test_(test), model_(model), memory_(std::make_unique_for_overwrite<std::byte[]>(arena_size)),
      arena_({memory_.get(), arena_size}), graph_(arena_), threads_(test.threads.size()) {}

void Interpreter::reset() {
  arena_.reset();
  graph_.clear();
  state_ = &model_.begin_execution(graph_, arena_);
  fault_.clear();
  for (std::uint32_t i = 0; i < test_.locations.size(); ++i) {
    const LocationDeclaration& location = test_.locations[i];
    graph_.add_location(location_name(i), location.type.size, to_value(location.initial, location.type));
  }
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    graph_.add_thread(ThreadId{t}, thread_name(t));
    threads_[t].next = 0;
    threads_[t].registers.clear();
    for (const RegisterDeclaration& reg : test_.threads[t].registers)
      threads_[t].registers.push_back(convert(reg.initial, reg.type));
  }
}

std::optional<Outcome> Interpreter::run(Strategy& strategy, std::uint64_t number, ExecutionObserver* observer) {
  if (!strategy.begin_execution(number)) return std::nullopt;
  reset();
  Outcome outcome = Outcome::completed;
  std::uint32_t last = none;
  while (true) {
    for (std::uint32_t t = 0; t < threads_.size(); ++t) run_private_accesses(t, strategy);
    options_.clear();
    for (std::uint32_t t = 0; t < threads_.size(); ++t)
      if (advance(t)) options_.push_back({ThreadId{t}, graph::no_event, t, &threads_[t].pending});
    if (!fault_.empty()) outcome = Outcome::cut_off;
    if (options_.empty() || outcome == Outcome::cut_off) break;
    if (observer != nullptr && !observer->may_continue(graph_, *state_)) {
      outcome = Outcome::cut_off;
      break;
    }
    const std::uint32_t chosen = choose(strategy, ChoiceKind::thread, last);
    last = graph::number(options_[chosen].thread);
    strategy.about_to_execute(ThreadId{last}, threads_[last].pending);
    step(last, strategy);
  }
  strategy.end_execution(outcome);
  return outcome;
}

bool Interpreter::advance(std::uint32_t thread) {
  RunningThread& running = threads_[thread];
  const Thread& code = test_.threads[thread];
  while (running.next < code.code.size()) {
    const Instruction& instruction = code.code[running.next];
    switch (instruction.kind) {
      case Kind::assign:
        set_register(thread, instruction.destination, evaluate(thread, instruction.value));
        ++running.next;
        break;
      case Kind::branch_if_zero:
        running.next = evaluate(thread, instruction.value) == 0 ? instruction.target : running.next + 1;
        break;
      case Kind::jump: running.next = instruction.target; break;
      default:
        running.pending.kind = event_kind(instruction);
        running.pending.order = instruction.order;
        running.pending.location = instruction.location == none ? graph::no_location : LocationId{instruction.location};
        return true;
    }
  }
  return false;
}

void Interpreter::run_private_accesses(std::uint32_t thread, Strategy& strategy) {
  while (fault_.empty() && advance(thread) && test_.threads[thread].code[threads_[thread].next].is_private)
    step(thread, strategy);
}

void Interpreter::step(std::uint32_t thread, Strategy& strategy) {
  const Instruction& instruction = test_.threads[thread].code[threads_[thread].next++];
  if (instruction.offset != none && evaluate(thread, instruction.offset) != 0) {
    fault_ = "P" + std::to_string(thread) + " leaves '" + test_.locations[instruction.location].name + "'";
    return;
  }
  switch (instruction.kind) {
    case Kind::load:
    case Kind::rmw: return execute_read(thread, instruction, strategy);
    case Kind::store: return execute_store(thread, instruction, strategy);
    case Kind::compare_exchange: return execute_compare_exchange(thread, instruction, strategy);
    default: return commit(draft(thread, instruction, EventKind::fence), 0, strategy);
  }
}

void Interpreter::execute_read(std::uint32_t thread, const Instruction& instruction, Strategy& strategy) {
  Event read = draft(thread, instruction, event_kind(instruction));
  base::ArenaVector<EventId> writes;
  state_->readable_writes(read, writes);
  options_.clear();
  for (EventId write : writes) options_.push_back({graph::no_thread, write, 0, nullptr});
  read.reads_from = options_[choose(strategy, ChoiceKind::reads_from, thread)].write;
  const Event& source = graph_.event(read.reads_from);
  const std::int64_t value = written_value(read.reads_from);
  read.read = source.written;
  if (instruction.kind == Kind::rmw)
    read.written = to_value(apply(instruction.operation, value, evaluate(thread, instruction.value)),
                            test_.locations[instruction.location].type);
  commit(read, source.mo_position + 1, strategy);
  set_register(thread, instruction.destination, value);
}

void Interpreter::execute_store(std::uint32_t thread, const Instruction& instruction, Strategy& strategy) {
  Event store = draft(thread, instruction, EventKind::store);
  store.written = to_value(evaluate(thread, instruction.value), test_.locations[instruction.location].type);
  base::ArenaVector<std::uint32_t> slots;
  state_->mo_slots(store, slots);
  options_.clear();
  for (std::uint32_t slot : slots) options_.push_back({graph::no_thread, graph::no_event, slot, nullptr});
  const std::uint32_t slot = options_[choose(strategy, ChoiceKind::mo_slot, thread)].number;
  commit(store, slot, strategy);
}

/// Which write it reads decides whether it succeeds: a write with the expected value makes it an rmw, any other
/// a load. A weak one may also fail with the expected value, as a load.
void Interpreter::execute_compare_exchange(std::uint32_t thread, const Instruction& instruction, Strategy& strategy) {
  const Type type = test_.locations[instruction.location].type;
  const std::int64_t expected = convert(evaluate(thread, instruction.expected), type);
  Event load = draft(thread, instruction, EventKind::load);
  load.order = instruction.failure_order;
  Event rmw = draft(thread, instruction, EventKind::rmw);
  rmw.written = to_value(evaluate(thread, instruction.value), type);
  base::ArenaVector<EventId> by_load, by_rmw;
  state_->readable_writes(load, by_load);
  state_->readable_writes(rmw, by_rmw);

  bool can_fail_spuriously = false;
  if (instruction.is_weak)
    for (EventId write : by_load) can_fail_spuriously |= written_value(write) == expected;
  options_.clear();
  bool fails_spuriously = false;
  if (can_fail_spuriously) {
    options_ = {{graph::no_thread, graph::no_event, 0, nullptr}, {graph::no_thread, graph::no_event, 1, nullptr}};
    fails_spuriously = choose(strategy, ChoiceKind::spurious, thread) == 1;
    options_.clear();
  }
  for (EventId write : by_load)
    if ((written_value(write) == expected) == fails_spuriously)
      options_.push_back({graph::no_thread, write, 0, nullptr});
  if (!fails_spuriously)
    for (EventId write : by_rmw)
      if (written_value(write) == expected) options_.push_back({graph::no_thread, write, 0, nullptr});
  // Oldest first, as the strategies are promised.
  std::sort(options_.begin(), options_.end(), [this](const Option& a, const Option& b) {
    return graph_.event(a.write).mo_position < graph_.event(b.write).mo_position;
  });

  const EventId write = options_[choose(strategy, ChoiceKind::reads_from, thread)].write;
  const std::int64_t value = written_value(write);
  const bool succeeds = value == expected && !fails_spuriously;
  Event& event = succeeds ? rmw : load;
  event.reads_from = write;
  event.read = graph_.event(write).written;
  commit(event, graph_.event(write).mo_position + 1, strategy);
  set_register(thread, instruction.destination, succeeds);
  set_register(thread, instruction.observed, value);
}

std::uint32_t Interpreter::choose(Strategy& strategy, ChoiceKind kind, std::uint32_t thread) {
  if (options_.size() < 2) return 0;
  Choice choice{kind, ThreadId{thread}, options_, model_.stores_are_immediate()};
  for (const Option& option : options_)
    if (kind == ChoiceKind::thread && option.thread == choice.current) choice.going_on = option.pending;
  return strategy.choose(choice);
}

Event Interpreter::draft(std::uint32_t thread, const Instruction& instruction, EventKind kind) const {
  Event event;
  event.kind = kind;
  event.order = instruction.order;
  event.thread = ThreadId{thread};
  event.site = instruction.at.line;
  if (instruction.location != none) {
    event.location = LocationId{instruction.location};
    event.size = test_.locations[instruction.location].type.size;
  }
  return event;
}

void Interpreter::commit(const Event& event, std::uint32_t mo_position, Strategy& strategy) {
  const EventId id = graph_.append(event, mo_position);
  state_->commit(id);
  strategy.executed(graph_.event(id));
}

std::int64_t Interpreter::evaluate(std::uint32_t thread, std::uint32_t expression) const {
  const Expression& e = test_.threads[thread].expressions[expression];
  if (e.op == Operator::constant) return e.constant;
  if (e.op == Operator::reg) return threads_[thread].registers[e.first];
  return apply(e.op, evaluate(thread, e.first), e.second == none ? 0 : evaluate(thread, e.second));
}

void Interpreter::set_register(std::uint32_t thread, std::uint32_t index, std::int64_t value) {
  threads_[thread].registers[index] = convert(value, test_.threads[thread].registers[index].type);
}

std::int64_t Interpreter::written_value(EventId write) const {
  const Event& event = graph_.event(write);
  return convert(static_cast<std::int64_t>(event.written), test_.locations[number(event.location)].type);
}

State Interpreter::final_state() const {
  State state;
  for (const Observable& observable : test_.observables)
    state.push_back(observable.thread == none ? written_value(graph_.newest_write(LocationId{observable.index}))
                                              : threads_[observable.thread].registers[observable.index]);
  return state;
}

std::optional<Race> Interpreter::find_race() const {
  const auto events = graph_.events();
  for (std::uint32_t a = 0; a < events.size(); ++a) {
    if (!accesses_memory(events[a].kind)) continue;
    for (std::uint32_t b = a + 1; b < events.size(); ++b) {
      if (events[a].location != events[b].location || !accesses_memory(events[b].kind)) continue;
      if (!writes(events[a].kind) && !writes(events[b].kind)) continue;
      if (events[a].order != graph::MemoryOrder::plain && events[b].order != graph::MemoryOrder::plain) continue;
      if (!happens_before(events[a], events[b]) && !happens_before(events[b], events[a]))
        if (events[a].thread != graph::no_thread) return Race{EventId{a}, EventId{b}};
    }
  }
  return std::nullopt;
}

}  // namespace heddle::litmus
