#include "exploration/bounds.hpp"

namespace heddle::exploration {

namespace {

bool read_number(std::string_view text, std::uint64_t& number) {
  if (text.empty() || text.size() > 9) return false;
  number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return true;
}

}  // namespace

bool is_exhaustive(std::string_view specification) {
  return specification.starts_with(strategy_name) &&
         (specification.size() == strategy_name.size() || specification[strategy_name.size()] == ':');
}

const char* parse_bounds(std::string_view specification, Bounds& bounds) {
  specification.remove_prefix(strategy_name.size());
  while (!specification.empty()) {
    specification.remove_prefix(1);  // the colon, or a comma
    const std::string_view parameter = specification.substr(0, specification.find(','));
    specification.remove_prefix(parameter.size());
    const std::string_view key = parameter.substr(0, parameter.find('='));
    std::uint64_t* value = key == "events"     ? &bounds.events
                           : key == "loop"     ? &bounds.loop
                           : key == "spurious" ? &bounds.spurious
                           : key == "values"   ? &bounds.values
                           : key == "symmetry" ? &bounds.symmetry
                                               : nullptr;
    if (value == nullptr) return "exhaustive has the parameters events, loop, spurious, values and symmetry";
    std::string_view number = parameter;
    number.remove_prefix(key.size() == parameter.size() ? key.size() : key.size() + 1);
    if (!read_number(number, *value)) return "the parameters of exhaustive are numbers: write exhaustive:loop=3";
    if (value == &bounds.values && *value == 0) return "exhaustive:values=0: there has to be a value";
  }
  return nullptr;
}

}  // namespace heddle::exploration
