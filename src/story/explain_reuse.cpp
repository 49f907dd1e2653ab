#include "story/explain_reuse.hpp"

#include <fmt/format.h>

#include "story/aba.hpp"
#include "story/words.hpp"

namespace heddle::story {

using findings::Nature;

namespace {

/// The newest free of the finding's memory before the event.
std::optional<EventNumber> free_before(const Draft& draft, EventNumber event) {
  while (event-- > 0)
    if (draft.log.events[event].kind == EventKind::free &&
        bytes_of_finding(draft.finding, draft.log, draft.log.events[event]))
      return event;
  return std::nullopt;
}

bool explain_reclamation(Draft& draft, EventNumber first, EventNumber second, EventNumber freed) {
  const EventNumber use = freed == first ? second : first;
  const auto pinned = find_pinned_pointer(draft.finding, draft.log, use, freed);
  if (!pinned) return false;
  draft.matter(pinned->load);
  if (pinned->removal) draft.matter(*pinned->removal);
  const std::string variable = variable_text(draft.log, draft.log.events[pinned->load]);
  draft.out.cause = fmt::format("nothing keeps the block alive between {} by {} and its use by the same thread: ",
                                noun_text(draft.log, pinned->load), draft.thread_of(use));
  if (pinned->removal)
    draft.out.cause += fmt::format("{} takes it out of {} by {}, and frees it", draft.thread_of(freed), variable,
                                   noun_text(draft.log, *pinned->removal));
  else
    draft.out.cause += fmt::format("{} frees it", draft.thread_of(freed));
  if (pinned->is_exchanged)
    draft.out.cause += fmt::format(
        "; if the address is used again meanwhile, a compare_exchange on {} succeeds although the value has "
        "changed (ABA)",
        variable);
  draft.out.advice =
      "defer the reclamation until no thread can hold the pointer (hazard pointers, epochs, RCU), or count the users "
      "of the block";
  if (pinned->is_exchanged)
    draft.out.advice += fmt::format("; or add a tag to {}, if blocks are never freed", variable);
  return true;
}

/// A thread uses a block by a pointer that it loaded before another thread freed the block.
bool explain_reclamation(Draft& draft, EventNumber first, EventNumber second) {
  // A free whose bytes race may be an event of the graph, which looks like a write: the finding knows better.
  const auto is_free = [&](EventNumber event) {
    const findings::Access& access = draft.finding.accesses[event == second ? 0 : 1];
    return access.kind == findings::AccessKind::deallocation || draft.log.events[event].kind == EventKind::free;
  };
  if (draft.finding.accesses[1].kind == findings::AccessKind::allocation) {
    // The block has been allocated again: what matters is the free before.
    const auto before = free_before(draft, first);
    return before && explain_reclamation(draft, *before, second, *before);
  }
  if (is_free(first) == is_free(second)) return false;
  return explain_reclamation(draft, first, second, is_free(first) ? first : second);
}

}  // namespace

bool explain_aba(Draft& draft) {
  const auto aba = find_aba(draft.log);
  if (!aba) return false;
  for (const EventNumber event : {aba->read, aba->exchange, aba->outdated, *aba->reuse}) draft.matter(event);
  for (const EventNumber event : aba->changes) draft.matter(event);
  draft.out.nature = Nature::interleaving;
  draft.out.cause = aba_text(draft.log, *aba);
  draft.out.advice = aba_advice(draft.log, *aba);
  return true;
}

bool explain_reuse(Draft& draft, EventNumber first, EventNumber second) {
  const Nature nature = draft.out.nature;
  const bool is_explained = explain_reclamation(draft, first, second);
  const std::string cause = draft.out.cause;
  if (!explain_aba(draft)) return is_explained;
  draft.out.nature = nature;
  if (is_explained) draft.out.cause = cause + "; " + draft.out.cause;
  return true;
}

}  // namespace heddle::story
