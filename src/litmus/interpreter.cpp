#include "litmus/interpreter.hpp"

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
using strategies::PendingOperation;
using strategies::Strategy;
using Kind = Instruction::Kind;

namespace {

// Litmus tests have tens of events, and models need some hundred bytes per event and per question. Pages that are not
// touched cost nothing.
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
    : test_(test), model_(model), arena_memory_(std::make_unique_for_overwrite<std::byte[]>(arena_size)),
      arena_({arena_memory_.get(), arena_size}), graph_(arena_), operations_(graph_, arena_, *this),
      threads_(test.threads.size()) {}

void Interpreter::reset() {
  arena_.reset();
  graph_.clear();
  operations_.begin_execution(model_.begin_execution(graph_, arena_));
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

std::optional<Outcome> Interpreter::run(Strategy& strategy, std::uint64_t number, RunObserver* observer) {
  if (!strategy.begin_execution(number)) return std::nullopt;
  strategy_ = &strategy;
  strategies::ExecutionControl* control = strategy.facets().control;
  reset();
  Outcome outcome = Outcome::completed;
  std::uint32_t last = none;
  while (true) {
    for (std::uint32_t t = 0; t < threads_.size(); ++t) run_private_accesses(t);
    list_options();
    if (!fault_.empty()) outcome = Outcome::cut_off;
    if (options_.empty() || outcome == Outcome::cut_off) break;
    if (observer != nullptr && !observer->may_continue(graph_, operations_.state())) {
      outcome = Outcome::cut_off;
      break;
    }
    const Option chosen = options_[choose_option(last)];
    if (chosen.is_internal_step()) {
      operations_.commit_store(chosen.write);
      continue;
    }
    last = graph::number(chosen.thread);
    if (control != nullptr) control->about_to_execute(ThreadId{last}, threads_[last].pending);
    step(last);
  }
  strategy.end_execution(outcome);
  return outcome;
}

/// The threads that have an operation left, then the internal steps of the model. A thread whose operation empties its
/// store buffer waits for the internal steps.
void Interpreter::list_options() {
  options_.clear();
  for (std::uint32_t t = 0; t < threads_.size(); ++t)
    if (advance(t) && !operations_.has_to_settle_before(ThreadId{t}, threads_[t].pending))
      options_.push_back({ThreadId{t}, graph::no_event, t, &threads_[t].pending});
  for (const EventId store : operations_.internal_steps()) {
    const Event& event = graph_.event(store);
    // The other threads see the store at once, as they see a seq_cst store.
    PendingOperation& pending = threads_[graph::number(event.thread)].store;
    pending.kind = EventKind::store;
    pending.order = graph::MemoryOrder::seq_cst;
    pending.location = event.location;
    options_.push_back({event.thread, store, static_cast<std::uint32_t>(options_.size()), &pending});
  }
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

void Interpreter::run_private_accesses(std::uint32_t thread) {
  while (fault_.empty() && advance(thread) && test_.threads[thread].code[threads_[thread].next].is_private)
    step(thread);
}

void Interpreter::step(std::uint32_t thread) {
  const Instruction& instruction = test_.threads[thread].code[threads_[thread].next++];
  if (instruction.offset != none && evaluate(thread, instruction.offset) != 0) {
    fault_ = "P" + std::to_string(thread) + " leaves '" + test_.locations[instruction.location].name + "'";
    return;
  }
  switch (instruction.kind) {
    case Kind::load:
    case Kind::rmw: return execute_read(thread, instruction);
    case Kind::store: return execute_store(thread, instruction);
    case Kind::compare_exchange: return execute_compare_exchange(thread, instruction);
    default: operations_.fence(begin_event(thread, instruction, EventKind::fence));
  }
}

void Interpreter::execute_read(std::uint32_t thread, const Instruction& instruction) {
  Event& begun = begin_event(thread, instruction, event_kind(instruction));
  const Type type = test_.locations[instruction.location].type;
  const auto modify = [&](graph::Value read) {
    const std::int64_t old = convert(static_cast<std::int64_t>(read), type);
    return to_value(apply(instruction.operation, old, evaluate(thread, instruction.value)), type);
  };
  const EventId read =
      instruction.kind == Kind::rmw ? operations_.read_modify_write(begun, modify) : operations_.load(begun);
  set_register(thread, instruction.destination, written_value(graph_.event(read).reads_from));
}

void Interpreter::execute_store(std::uint32_t thread, const Instruction& instruction) {
  Event& begun = begin_event(thread, instruction, EventKind::store);
  begun.written = to_value(evaluate(thread, instruction.value), test_.locations[instruction.location].type);
  operations_.store(begun);
}

void Interpreter::execute_compare_exchange(std::uint32_t thread, const Instruction& instruction) {
  const Type type = test_.locations[instruction.location].type;
  memory::CompareExchange exchange;
  exchange.failure_order = instruction.failure_order;
  exchange.spurious_failure =
      instruction.is_weak ? memory::SpuriousFailure::decided_first : memory::SpuriousFailure::never;
  exchange.expected = to_value(evaluate(thread, instruction.expected), type);
  exchange.desired = to_value(evaluate(thread, instruction.value), type);
  const auto exchanged = operations_.compare_exchange(begin_event(thread, instruction, EventKind::rmw), exchange);
  set_register(thread, instruction.destination, exchanged.succeeded ? 1 : 0);
  set_register(thread, instruction.observed, written_value(graph_.event(exchanged.event).reads_from));
}

std::uint32_t Interpreter::choose_option(std::uint32_t last) {
  if (options_.size() < 2) return 0;
  Choice choice{ChoiceKind::thread, ThreadId{last}, options_, model_.stores_are_immediate()};
  for (const Option& option : options_)
    if (option.thread == choice.current && !option.is_internal_step()) choice.going_on = option.pending;
  return strategy_->choose(choice);
}

/// The next event of a thread, in its place in the graph.
Event& Interpreter::begin_event(std::uint32_t thread, const Instruction& instruction, EventKind kind) {
  Event& event = graph_.begin_event();
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

EventId Interpreter::record(std::uint32_t mo_position) {
  const EventId id = graph_.append_begun(mo_position);
  operations_.state().commit(id);
  strategy_->executed(graph_.event(id));
  return id;
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
