// PCTWM (Gao, Chakraborty, Ozkan: "Probabilistic concurrency testing for weak memory programs", ASPLOS 2023),
// Algorithms 1 and 2. Threads run one after the other by priority and read only what they know already, except for d
// events, the sinks. Each sink is delayed until everything else has run except the sinks behind it in the drawn tuple;
// then it reads one of the newest h writes. A bug that needs d communications shows up in at least 1/(h k_com)^d of the
// executions.
//
// Algorithm 1 is PrioritySchedule that counts communication events: lines 3 and 4 are the random priorities, lines 7 to
// 14 are falls_at_change_point (slot d - k: the first of the tuple is the highest). One departure: line 8, taken
// literally, counts a delayed event again when its thread is back. Here an event counts once: the probability k_com^-d
// of drawing a tuple of d given events assumes that.
//
// Algorithm 2 is mostly the memory model. The candidates of a read begin at its thread's view, so the oldest candidate
// is the newest write that the thread knows (readLocal, line 19). The views of SC predecessors (lines 6 to 8), of a
// synchronising source (lines 13 to 16) and at acquire fences (lines 20 to 23) are joined when events are committed. So
// the strategy keeps only which events are sinks.
#include "strategies/pctwm.hpp"

#include "strategies/chance.hpp"

namespace heddle::strategies {

using graph::EventKind;
using graph::MemoryOrder;

namespace {

// A thread that polls would read the value that it knows already for ever. The engine does not recognise all polling
// loops, so after this many reads that passed over a newer write the thread reads the newest write once. This follows
// the standard's recommendation that stores become visible to other threads in a finite time. The number is not a
// multiple of k_com: k_com is learnt, and polling would make it grow.
constexpr std::uint32_t patience = 512;

// An execution with d = 0 has as many forms as threads have orders, so few such executions see all of them. The larger
// depths help while k is not known and some of the sinks lie behind the end of the execution.
constexpr double depths[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr std::uint8_t depth_weights[] = {2, 3, 4, 3, 2, 1, 1};
constexpr double histories[] = {1, 2, 3, 4};
constexpr std::uint8_t history_weights[] = {4, 4, 4, 4};
// The papers leave modification order to C11Tester, which decides it late. Heddle decides it at each store. The bound
// assumes that each store takes the newest place, so that a sink finds its source among the newest h writes. 2+2W does
// not show that way, so some executions of `auto` place stores elsewhere.
constexpr const char* store_places[] = {"newest", "older"};
constexpr double store_values[] = {0, 1};
constexpr std::uint8_t store_weights[] = {3, 1};
constexpr Parameter declared_parameters[] = {
    {.name = "d",
     .help = "the number of communications between threads that the bug needs",
     .role = Parameter::Role::depth,
     .least = 0,
     .most = PctwmStrategy::max_depth,
     .values = depths,
     .first_weights = depth_weights},
    {.name = "k",
     .help = "the number of communication events of an execution",
     .role = Parameter::Role::length,
     .least = 1,
     .most = most_length},
    {.name = "h",
     .help = "a communication reads one of the newest h writes",
     .least = 1,
     .most = most_length,
     .values = histories,
     .first_weights = history_weights},
    {.name = "stores",
     .help = "where stores go in modification order: the newest place, or every second one an older place, without the "
             "bound",
     .type = Parameter::Type::word,
     .most = std::size(store_places) - 1,
     .default_value = 0,
     .values = store_values,
     .first_weights = store_weights,
     .words = store_places},
};

}  // namespace

constinit const StrategyDescriptor pctwm_strategy = {
    .name = "pctwm",
    .help = "threads by priority, d reads learn from other threads; all other reads see what their thread knows",
    .parameters = declared_parameters,
    .first_weight = 4,
    .make = [](std::uint64_t seed, base::Arena& arena) -> Strategy* {
      return arena.create<PctwmStrategy>(seed, PctwmStrategy::Parameters{}, arena);
    },
};

// The paper's set is SC events, reads and acquire fences. Operations on locks, semaphores and the like are SC events,
// both those that acquire and those that release: all threads see them at once and in one order, so only delaying one
// keeps other threads from learning of it. (If no thread were ever interrupted between lock and unlock, no trylock
// would fail.) Start and join are not communication events: their only source is fixed, so delaying them communicates
// nothing. Where all threads see stores at once (sc), every access is an SC event.
bool is_communication_event(EventKind kind, MemoryOrder order, bool stores_are_immediate) {
  switch (kind) {
    case EventKind::load:
    case EventKind::rmw:
    case EventKind::lock:
    case EventKind::unlock: return true;
    case EventKind::store: return is_seq_cst(order) || stores_are_immediate;
    case EventKind::fence: return is_acquire(order);
    default: return false;
  }
}

PctwmStrategy::PctwmStrategy(std::uint64_t seed, const Parameters& parameters, base::Arena& arena)
    : seed_(seed), parameters_(parameters), arena_(arena), schedule_(arena, is_communication_event) {}

bool PctwmStrategy::begin_execution(std::uint64_t number) {
  schedule_.random().begin(seed_, number);
  schedule_.begin(parameters_.depth, parameters_.length);
  for (std::uint32_t& reads : old_reads_) reads = 0;
  return true;
}

std::uint32_t PctwmStrategy::choose(const Choice& choice) {
  switch (choice.kind) {
    case ChoiceKind::thread: return schedule_.choose_thread(choice);
    case ChoiceKind::reads_from: return choose_write(choice);
    case ChoiceKind::mo_slot: return choose_slot(choice);
    default: return choose_by_chance(schedule_.random(), choice);
  }
}

// Algorithm 2, lines 9 to 19.
std::uint32_t PctwmStrategy::choose_write(const Choice& choice) {
  const auto count = static_cast<std::uint32_t>(choice.options.size());
  if (!schedule_.is_delayed(choice.current, EventKind::load, MemoryOrder::relaxed))
    return has_read_old_values_too_often(choice.current) ? count - 1 : 0;
  return count - 1 -
         static_cast<std::uint32_t>(
             schedule_.random().below(parameters_.history < count ? parameters_.history : count));
}

bool PctwmStrategy::has_read_old_values_too_often(graph::ThreadId thread) {
  while (old_reads_.size() <= number(thread)) old_reads_.push_back(arena_, 0);
  std::uint32_t& reads = old_reads_[number(thread)];
  if (++reads <= patience) return false;
  reads = 0;
  ++stale_escapes_;
  return true;
}

std::uint32_t PctwmStrategy::choose_slot(const Choice& choice) {
  const auto newest = static_cast<std::uint32_t>(choice.options.size()) - 1;
  if (!parameters_.uses_older_places || schedule_.random().one_in(2)) return newest;
  return static_cast<std::uint32_t>(schedule_.random().below(newest));
}

}  // namespace heddle::strategies
