#include "story/explain_orders.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "story/stronger_orders.hpp"
#include "story/words.hpp"

namespace heddle::story {

namespace {

bool explain_missing_order_of(Draft& draft, MissingEdges& edges, const std::vector<EventNumber>& newer,
                              EventNumber later) {
  for (auto write = newer.rbegin(); write != newer.rend() && edges.has_steps_left(); ++write) {
    if (draft.log.happens_before(*write, later)) continue;
    if (!explain_missing_order(draft, edges, *write, later)) continue;
    draft.matter(*write);
    return true;
  }
  return false;
}

bool explain_cycle(Draft& draft, MissingEdges& edges, EventNumber newer, EventNumber later) {
  const auto cycle = edges.find_cycle(newer, later);
  if (!cycle || cycle->stronger.empty()) return false;
  std::vector<std::string> places, variables;
  const auto add = [](std::vector<std::string>& texts, const std::string& text) {
    if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  };
  for (const EventNumber event : cycle->events) {
    draft.matter(event);
    add(places, short_place(draft.log, place_of(draft.log.events[event])));
    add(variables, variable_text(draft.log, draft.log.events[event]));
  }
  std::sort(variables.begin(), variables.end());
  const std::size_t known = draft.out.changes.size();
  advise_stronger_orders(draft.log, cycle->stronger, draft.out);
  if (draft.out.changes.size() == known) return true;  // another cycle of the same accesses
  draft.add_cause(
      fmt::format("{} {} {}: nothing orders them, and no interleaving has to explain the accesses to {} at {}, "
                  "since they are not all seq_cst",
                  noun_text(draft.log, later), draft.log.events[later].is_stale() ? "misses" : "goes before",
                  noun_text(draft.log, newer), list_text(variables), list_text(places)));
  return true;
}

bool explain_cycle_of(Draft& draft, MissingEdges& edges, const std::vector<EventNumber>& newer, EventNumber later) {
  for (auto write = newer.rbegin(); write != newer.rend() && edges.has_steps_left(); ++write)
    if (explain_cycle(draft, edges, *write, later)) return true;
  return false;
}

}  // namespace

bool explain_missing_order(Draft& draft, MissingEdges& edges, EventNumber first, EventNumber second) {
  const auto path = edges.find_path(first, second);
  if (!path || path->stronger.empty()) return false;
  std::vector<std::string> weak;
  for (const Passage& passage : path->passages) {
    draft.matter(passage.write);
    draft.matter(passage.read);
    const auto needs = [&](EventNumber event) {
      return std::any_of(path->stronger.begin(), path->stronger.end(),
                         [&](const StrongerOrder& order) { return order.event == event; });
    };
    if (!needs(passage.write) && !needs(passage.read)) continue;
    const EventNumber named = needs(passage.write) ? passage.write : passage.read;
    const EventNumber other = named == passage.write ? passage.read : passage.write;
    weak.push_back(fmt::format("{} is {}, so {} that {} it does not order {} before {}", noun_text(draft.log, named),
                               order_name(draft.log.events[named].order), noun_text(draft.log, other),
                               named == passage.write ? "reads" : "is read by", noun_text(draft.log, first),
                               noun_text(draft.log, second)));
  }
  if (!weak.empty()) draft.add_cause(weak.front());
  advise_stronger_orders(draft.log, path->stronger, draft.out);
  return true;
}

bool explain_stale_reads(Draft& draft, MissingEdges& edges) {
  draft.add_stale_reads();
  for (EventNumber i = 0; i < draft.log.events.size(); ++i) {
    const Event& event = draft.log.events[i];
    const auto& newer = event.is_stale() ? event.missed : event.placed_before;
    if (newer.empty() || explain_missing_order_of(draft, edges, newer, i) || explain_cycle_of(draft, edges, newer, i))
      continue;
    if (event.failed_spuriously && draft.out.cause.empty())
      draft.out.cause =
          fmt::format("{} fails although it finds the expected value: weak exchanges may", noun_text(draft.log, i));
  }
  for (EventNumber i = 0; i < draft.log.events.size(); ++i)
    if (draft.log.events[i].failed_spuriously) {
      draft.matter(i);
      if (draft.out.cause.empty()) {
        draft.out.cause =
            fmt::format("{} fails although it finds the expected value, as weak ones may", noun_text(draft.log, i));
        draft.out.advice = "use compare_exchange_strong, or call it in a loop";
      }
    }
  return !draft.out.cause.empty();
}

}  // namespace heddle::story
