// Longer than most files: the steps, the cause and the fix of an explanation are chosen from the same events.
#include "story/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "story/aba.hpp"
#include "story/atomicity.hpp"
#include "story/linearise.hpp"
#include "story/missing_edges.hpp"
#include "story/racing_events.hpp"
#include "story/stronger_orders.hpp"
#include "story/waiting.hpp"
#include "story/words.hpp"

namespace heddle::story {

namespace {

using findings::FindingKind;
using findings::Nature;

// A story is for people: with more events than this, the ones in the middle are left out.
constexpr std::size_t most_steps = 12;

/// A block that was allocated before the log begins has no name there. The finding knows the block.
void name_block_of_finding(const findings::Finding& finding, ExecutionLog& log) {
  if (!finding.object || finding.object->place != findings::Place::heap) return;
  const findings::MemoryObject& object = *finding.object;
  for (Location& location : log.locations) {
    const std::uint64_t offset = location.address.value - object.block;
    if (!location.address.symbol.empty() || location.allocation || offset >= object.block_size) continue;
    location.place = findings::Place::heap;
    const std::string block = fmt::format("the heap block of {} bytes", object.block_size);
    location.name = offset == 0 ? block : fmt::format("offset {} of {}", offset, block);
  }
}

class Explainer {
 public:
  Explainer(const findings::Finding& finding, const ExecutionLog& log, NeedsStaleReads needs, OrdersHelp orders)
      : finding_(finding), log_(log), edges_(log),
        may_need_stale_reads_(needs == NeedsStaleReads::perhaps && log.stale_reads != 0),
        orders_help_(orders == OrdersHelp::perhaps) {}

  findings::Explanation explain() {
    out_.counts = {log_.switches, log_.stale_reads, log_.events.size(), number_of_threads()};
    out_.counts.events = static_cast<std::uint64_t>(std::count_if(
        log_.events.begin(), log_.events.end(), [](const Event& event) { return event.thread.has_value(); }));
    find_failing_thread();
    if (finding_.kind == FindingKind::lock_order)
      explain_lock_order();
    else if (const char* cause = cause_in_every_order())
      explain_every_order(cause);
    else if (finding_.accesses.size() == 2)
      explain_accesses();
    else if (finding_.kind == FindingKind::deadlock || finding_.kind == FindingKind::livelock)
      explain_waiting();
    else if (finding_.kind == FindingKind::leak)
      explain_leak();
    else if (finding_.kind == FindingKind::misuse)
      explain_misuse();
    else
      explain_failure();
    if (!orders_help_ && !out_.changes.empty()) drop_changes();
    if (findings::needs_early_end(finding_)) add_early_end();
    add_steps();
    return std::move(out_);
  }

 private:
  void matter(EventNumber event) { matters_.insert(event); }

  void find_failing_thread() {
    for (ThreadNumber i = 0; i < log_.threads.size(); ++i)
      if (log_.threads[i].label == finding_.thread) failing_ = i;
  }

  std::size_t number_of_threads() const {
    std::set<ThreadNumber> threads;
    for (const Event& event : log_.events)
      if (event.thread) threads.insert(*event.thread);
    return threads.size();
  }

  bool is_alone() const { return out_.counts.threads < 2; }

  void drop_changes() {
    out_.changes.clear();
    out_.advice.clear();
    add_cause("stronger memory orders alone do not remove the finding");
  }

  void add_early_end() {
    const bool is_spurious = finding_.early_end.kind == channel::EarlyEnd::Kind::spurious_wake_up;
    if (is_spurious && out_.advice.empty())
      out_.advice = "wait in a loop that looks at the condition: a wait may end without a signal";
    if (out_.nature != Nature::every_execution) return;
    out_.nature = Nature::early_end;
    if (is_alone()) out_.cause = "one thread is enough to show it, if its wait ends early";
  }

