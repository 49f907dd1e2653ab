#include "machine/result_ways.hpp"

#include <algorithm>

namespace heddle::machine {

using Kind = EntryPoint::Kind;
using Relation = Assumptions::Relation;

namespace {

/// Whether the states are the same in every register and in memory.
bool is_same(const State& a, const State& b) {
  if (a.counter != b.counter || a.store_count != b.store_count || a.announcement_count != b.announcement_count)
    return false;
  const Flags &x = a.flags, &y = b.flags;
  if (x.kind != y.kind ||
      (x.kind != Flags::Kind::unknown && (x.a != y.a || x.b != y.b || x.bits != y.bits || x.carry != y.carry ||
                                          x.zero != y.zero || x.sign != y.sign || x.overflow != y.overflow)))
    return false;
  for (unsigned i = 0; i < registers; ++i)
    if (a.general[i] != b.general[i] || a.vector[i][0] != b.vector[i][0] || a.vector[i][1] != b.vector[i][1])
      return false;
  for (std::uint32_t i = 0; i < a.announcement_count; ++i)
    if (a.announcements[i] != b.announcements[i]) return false;
  for (std::uint32_t i = 0; i < a.store_count; ++i)
    if (a.stores[i].address != b.stores[i].address || a.stores[i].size != b.stores[i].size ||
        a.stores[i].value != b.stores[i].value)
      return false;
  return true;
}

}  // namespace

bool ResultWays::can_undo() const {
  return std::any_of(way, way + count, [](std::uint16_t each) { return each == undoes; });
}

std::uint16_t ResultWays::way_of(std::int64_t result) const {
  std::uint32_t at = count - 1;
  while (at != 0 && begin[at] > result) --at;
  return way[at];
}

bool ResultWays::is_monotone(std::int64_t least, std::int64_t most_result, bool upwards) const {
  std::uint16_t found = undoes;
  bool has_ended = false;  // upwards: an undoing range must not follow one that does not undo
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t at = upwards ? i : count - 1 - i;
    const bool is_below = at + 1 < count && begin[at + 1] <= least;
    if (is_below || begin[at] > most_result) continue;
    if (way[at] == undoes) {
      if (found != undoes) has_ended = true;
      continue;
    }
    if (has_ended || (found != undoes && found != way[at])) return false;
    found = way[at];
  }
  return !has_ended;
}

bool WaysOfResult::find(const State& addition, ResultWays& ways) {
  const EntryPoint* entry = emulator_.entry(addition);
  if (entry == nullptr || entry->sign == 0) return false;
  bits_ = 8U * entry->size;
  path_count_ = 0;
  const Value one = terms_.fresh(), other = terms_.fresh();
  Assumptions of_one, of_other;
  bool goes_on = true;
  while (goes_on) {
    if (!add_path(addition, one, other, of_one, of_other)) return false;
    goes_on = of_one.next_choices();
    if (of_other.next_choices() != goes_on) return false;
  }
  return add_boundaries(ways) && set_ways(ways);
}

/// Runs the code after the addition with two results, one choice of answers for both. When the states have become the
/// same, nothing of the result is left.
bool WaysOfResult::add_path(const State& addition, Value one, Value other, Assumptions& of_one, Assumptions& of_other) {
  if (path_count_ == most_paths) return false;
  auto& a = *scratch_.create<State>(addition);
  auto& b = *scratch_.create<State>(addition);
  if (!emulator_.return_from_call(a, one) || !emulator_.return_from_call(b, other)) return false;
  std::optional<Emulator::Stop> stop, stop_of_other;
  while (!stop && !is_same(a, b)) {
    stop = emulator_.advance(a, of_one);
    stop_of_other = emulator_.advance(b, of_other);
    if (stop != stop_of_other || stop == Emulator::Stop::refused) return false;
  }
  if (stop && !equivalence_.holds_after(a, b, *stop)) return false;
  Path& path = paths_[path_count_++];
  path = {};
  path.undoes = (!stop || stop == Emulator::Stop::at_entry) && runs_into_undoing(addition, a);
  return add_conditions(of_one, one, path);
}

/// Runs the code on, if it is not at an operation yet. What undoes an addition asks no further questions.
bool WaysOfResult::runs_into_undoing(const State& addition, State& state) {
  Assumptions assumptions;
  return emulator_.run(state, assumptions) == Emulator::Stop::at_entry && !assumptions.has_chosen() &&
         is_undoing(addition, state);
}

bool WaysOfResult::add_conditions(const Assumptions& assumptions, Value result, Path& path) const {
  for (const Assumptions::Assumption& each : assumptions.all()) {
    if (!terms_.involves(each.a, result) && !terms_.involves(each.b, result)) continue;
    if (path.count == most_conditions || each.bits != bits_) return false;
    Condition& condition = path.conditions[path.count++];
    condition.relation = each.relation;
    condition.holds = each.holds;
    condition.result_is_left = each.b.is_known();
    const Value number = condition.result_is_left ? each.b : each.a;
    const auto offset = terms_.distance(condition.result_is_left ? each.a : each.b, result, bits_);
    if (!number.is_known() || !offset) return false;
    condition.number = low_bits(number.constant, bits_);
    condition.offset = *offset;
  }
  return true;
}

