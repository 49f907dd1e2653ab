#include "story/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "story/atomicity.hpp"
#include "story/draft.hpp"
#include "story/explain_orders.hpp"
#include "story/explain_reuse.hpp"
#include "story/linearise.hpp"
#include "story/waiting.hpp"
#include "story/words.hpp"

namespace heddle::story {

namespace {

using findings::FindingKind;
using findings::Nature;

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

class Explainer : Draft {
 public:
  Explainer(const findings::Finding& of, const ExecutionLog& execution, NeedsStaleReads needs, OrdersHelp orders)
      : Draft(of, execution), edges_(execution),
        may_need_stale_reads_(needs == NeedsStaleReads::perhaps && execution.stale_reads != 0),
        orders_help_(orders == OrdersHelp::perhaps) {}

  findings::Explanation explain() {
    if (finding.kind == FindingKind::lock_order)
      explain_lock_order();
    else if (const char* cause = cause_in_every_order())
      explain_every_order(cause);
    else if (finding.accesses.size() == 2)
      explain_accesses();
    else if (finding.kind == FindingKind::deadlock || finding.kind == FindingKind::livelock)
      explain_waiting();
    else if (finding.kind == FindingKind::leak)
      explain_leak();
    else if (finding.kind == FindingKind::misuse)
      explain_misuse();
    else
      explain_failure();
    if (!orders_help_ && !out.changes.empty()) drop_changes();
    if (findings::needs_early_end(finding)) add_early_end();
    add_steps(racing_);
    return std::move(out);
  }

 private:
  void drop_changes() {
    out.changes.clear();
    out.advice.clear();
    add_cause("heddle found no stronger memory orders that remove the finding");
  }

  void add_early_end() {
    const bool is_spurious = finding.early_end.kind == channel::EarlyEnd::Kind::spurious_wake_up;
    if (is_spurious && out.advice.empty())
      out.advice = "wait in a loop that looks at the condition: a wait may end without a signal";
    if (out.nature != Nature::every_execution) return;
    out.nature = Nature::early_end;
    if (is_alone()) out.cause = "one thread is enough to show it, if its wait ends early";
  }

  // ---- two accesses -------------------------------------------------------------------------------------------
  void explain_accesses() {
    racing_ = find_racing_events(finding, log, log.events.size());
    const auto [first, second] = racing_;
    if (second) matter(*second);
    if (first) matter(*first);
    out.nature = Nature::ordering;
    if (!first || !second) {
      out.cause = "nothing orders the two accesses";
      return;
    }
    if (log.happens_before(*first, *second)) {
      out.nature = is_alone() ? Nature::every_execution : Nature::interleaving;
      out.cause = fmt::format("{} happens before {}: the memory is used after the end of its life",
                              noun_text(log, *first), noun_text(log, *second));
      out.advice = "keep the memory until its last use, or do not use it any more";
      explain_reuse(*this, *first, *second);
      add_stale_reads();
      return;
    }
    if (!orders_help_ && explain_reuse(*this, *first, *second)) {
      add_stale_reads();
      return;
    }
    if (explain_missing_order(*this, edges_, *first, *second)) return;
    if (may_need_stale_reads_) {
      blame_stale_reads();
      if (!out.changes.empty()) {
        out.nature = Nature::weak_memory;
        return;
      }
      out.nature = Nature::ordering;
      out.cause.clear();
    }
    if (explain_reuse(*this, *first, *second)) {
      add_stale_reads();
      return;
    }
    out.cause = fmt::format(
        "nothing orders {} before {}: no value passes from {} to {} in between, and no lock is held "
        "in both places",
        noun_text(log, *first), noun_text(log, *second), thread_of(*first), thread_of(*second));
    const std::string lock = held_in_one_place(*first, *second);
    if (!lock.empty()) out.cause += lock;
    const auto ends_life = [&](EventNumber event) {
      return log.events[event].kind == EventKind::free || log.events[event].kind == EventKind::allocation;
    };
    out.advice = ends_life(*first) || ends_life(*second)
                     ? "free the memory after its last use: hold one lock in both places, or count its users"
                     : "hold one lock in both places, make the variable atomic, or pass a value from the first to the "
                       "second by a release store and an acquire load";
    add_stale_reads();
  }

  /// "; T0.1 holds `m` there, T0.2 does not".
  std::string held_in_one_place(EventNumber first, EventNumber second) {
    const auto locks = locks_held(log, first), others = locks_held(log, second);
    for (const auto& [mine, theirs, event, other] :
         {std::tuple(&locks, &others, first, second), std::tuple(&others, &locks, second, first)})
      for (const HeldLock& lock : *mine) {
        const bool is_common = std::any_of(theirs->begin(), theirs->end(),
                                           [&](const HeldLock& held) { return held.location == lock.location; });
        if (is_common) continue;
        matter(lock.acquired);
        const Event& taken = log.events[lock.acquired];
        const bool has_name = !log.locations[lock.location].address.symbol.empty();
        return fmt::format("; {} holds {} there, and {} does not", thread_of(event),
                           has_name ? variable_text(log, taken)
                                    : fmt::format("the {} that it took at {}", log.locations[lock.location].object,
                                                  short_place(log, place_of(taken))),
                           thread_of(other));
      }
    return "";
  }