  // ---- two accesses -------------------------------------------------------------------------------------------
  void explain_accesses() {
    racing_ = find_racing_events(finding_, log_, log_.events.size());
    const auto [first, second] = racing_;
    if (second) matter(*second);
    if (first) matter(*first);
    out_.nature = Nature::ordering;
    if (!first || !second) {
      out_.cause = "nothing orders the two accesses";
      return;
    }
    if (log_.happens_before(*first, *second)) {
      out_.nature = is_alone() ? Nature::every_execution : Nature::interleaving;
      out_.cause = fmt::format("{} happens before {}: the memory is used after the end of its life",
                               noun_text(log_, *first), noun_text(log_, *second));
      out_.advice = "keep the memory until its last use, or do not use it any more";
      explain_reuse(*first, *second);
      add_stale_reads();
      return;
    }
    if (!orders_help_ && explain_reuse(*first, *second)) {
      add_stale_reads();
      return;
    }
    if (explain_missing_order(*first, *second)) return;
    if (may_need_stale_reads_) {
      explain_stale_reads();
      if (!out_.changes.empty()) {
        out_.nature = Nature::weak_memory;
        return;
      }
      out_.nature = Nature::ordering;
      out_.cause.clear();
    }
    if (explain_reuse(*first, *second)) {
      add_stale_reads();
      return;
    }
    out_.cause = fmt::format(
        "nothing orders {} before {}: no value passes from {} to {} in between, and no lock is held "
        "in both places",
        noun_text(log_, *first), noun_text(log_, *second), thread_of(*first), thread_of(*second));
    const std::string lock = held_in_one_place(*first, *second);
    if (!lock.empty()) out_.cause += lock;
    const auto ends_life = [&](EventNumber event) {
      return log_.events[event].kind == EventKind::free || log_.events[event].kind == EventKind::allocation;
    };
    out_.advice = ends_life(*first) || ends_life(*second)
                      ? "free the memory after its last use: hold one lock in both places, or count its users"
                      : "hold one lock in both places, make the variable atomic, or pass a value from the first to the "
                        "second by a release store and an acquire load";
    add_stale_reads();
  }

  /// Accesses in a loop give the same sentence many times.
  void add_cause(const std::string& sentence) {
    if (!causes_.insert(sentence).second) return;
    if (!out_.cause.empty()) out_.cause += "; ";
    out_.cause += sentence;
  }

  /// A block is freed, and perhaps allocated again, while a thread holds a pointer to it.
  bool explain_reuse(EventNumber first, EventNumber second) {
    const Nature nature = out_.nature;
    const bool is_explained = explain_reclamation(first, second);
    const std::string cause = out_.cause;
    if (!explain_aba()) return is_explained;
    out_.nature = nature;
    if (is_explained) out_.cause = cause + "; " + out_.cause;
    return true;
  }

  std::string thread_of(EventNumber event) const {
    return log_.events[event].thread ? log_.threads[*log_.events[event].thread].label : "T0";
  }

  /// "; T0.1 holds `m` there, T0.2 does not".
  std::string held_in_one_place(EventNumber first, EventNumber second) {
    const auto locks = locks_held(log_, first), others = locks_held(log_, second);
    for (const auto& [mine, theirs, event, other] :
         {std::tuple(&locks, &others, first, second), std::tuple(&others, &locks, second, first)})
      for (const HeldLock& lock : *mine) {
        const bool is_common = std::any_of(theirs->begin(), theirs->end(),
                                           [&](const HeldLock& held) { return held.location == lock.location; });
        if (is_common) continue;
        matter(lock.acquired);
        const Event& taken = log_.events[lock.acquired];
        const bool has_name = !log_.locations[lock.location].address.symbol.empty();
        return fmt::format("; {} holds {} there, and {} does not", thread_of(event),
                           has_name ? variable_text(log_, taken)
                                    : fmt::format("the {} that it took at {}", log_.locations[lock.location].object,
                                                  short_place(log_, place_of(taken))),
                           thread_of(other));
      }
    return "";
  }

  /// The sentence on the edge from `first` to `second` that weak orders do not make. False: there is no such edge.
  bool explain_missing_order(EventNumber first, EventNumber second) {
    const auto path = edges_.find_path(first, second);
    if (!path || path->stronger.empty()) return false;
    std::vector<std::string> weak;
    for (const Passage& passage : path->passages) {
      matter(passage.write);
      matter(passage.read);
      const auto needs = [&](EventNumber event) {
        return std::any_of(path->stronger.begin(), path->stronger.end(),
                           [&](const StrongerOrder& order) { return order.event == event; });
      };
      if (!needs(passage.write) && !needs(passage.read)) continue;
      const EventNumber named = needs(passage.write) ? passage.write : passage.read;
      const EventNumber other = named == passage.write ? passage.read : passage.write;
      weak.push_back(fmt::format("{} is {}, so {} that {} it does not order {} before {}", noun_text(log_, named),
                                 order_name(log_.events[named].order), noun_text(log_, other),
                                 named == passage.write ? "reads" : "is read by", noun_text(log_, first),
                                 noun_text(log_, second)));
    }
    if (!weak.empty()) add_cause(weak.front());
    advise_stronger_orders(log_, path->stronger, out_);
    return true;
  }