bool WaysOfResult::is_on(const Path& path, std::int64_t result) const {
  for (std::uint32_t i = 0; i < path.count; ++i) {
    const Condition& condition = path.conditions[i];
    const std::uint64_t sum = low_bits(static_cast<std::uint64_t>(result) + condition.offset, bits_);
    const std::uint64_t left = condition.result_is_left ? sum : condition.number;
    const std::uint64_t right = condition.result_is_left ? condition.number : sum;
    const bool holds = condition.relation == Relation::equal ? left == right
                       : condition.relation == Relation::less_unsigned
                           ? left < right
                           : signed_bits(left, bits_) < signed_bits(right, bits_);
    if (holds != condition.holds) return false;
  }
  return true;
}

/// The answer to a question changes where the compared sum becomes the number or leaves it, and where it overflows.
bool WaysOfResult::add_boundaries(ResultWays& ways) const {
  const std::uint64_t smallest = std::uint64_t{1} << (bits_ - 1);
  ways = {};
  ways.begin[ways.count++] = signed_bits(smallest, bits_);
  for (std::uint32_t i = 0; i < path_count_; ++i)
    for (std::uint32_t j = 0; j < paths_[i].count; ++j) {
      const Condition& condition = paths_[i].conditions[j];
      for (const std::uint64_t sum : {condition.number, condition.number + 1, smallest, std::uint64_t{0}}) {
        const std::int64_t at = signed_bits(low_bits(sum - condition.offset, bits_), bits_);
        if (std::find(ways.begin, ways.begin + ways.count, at) != ways.begin + ways.count) continue;
        if (ways.count == ResultWays::most) return false;
        ways.begin[ways.count++] = at;
      }
    }
  std::sort(ways.begin, ways.begin + ways.count);
  return true;
}

/// Other questions than those about the result may divide a way into several paths.
bool WaysOfResult::set_ways(ResultWays& ways) const {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < ways.count; ++i) {
    std::uint32_t paths = 0, undoing = 0;
    for (std::uint32_t path = 0; path < path_count_; ++path) {
      if (!is_on(paths_[path], ways.begin[i])) continue;
      paths |= 1U << path;
      if (paths_[path].undoes) undoing |= 1U << path;
    }
    if (paths == 0 || (undoing != 0 && undoing != paths)) return false;
    const auto way = static_cast<std::uint16_t>(undoing != 0 ? ResultWays::undoes : paths);
    if (kept != 0 && ways.way[kept - 1] == way) continue;
    ways.begin[kept] = ways.begin[i];
    ways.way[kept++] = way;
  }
  ways.count = kept;
  return true;
}

/// What an addition adds, modulo 2^64. Its operand is known.
std::uint64_t WaysOfResult::added(const State& state, const EntryPoint& entry) const {
  const std::uint64_t operand = state.general[arguments[1]].constant;
  return low_bits(entry.sign > 0 ? operand : 0 - operand, 8U * entry.size);
}

/// Whether the code has made no plain access that other threads could see or race with. (Code may read memory without
/// an announcement, as copies of atomic loads that clang leaves behind do. It is then like code that reads a symbol.)
bool WaysOfResult::is_quiet(const State& state) {
  if (state.announcement_count != 0) return false;
  for (std::uint32_t i = 0; i < state.store_count; ++i)
    if (!state.stack.contains(state.stores[i].address)) return false;
  return true;
}

bool WaysOfResult::is_undoing(const State& addition, const State& next) {
  const EntryPoint &first = *emulator_.entry(addition), *second = emulator_.entry(next);
  if (second == nullptr || second->sign == 0 || second->size != first.size || !is_quiet(next)) return false;
  if (!next.general[arguments[0]].is_same(addition.general[arguments[0]])) return false;
  if (!next.general[arguments[1]].is_known()) return false;
  if (low_bits(added(addition, first) + added(next, *second), bits_) != 0) return false;
  return comes_back(addition, next, 0);
}

/// The state is at the addition that undoes, or at a load of the location. Whatever the operation returns, does the
/// thread come back, perhaps after further loads?
bool WaysOfResult::comes_back(const State& addition, const State& at, unsigned depth) {
  const Value result = terms_.fresh();
  Assumptions assumptions;
  do {
    auto& next = *scratch_.create<State>(at);
    next.announcement_count = 0;
    if (!emulator_.return_from_call(next, result)) return false;
    if (emulator_.run(next, assumptions) != Emulator::Stop::at_entry || !is_quiet(next)) return false;
    const EntryPoint& entry = *emulator_.entry(next);
    if (entry.sign != 0 && equivalence_.holds(addition, next)) continue;
    if (entry.kind != Kind::load || !next.general[arguments[0]].is_same(addition.general[arguments[0]])) return false;
    bool is_known = false;
    for (unsigned i = 0; i < depth && !is_known; ++i) is_known = equivalence_.holds(*loads_[i], next);
    if (is_known) continue;
    if (depth == most_loads) return false;
    loads_[depth] = &next;
    if (!comes_back(addition, next, depth + 1)) return false;
  } while (assumptions.next_choices());
  return true;
}

}  // namespace heddle::machine
