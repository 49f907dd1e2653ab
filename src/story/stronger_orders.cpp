#include "story/stronger_orders.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "story/words.hpp"

namespace heddle::story {

namespace {

/// "the store at line 14", "the store at queue.c:20 (atomic_write)".
std::string operation_text(const ExecutionLog& log, const findings::SuggestedChange& change) {
  const bool fails = change.operation == "failed compare_exchange";
  std::string text = fmt::format("the {} at {}", fails ? "failure order of the compare_exchange" : change.operation,
                                 short_place(log, change.place));
  if (!change.wrapper.empty()) text += fmt::format(" ({})", change.wrapper);
  return text;
}

/// "the store at line 14 release and the load at line 18 acquire". Equal orders are named once.
std::string changes_text(const ExecutionLog& log, const std::vector<findings::SuggestedChange>& changes) {
  std::vector<std::string> groups, orders;
  for (const findings::SuggestedChange& change : changes)
    if (std::find(orders.begin(), orders.end(), change.to) == orders.end()) orders.push_back(change.to);
  for (const std::string& order : orders) {
    std::vector<std::string> items;
    for (const findings::SuggestedChange& change : changes)
      if (change.to == order) items.push_back(operation_text(log, change));
    groups.push_back(list_text(items) + " " + order);
  }
  return list_text(groups);
}

}  // namespace

MemoryOrder order_of(const std::string& name) {
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(MemoryOrder::seq_cst); ++i)
    if (name == order_name(MemoryOrder{i})) return MemoryOrder{i};
  return MemoryOrder::relaxed;
}

std::string advice_text(const ExecutionLog& log, const std::vector<findings::SuggestedChange>& changes) {
  return "make " + changes_text(log, changes);
}

void advise_stronger_orders(const ExecutionLog& log, const std::vector<StrongerOrder>& stronger,
                            findings::Explanation& explanation) {
  auto& changes = explanation.changes;
  for (const StrongerOrder& order : stronger) {
    const Event& event = log.events[order.event];
    findings::SuggestedChange change{place_of(event),         operation_noun(event),   "",
                                     order_name(event.order), order_name(order.order), ""};
    if (event.location) change.variable = log.locations[*event.location].name;
    change.wrapper = wrapper_of(event);
    const auto same = std::find_if(changes.begin(), changes.end(), [&](const auto& known) {
      return known.place == change.place && known.operation == change.operation;
    });
    if (same == changes.end())
      changes.push_back(change);
    else
      same->to = order_name(joined(order_of(same->to), order.order));
  }
  explanation.advice = advice_text(log, changes);
}

}  // namespace heddle::story