  // ---- a thread fails -----------------------------------------------------------------------------------------
  void explain_failure() {
    if (is_alone()) {
      out_.nature = Nature::every_execution;
      out_.cause = "one thread is enough to show it: it does not depend on the schedule";
      add_last_event();
      return;
    }
    add_last_event();
    if (explain_aba()) {
      add_stale_reads();
      return;
    }
    if (may_need_stale_reads_) {
      out_.nature = Nature::weak_memory;
      explain_stale_reads();
      return;
    }
    add_stale_reads();
    out_.nature = Nature::interleaving;
    explain_interleaving();
  }

  /// The earlier operations on the object matter, the newest of each thread.
  void explain_misuse() {
    if (finding_.object)
      for (ThreadNumber thread = 0; thread < log_.threads.size(); ++thread)
        for (EventNumber i = log_.events.size(); i-- > 0;) {
          const Event& event = log_.events[i];
          if (event.thread != thread || !event.location ||
              log_.locations[*event.location].address.value != finding_.object->address.value)
            continue;
          matter(i);
          break;
        }
    out_.nature = is_alone() || matters_.empty() ? Nature::every_execution : Nature::interleaving;
    if (is_alone())
      out_.cause = "one thread is enough to show it: it does not depend on the schedule";
    else if (matters_.empty())
      out_.cause = "no other operation on it comes before, so the schedule does not matter";
    else
      out_.cause = "the operations on it have to come in this order";
  }

  /// Why findings of this kind need no special schedule; null: they may need one.
  const char* cause_in_every_order() const {
    switch (finding_.kind) {
      case FindingKind::descriptor_race: return "nothing orders the close and the use: they may come in either order";
      case FindingKind::thread_leak: return "no other thread has joined it, and it was not detached";
      case FindingKind::signal_unsafe:
        return "the signal may arrive at any time, also inside the function that the handler calls";
      case FindingKind::signal_errno: return "the code that the signal interrupts may be about to look at errno";
      default: return nullptr;
    }
  }

  void explain_every_order(const char* cause) {
    out_.nature = Nature::every_execution;
    out_.cause = cause;
    add_last_event();
  }

  void explain_lock_order() {
    out_.nature = Nature::every_execution;
    std::string threads;
    for (const findings::Access& access : finding_.accesses)
      if (access.kind == findings::AccessKind::lock) threads += (threads.empty() ? "" : " and ") + access.thread;
    out_.cause = fmt::format(
        "if {} each have the lock that they hold here, and each waits for the other one, none can continue", threads);
    add_last_event();
  }

  void explain_leak() {
    const bool is_sequential = log_.preemptions == 0 || log_.switches <= out_.counts.threads;
    out_.nature = is_sequential ? Nature::every_execution : Nature::interleaving;
    std::string block = "the block";
    if (finding_.object) {
      Event allocation;
      allocation.stack = finding_.object->stack;
      const std::string place = short_place(log_, place_of(allocation));
      if (!finding_.object->thread.empty()) block += fmt::format(" that {} allocated", finding_.object->thread);
      if (!place.empty() && !finding_.object->thread.empty()) block += " at " + place;
    }
    out_.cause = fmt::format("no thread frees {} before the program ends, and no pointer to it is left", block);
    out_.advice = "free it after its last use, or keep a pointer to it in a variable that lives until the end";
  }

  void add_last_event() {
    if (!failing_) return;
    for (EventNumber i = log_.events.size(); i-- > 0;) {
      const Event& event = log_.events[i];
      if (event.thread != failing_ || event.kind == EventKind::allocation || event.kind == EventKind::free ||
          event.kind == EventKind::join)
        continue;
      matter(i);
      return;
    }
  }

  void add_stale_reads() {
    for (EventNumber i = 0; i < log_.events.size(); ++i)
      if (log_.events[i].is_stale()) {
        matter(i);
        matter(log_.events[i].missed.back());
      }
  }

  /// Every read that missed a write, and every write that was placed before an older one.
  void explain_stale_reads() {
    add_stale_reads();
    for (EventNumber i = 0; i < log_.events.size(); ++i) {
      const Event& event = log_.events[i];
      const auto& newer = event.is_stale() ? event.missed : event.placed_before;
      if (newer.empty() || explain_missing_order_of(newer, i) || explain_cycle_of(newer, i)) continue;
      if (event.failed_spuriously && out_.cause.empty())
        out_.cause =
            fmt::format("{} fails although it finds the expected value: weak exchanges may", noun_text(log_, i));
    }
    for (EventNumber i = 0; i < log_.events.size(); ++i)
      if (log_.events[i].failed_spuriously) {
        matter(i);
        if (out_.cause.empty()) {
          out_.cause =
              fmt::format("{} fails although it finds the expected value, as weak ones may", noun_text(log_, i));
          out_.advice = "use compare_exchange_strong, or call it in a loop";
        }
      }
    if (!out_.cause.empty()) return;
    out_.nature = Nature::interleaving;
    explain_interleaving();
  }