  // ---- a thread fails -----------------------------------------------------------------------------------------
  void explain_failure() {
    if (is_alone()) {
      out.nature = Nature::every_execution;
      out.cause = "one thread is enough to show it: it does not depend on the schedule";
      add_last_event();
      return;
    }
    add_last_event();
    if (explain_aba(*this)) {
      add_stale_reads();
      return;
    }
    if (may_need_stale_reads_) {
      out.nature = Nature::weak_memory;
      blame_stale_reads();
      return;
    }
    add_stale_reads();
    out.nature = Nature::interleaving;
    explain_interleaving();
  }

  /// The earlier operations on the object matter, the newest of each thread.
  void explain_misuse() {
    if (finding.object)
      for (ThreadNumber thread = 0; thread < log.threads.size(); ++thread)
        for (EventNumber i = log.events.size(); i-- > 0;) {
          const Event& event = log.events[i];
          if (event.thread != thread || !event.location ||
              log.locations[*event.location].address.value != finding.object->address.value)
            continue;
          matter(i);
          break;
        }
    out.nature = is_alone() || !has_steps() ? Nature::every_execution : Nature::interleaving;
    if (is_alone())
      out.cause = "one thread is enough to show it: it does not depend on the schedule";
    else if (!has_steps())
      out.cause = "no other operation on it comes before, so the schedule does not matter";
    else
      out.cause = "the operations on it have to come in this order";
  }

  /// Why findings of this kind need no special schedule; null: they may need one.
  const char* cause_in_every_order() const {
    switch (finding.kind) {
      case FindingKind::descriptor_race: return "nothing orders the close and the use: they may come in either order";
      case FindingKind::thread_leak: return "no other thread has joined it, and it was not detached";
      case FindingKind::signal_unsafe:
        return "the signal may arrive at any time, also inside the function that the handler calls";
      case FindingKind::signal_errno: return "the code that the signal interrupts may be about to look at errno";
      default: return nullptr;
    }
  }

  void explain_every_order(const char* cause) {
    out.nature = Nature::every_execution;
    out.cause = cause;
    add_last_event();
  }

  void explain_lock_order() {
    out.nature = Nature::every_execution;
    std::string threads;
    for (const findings::Access& access : finding.accesses)
      if (access.kind == findings::AccessKind::lock) threads += (threads.empty() ? "" : " and ") + access.thread;
    out.cause = fmt::format(
        "if {} each have the lock that they hold here, and each waits for the other one, none can continue", threads);
    add_last_event();
  }

  void explain_leak() {
    const bool is_sequential = log.preemptions == 0 || log.switches <= out.counts.threads;
    out.nature = is_sequential ? Nature::every_execution : Nature::interleaving;
    std::string block = "the block";
    if (finding.object) {
      Event allocation;
      allocation.stack = finding.object->stack;
      const std::string place = short_place(log, place_of(allocation));
      if (!finding.object->thread.empty()) block += fmt::format(" that {} allocated", finding.object->thread);
      if (!place.empty() && !finding.object->thread.empty()) block += " at " + place;
    }
    out.cause = fmt::format("no thread frees {} before the program ends, and no pointer to it is left", block);
    out.advice = "free it after its last use, or keep a pointer to it in a variable that lives until the end";
  }

  void blame_stale_reads() {
    if (explain_stale_reads(*this, edges_)) return;
    out.nature = Nature::interleaving;
    explain_interleaving();
  }

  void explain_interleaving() {
    const auto step = find_broken_step(log, failing);
    if (!step) {
      out.cause = log.stale_reads == 0 ? "the threads have to run in this order: every read takes the newest value"
                                       : "the threads have to run in this order";
      for (EventNumber i = 0; i < log.events.size(); ++i)
        if (log.events[i].is_switch) matter(i);
      return;
    }
    matter(step->first);
    matter(step->between);
    matter(step->second);
    out.cause = fmt::format("{} and {} are not one step: {} comes between them, by {}", noun_text(log, step->first),
                            noun_text(log, step->second), noun_text(log, step->between), thread_of(step->between));
    out.advice = advice_for(log, *step);
  }

  // ---- threads that wait --------------------------------------------------------------------------------------
  void explain_waiting() {
    if (finding.kind == FindingKind::livelock) out.counts.switches = switches_before_livelock(log);
    const WaitingStory waiting = explain_waits(finding, log);
    out.nature = is_alone()              ? Nature::every_execution
                 : may_need_stale_reads_ ? Nature::weak_memory
                                         : Nature::interleaving;
    out.cause = waiting.cause;
    out.advice = waiting.advice;
    for (const EventNumber event : waiting.events) matter(event);
    set_text(waiting.texts);
    if (!may_need_stale_reads_) return;
    blame_stale_reads();  // adds to the cause
  }

  MissingEdges edges_;
  bool may_need_stale_reads_;
  bool orders_help_;
  RacingEvents racing_;  ///< if the finding has two accesses
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
