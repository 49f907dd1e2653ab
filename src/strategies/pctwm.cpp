// PCTWM (Gao, Chakraborty, Ozkan: "Probabilistic concurrency testing for weak memory programs", ASPLOS 2023),
// Algorithms 1 and 2. Threads run one after the other by priority and read only what they know already, except for d
// events, the sinks: each is put off until everything else has run but the sinks behind it in the drawn tuple, and
// then reads one of the newest h writes. A bug that needs d communications shows up in at least 1/(h k_com)^d of
// the executions.
//
// Algorithm 1 is PrioritySchedule with communication events as what counts: lines 3 and 4 are the random priorities,
// lines 7 to 14 falls_at_change_point (slot d - k: the first of the tuple is the highest). One departure: line 8, taken
// literally, counts a put-off event again when its thread is back; here an event counts once, as the probability
// k_com^-d of drawing a tuple of d given events supposes.
//
// Algorithm 2 is mostly the memory model: the oldest candidate of a read is the newest write that its thread knows
// (readLocal, line 19), since candidates begin at the thread's view; the views of SC predecessors (lines 6 to 8), of
// a synchronising source (lines 13 to 16) and at acquire fences (lines 20 to 23) are joined when events are committed.
// So nothing is kept here but which events are sinks.
#include "strategies/pctwm.hpp"

#include "strategies/chance.hpp"

namespace heddle::strategies {

using graph::EventKind;
using graph::MemoryOrder;

namespace {

// The papers leave modification order to C11Tester, which decides it late. We decide at once, and always for the newest
// place would be Algorithm 2 to the letter, but would never show 2+2W. So 3 executions in 4 keep to the letter, and in
// the fourth every second store that has a choice takes an older place.
constexpr std::uint64_t older_slots_odds = 4;

// A thread that polls reads what it knows already, for ever. Loops that the engine does not recognise need an escape:
// after so many reads that passed over something newer, a thread reads the newest write once. Stores reach other
// threads after some time, as the standard recommends. Not a multiple of k_com, which is learnt: polling would make it
// grow.
constexpr std::uint32_t patience = 512;

}  // namespace

// The paper's set is SC events, reads and acquire fences. Operations on locks, semaphores and the like belong to the SC
// events, those that give as well as those that take: all threads see them at once and in one order, so that nothing
// but putting one off keeps others from learning of it. (A thread that is never interrupted between lock and unlock
// would hide every failing trylock.) Start and join do not: their one source is fixed, so that putting them off
// communicates nothing, and as sinks they would only take places from others. Where stores are seen by all at once
// (sc), every access is an SC event.
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
  uses_older_slots_ = schedule_.random().one_in(older_slots_odds);
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
  if (!uses_older_slots_ || schedule_.random().one_in(2)) return newest;
  return static_cast<std::uint32_t>(schedule_.random().below(newest));
}

}  // namespace heddle::strategies