  bool explain_missing_order_of(const std::vector<EventNumber>& newer, EventNumber later) {
    for (auto write = newer.rbegin(); write != newer.rend() && edges_.has_steps_left(); ++write) {
      if (log_.happens_before(*write, later)) continue;
      if (!explain_missing_order(*write, later)) continue;
      matter(*write);
      return true;
    }
    return false;
  }

  bool explain_cycle_of(const std::vector<EventNumber>& newer, EventNumber later) {
    for (auto write = newer.rbegin(); write != newer.rend() && edges_.has_steps_left(); ++write)
      if (explain_cycle(*write, later)) return true;
    return false;
  }

  bool explain_cycle(EventNumber newer, EventNumber later) {
    const auto cycle = edges_.find_cycle(newer, later);
    if (!cycle || cycle->stronger.empty()) return false;
    std::vector<std::string> places, variables;
    const auto add = [](std::vector<std::string>& texts, const std::string& text) {
      if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
    };
    for (const EventNumber event : cycle->events) {
      matter(event);
      add(places, short_place(log_, place_of(log_.events[event])));
      add(variables, variable_text(log_, log_.events[event]));
    }
    std::sort(variables.begin(), variables.end());
    const std::size_t known = out_.changes.size();
    advise_stronger_orders(log_, cycle->stronger, out_);
    if (out_.changes.size() == known) return true;  // another cycle of the same accesses
    add_cause(
        fmt::format("{} {} {}: nothing orders them, and no interleaving has to explain the accesses to {} at {}, "
                    "since they are not all seq_cst",
                    noun_text(log_, later), log_.events[later].is_stale() ? "misses" : "goes before",
                    noun_text(log_, newer), list_text(variables), list_text(places)));
    return true;
  }

  void explain_interleaving() {
    const auto step = find_broken_step(log_, failing_);
    if (!step) {
      out_.cause = log_.stale_reads == 0 ? "the threads have to run in this order: every read takes the newest value"
                                         : "the threads have to run in this order";
      for (EventNumber i = 0; i < log_.events.size(); ++i)
        if (log_.events[i].is_switch) matter(i);
      return;
    }
    matter(step->first);
    matter(step->between);
    matter(step->second);
    out_.cause = fmt::format("{} and {} are not one step: {} comes between them, by {}", noun_text(log_, step->first),
                             noun_text(log_, step->second), noun_text(log_, step->between), thread_of(step->between));
    out_.advice = advice_for(log_, *step);
  }

  bool explain_aba() {
    const auto aba = find_aba(log_);
    if (!aba) return false;
    for (const EventNumber event : {aba->read, aba->exchange, aba->outdated, *aba->reuse}) matter(event);
    for (const EventNumber event : aba->changes) matter(event);
    out_.nature = Nature::interleaving;
    out_.cause = aba_text(log_, *aba);
    out_.advice = aba_advice(log_, *aba);
    return true;
  }

  /// A thread uses a block by a pointer that it loaded before another thread freed the block.
  bool explain_reclamation(EventNumber first, EventNumber second) {
    // A free whose bytes race may be an event of the graph, which looks like a write: the finding knows better.
    const auto is_free = [&](EventNumber event) {
      const findings::Access& access = finding_.accesses[event == second ? 0 : 1];
      return access.kind == findings::AccessKind::deallocation || log_.events[event].kind == EventKind::free;
    };
    if (finding_.accesses[1].kind == findings::AccessKind::allocation) {
      // The block has been allocated again: what matters is the free before.
      const auto before = free_before(first);
      return before && explain_reclamation(*before, second, *before);
    }
    if (is_free(first) == is_free(second)) return false;
    return explain_reclamation(first, second, is_free(first) ? first : second);
  }

  /// The newest free of the finding's memory before the event.
  std::optional<EventNumber> free_before(EventNumber event) const {
    while (event-- > 0)
      if (log_.events[event].kind == EventKind::free && bytes_of_finding(finding_, log_, log_.events[event]))
        return event;
    return std::nullopt;
  }

