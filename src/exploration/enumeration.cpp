#include "exploration/enumeration.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "strategies/execution_plan.hpp"

namespace heddle::exploration {

using strategies::Choice;
using strategies::ChoiceKind;

std::uint64_t& HashSet::slot(std::span<std::uint64_t> slots, std::uint64_t hash) {
  std::size_t at = hash & (slots.size() - 1);
  while (slots[at] != 0 && slots[at] != hash) at = (at + 1) & (slots.size() - 1);
  return slots[at];
}

bool HashSet::insert(std::uint64_t hash) {
  if (hash == 0) hash = 1;
  std::uint64_t& found = slot(slots_, hash);
  if (found == hash) return false;
  found = hash;
  if (++count_ * 2 < slots_.size()) return true;
  const auto larger = arena_.create_array<std::uint64_t>(slots_.size() * 2);
  for (const std::uint64_t other : slots_)
    if (other != 0) slot(larger, other) = other;
  slots_ = larger;
  return true;
}

bool Enumeration::begin_execution(std::uint64_t) {
  if (has_begun_) {
    while (!decisions_.empty() && decisions_.back().index + 1 == decisions_.back().options) decisions_.pop_back();
    if (decisions_.empty()) return false;
    ++decisions_.back().index;
  }
  has_begun_ = true;
  next_ = 0;
  details_ = 0;
  is_abandoned_ = false;
  return true;
}

std::uint32_t Enumeration::decide(std::uint32_t options) {
  if (next_ == decisions_.size()) decisions_.push_back(arena_, {0, options});
  return decisions_[next_++].index;
}

/// A hash of the execution so far: the graph, and what is not in it, such as which thread a signal woke.
std::uint64_t Enumeration::execution() const { return base::hash_words(canonical_hash(graph_), details_); }

/// A hash of everything that determines the rest of the execution. Threads are deterministic, so the graph, which
/// contains what they read, determines where each thread is. The model's state may restrict what they read next.
std::uint64_t Enumeration::state() const { return base::hash_words(execution(), model_state_->hash()); }

/// A thread that yields again and again does not change the graph, but other threads may change what it polls.
std::uint64_t Enumeration::state_before(const Choice& choice) const {
  std::uint64_t yields = 0;
  for (const auto& option : choice.options)
    yields += base::hash_words(number(option.thread), option.pending->yields_in_a_row);
  return base::hash_words(state(), yields);
}

/// A thread that yields comes to its next event first: other orders lead to the same graphs. If it does not come to
/// one, it polls memory, and other threads go first.
std::uint32_t Enumeration::find_yielding(const Choice& choice) {
  constexpr std::uint32_t most_yields = 1000;
  for (std::uint32_t i = 0; i < choice.options.size(); ++i) {
    const strategies::PendingOperation& pending = *choice.options[i].pending;
    if (pending.yields && pending.kind != graph::EventKind::finish && pending.yields_in_a_row <= most_yields) return i;
  }
  return strategies::no_option;
}

std::uint32_t Enumeration::choose(const Choice& choice) {
  if (is_abandoned_) return 0;
  if (choice.kind != ChoiceKind::thread) {
    const std::uint32_t chosen = decide(static_cast<std::uint32_t>(choice.options.size()));
    if (choice.kind != ChoiceKind::reads_from && choice.kind != ChoiceKind::mo_slot)
      details_ += base::hash_words(number(choice.current), graph_.thread(choice.current).index, chosen);
    return chosen;
  }
  if (const std::uint32_t yielding = find_yielding(choice); yielding != strategies::no_option) return yielding;
  if (next_ == decisions_.size() && !states_.insert(state_before(choice))) {
    is_abandoned_ = true;
    return 0;
  }
  // A thread that would wait is chosen only if every thread would; the end of the program comes last of all.
  const auto patience = [](const strategies::PendingOperation& pending) {
    if (pending.waits) return 2;
    return !pending.yields ? 0 : pending.kind == graph::EventKind::finish ? 3 : 1;
  };
  int least = 3;
  for (const auto& option : choice.options) least = std::min(least, patience(*option.pending));
  std::uint32_t ready = 0;
  for (const auto& option : choice.options) ready += patience(*option.pending) == least ? 1U : 0U;
  std::uint32_t left = ready == 1 ? 0 : decide(ready);
  for (std::uint32_t i = 0; i < choice.options.size(); ++i)
    if (patience(*choice.options[i].pending) == least && left-- == 0) return i;
  return 0;
}

void Enumeration::end_execution(strategies::Outcome outcome) {
  if (is_abandoned_) return;
  is_abandoned_ = !graphs_.insert(base::hash_words(execution(), static_cast<std::uint64_t>(outcome)));
}

}  // namespace heddle::exploration
