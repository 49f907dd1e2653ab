// The condition on final states, and the text form of states.
#include "litmus/test.hpp"

namespace heddle::litmus {

std::int64_t convert(std::int64_t value, Type type) {
  const int unused = 64 - 8 * type.size;
  if (unused == 0) return value;
  const auto shifted = static_cast<std::uint64_t>(value) << unused;
  return type.is_signed ? static_cast<std::int64_t>(shifted) >> unused : static_cast<std::int64_t>(shifted >> unused);
}

bool Proposition::holds(const State& state) const {
  switch (kind) {
    case Kind::always: return true;
    case Kind::equals: return state[observable] == value;
    case Kind::conjunction:
      for (const Proposition& part : parts)
        if (!part.holds(state)) return false;
      return true;
    case Kind::disjunction:
      for (const Proposition& part : parts)
        if (part.holds(state)) return true;
      return false;
    case Kind::negation: return !parts.front().holds(state);
  }
  return false;
}

std::string Test::describe(const State& state) const {
  std::string text;
  for (std::size_t i = 0; i < observables.size(); ++i) {
    if (i != 0) text += ' ';
    const Observable& o = observables[i];
    text += (o.thread == none ? "[" + o.name + "]" : o.name) + "=" + std::to_string(state[i]) + ";";
  }
  return text;
}

std::map<std::string, std::string> Test::as_map(const State& state) const {
  std::map<std::string, std::string> map;
  for (std::size_t i = 0; i < observables.size(); ++i) map[observables[i].name] = std::to_string(state[i]);
  return map;
}

}  // namespace heddle::litmus