  bool explain_reclamation(EventNumber first, EventNumber second, EventNumber freed) {
    const EventNumber use = freed == first ? second : first;
    const auto pinned = find_pinned_pointer(finding_, log_, use, freed);
    if (!pinned) return false;
    matter(pinned->load);
    if (pinned->removal) matter(*pinned->removal);
    const std::string variable = variable_text(log_, log_.events[pinned->load]);
    out_.cause = fmt::format("nothing keeps the block alive between {} by {} and its use by the same thread: ",
                             noun_text(log_, pinned->load), thread_of(use));
    if (pinned->removal)
      out_.cause += fmt::format("{} takes it out of {} by {}, and frees it", thread_of(freed), variable,
                                noun_text(log_, *pinned->removal));
    else
      out_.cause += fmt::format("{} frees it", thread_of(freed));
    if (pinned->is_exchanged)
      out_.cause += fmt::format(
          "; if the address is used again meanwhile, a compare_exchange on {} succeeds although the value has "
          "changed (ABA)",
          variable);
    out_.advice =
        "defer the reclamation until no thread can hold the pointer (hazard pointers, epochs, RCU), or count the users "
        "of the block";
    if (pinned->is_exchanged) out_.advice += fmt::format("; or add a tag to {}, if blocks are never freed", variable);
    return true;
  }

  // ---- threads that wait --------------------------------------------------------------------------------------
  void explain_waiting() {
    if (finding_.kind == FindingKind::livelock) out_.counts.switches = switches_before_livelock(log_);
    const WaitingStory waiting = explain_waits(finding_, log_);
    out_.nature = is_alone()              ? Nature::every_execution
                  : may_need_stale_reads_ ? Nature::weak_memory
                                          : Nature::interleaving;
    out_.cause = waiting.cause;
    out_.advice = waiting.advice;
    for (const EventNumber event : waiting.events) matter(event);
    texts_ = waiting.texts;
    if (!may_need_stale_reads_) return;
    explain_stale_reads();  // adds to the cause
  }

  // ---- the steps ----------------------------------------------------------------------------------------------
  void add_steps() {
    std::vector<EventNumber> events(matters_.begin(), matters_.end());
    if (events.size() > most_steps) {
      const auto half = static_cast<std::ptrdiff_t>(most_steps / 2);
      const auto end = std::remove_if(events.begin() + half, events.end() - half, [&](EventNumber event) {
        return event != racing_.first && event != racing_.second;
      });
      events.erase(end, events.end() - half);
    }
    for (const EventNumber event : events) {
      out_.steps.push_back(make_step(log_, event));
      if (const auto text = texts_.find(event); text != texts_.end()) out_.steps.back().text = text->second;
      out_.steps.back().bytes = bytes_of_finding(finding_, log_, log_.events[event]);
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
      findings::StoryStep& step = out_.steps[i];
      const Event& event = log_.events[events[i]];
      if (event.is_stale()) step.text += fmt::format(": stale, it misses {}", reference(events, event.missed.back()));
      if (!event.placed_before.empty())
        step.text += fmt::format(": placed before {}", reference(events, event.placed_before.back()));
    }
  }

  /// "step 2", or the event itself if it is not a step.
  std::string reference(const std::vector<EventNumber>& events, EventNumber event) const {
    const auto found = std::find(events.begin(), events.end(), event);
    return found == events.end() ? noun_text(log_, event) : fmt::format("step {}", found - events.begin() + 1);
  }

  const findings::Finding& finding_;
  const ExecutionLog& log_;
  MissingEdges edges_;
  bool may_need_stale_reads_;
  bool orders_help_;
  findings::Explanation out_;
  std::optional<ThreadNumber> failing_;
  RacingEvents racing_;  ///< if the finding has two accesses
  std::set<EventNumber> matters_;
  std::map<EventNumber, std::string> texts_;  ///< of steps that are more than their event says
  std::set<std::string> causes_;              ///< those that add_cause() was given
};

}  // namespace

findings::Explanation explain(const findings::Finding& finding, ExecutionLog log, NeedsStaleReads needs,
                              OrdersHelp orders) {
  log.cut_off(end_of_story(finding, log));
  const auto old_numbers = linearise(log);
  name_block_of_finding(finding, log);
  findings::Explanation explanation = Explainer(finding, log, needs, orders).explain();
  if (old_numbers)
    for (findings::StoryStep& step : explanation.steps) step.event = (*old_numbers)[step.event];
  return explanation;
}

void tell_every_execution(findings::Finding& finding) {
  findings::Explanation& explanation = *finding.explanation;
  if (explanation.nature != Nature::interleaving || !explanation.why_not.empty()) return;
  explanation.nature = Nature::every_execution;
  const bool tells_who_waits = finding.kind == FindingKind::deadlock || finding.kind == FindingKind::livelock;
  if (tells_who_waits || finding.accesses.size() == 2) return;
  explanation.cause = "every execution shows it: it does not depend on the order in which the threads run";
  explanation.advice.clear();
  explanation.steps.clear();
}

}  // namespace heddle::story
