#include "strategies/strategy_specification.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "strategies/portfolio.hpp"

namespace heddle::strategies {

namespace {

constexpr std::string_view automatic_name = "auto";

// std::string_view::substr would need the C++ library's exceptions.
std::string_view before(std::string_view text, std::size_t end) {
  return end == std::string_view::npos ? text : std::string_view{text.data(), end};
}
std::string_view after(std::string_view text, std::size_t position) {
  if (position == std::string_view::npos) return {};
  return {text.data() + position + 1, text.size() - position - 1};
}

int size_of(std::string_view text) { return static_cast<int>(text.size()); }

[[gnu::format(printf, 3, 4)]] void append(char* text, std::size_t room, const char* format, ...) {
  const std::size_t used = std::strlen(text);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text + used, room - used, format, arguments);
  va_end(arguments);
}

std::optional<double> parse_whole_number(std::string_view text, double most) {
  if (text.empty()) return std::nullopt;
  double value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || value > most) return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

std::optional<double> parse_real_number(std::string_view text) {
  char buffer[32];
  if (text.empty() || text.size() >= sizeof buffer) return std::nullopt;
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = '\0';
  char* end = nullptr;
  const double value = std::strtod(buffer, &end);
  return *end == '\0' ? std::optional(value) : std::nullopt;
}

bool parse_word(std::string_view text, const Parameter& parameter, std::optional<double>& value,
                SpecificationError& error) {
  value.reset();
  if (parameter.open_word != nullptr && text == parameter.open_word) return true;
  for (std::size_t i = 0; i < parameter.words.size(); ++i) {
    if (text != parameter.words[i]) continue;
    value = static_cast<double>(i);
    return true;
  }
  std::snprintf(error.text, sizeof error.text, "%s=%.*s: this is none of ", parameter.name, size_of(text), text.data());
  for (std::size_t i = 0; i < parameter.words.size(); ++i)
    append(error.text, sizeof error.text, "%s%s", i == 0 ? "" : ", ", parameter.words[i]);
  if (parameter.open_word != nullptr) append(error.text, sizeof error.text, ", %s", parameter.open_word);
  return false;
}

bool parse_value(std::string_view text, const Parameter& parameter, std::optional<double>& value,
                 SpecificationError& error) {
  if (parameter.type == Parameter::Type::word) return parse_word(text, parameter, value, error);
  const bool is_whole = parameter.type == Parameter::Type::whole_number;
  value = is_whole ? parse_whole_number(text, parameter.most) : parse_real_number(text);
  if (value && *value >= parameter.least && *value <= parameter.most) return true;
  std::snprintf(error.text, sizeof error.text, "%s=%.*s: this is not a %s from %.0f to %.0f", parameter.name,
                size_of(text), text.data(), is_whole ? "whole number" : "number", parameter.least, parameter.most);
  return false;
}

bool has_parameter(const StrategyDescriptor& strategy, std::string_view key, std::size_t& found,
                   SpecificationError& error) {
  if (const auto parameter = strategy.find(key)) {
    found = *parameter;
    return true;
  }
  std::snprintf(error.text, sizeof error.text, "%s has no parameter '%.*s'; it has: ", strategy.name, size_of(key),
                key.data());
  for (const Parameter& parameter : strategy.parameters)
    append(error.text, sizeof error.text, "%s%s", &parameter == strategy.parameters.data() ? "" : ", ", parameter.name);
  return false;
}

bool parse_parameters(std::string_view text, const StrategyDescriptor& strategy, ParameterValues& values,
                      SpecificationError& error) {
  if (strategy.parameters.empty() && !text.empty()) {
    std::snprintf(error.text, sizeof error.text, "%s has no parameters, but was given '%.*s'", strategy.name,
                  size_of(text), text.data());
    return false;
  }
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view item = before(text, comma);
    text = after(text, comma);
    const auto equals = item.find('=');
    if (equals == std::string_view::npos) {
      std::snprintf(error.text, sizeof error.text, "the parameter '%.*s' has no value: write key=value", size_of(item),
                    item.data());
      return false;
    }
    std::size_t parameter = 0;
    if (!has_parameter(strategy, before(item, equals), parameter, error) ||
        !parse_value(after(item, equals), strategy.parameters[parameter], values[parameter], error))
      return false;
  }
  return true;
}

/// A depth is a number of events out of `length`.
bool depth_fits(const StrategyDescriptor& strategy, const ParameterValues& values, SpecificationError& error) {
  const auto depth = strategy.find(Parameter::Role::depth), length = strategy.find(Parameter::Role::length);
  if (!depth || !length || !values[*depth] || !values[*length] || *values[*depth] <= *values[*length]) return true;
  std::snprintf(error.text, sizeof error.text, "%s=%u is larger than %s=%u: there are no %u events to draw",
                strategy.parameters[*depth].name, values.whole(*depth), strategy.parameters[*length].name,
                values.whole(*length), values.whole(*depth));
  return false;
}

const StrategyDescriptor* descriptor_of(std::string_view name) {
  if (name == exhaustive_search.name) return &exhaustive_search;
  const auto found = find_strategy(name);
  return found ? registered_strategies()[*found] : nullptr;
}

}  // namespace

std::optional<StrategySpecification> parse_strategy(std::string_view text, SpecificationError& error) {
  const auto colon = text.find(':');
  const std::string_view name = before(text, colon);
  const std::string_view parameters = after(text, colon);
  StrategySpecification result;
  if (name == automatic_name) {
    if (parameters.empty()) return result;
    std::snprintf(error.text, sizeof error.text, "auto finds its parameters by itself, but was given '%.*s'",
                  size_of(parameters), parameters.data());
    return std::nullopt;
  }
  result.strategy = descriptor_of(name);
  if (result.strategy == nullptr) {
    std::snprintf(error.text, sizeof error.text, "there is no strategy '%.*s'; the strategies are: %s", size_of(name),
                  name.data(), strategy_names().text);
    return std::nullopt;
  }
  result.kind = result.strategy == &exhaustive_search ? StrategySpecification::Kind::exhaustive
                                                      : StrategySpecification::Kind::sampling;
  if (!parse_parameters(parameters, *result.strategy, result.given, error) ||
      !depth_fits(*result.strategy, result.given, error))
    return std::nullopt;
  return result;
}

bool is_exhaustive(std::string_view text) { return descriptor_of(before(text, text.find(':'))) == &exhaustive_search; }

bool StrategySpecification::learns() const {
  if (kind != Kind::sampling) return kind == Kind::automatic;
  if (strategy->learns_threads || strategy->uses_corpus) return true;
  for (std::size_t i = 0; i < strategy->parameters.size(); ++i)
    if (!given[i] && !strategy->parameters[i].default_value) return true;
  return false;
}

SpecificationText StrategySpecification::to_text() const {
  SpecificationText result;
  const auto write = [&](const char* format, auto... values) {
    append(result.text, sizeof result.text, format, values...);
  };
  if (kind == Kind::automatic) {
    write("%.*s", size_of(automatic_name), automatic_name.data());
    return result;
  }
  write("%s", strategy->name);
  char separator = ':';
  for (std::size_t i = 0; i < strategy->parameters.size(); ++i) {
    const Parameter& parameter = strategy->parameters[i];
    if (!given[i] || given[i] == parameter.default_value) continue;
    if (parameter.type == Parameter::Type::word)
      write("%c%s=%s", separator, parameter.name, parameter.words[static_cast<std::size_t>(*given[i])]);
    else if (parameter.type == Parameter::Type::whole_number)
      write("%c%s=%.0f", separator, parameter.name, *given[i]);
    else
      write("%c%s=%g", separator, parameter.name, *given[i]);
    separator = ',';
  }
  return result;
}

std::optional<StrategySpecification> search_with(std::string_view text, std::string_view name) {
  SpecificationError error;
  auto specification = parse_strategy(text, error);
  if (!specification || !specification->is_exhaustive()) return {};
  const auto parameter = specification->strategy->find(name);
  if (!parameter || specification->given[*parameter] == 1) return {};
  specification->given[*parameter] = 1;
  return specification;
}

Strategy* make_strategy(const StrategySpecification& specification, std::uint64_t seed, base::Arena& arena) {
  HEDDLE_CHECK(!specification.is_exhaustive(), "the exhaustive search is not made from its specification alone");
  if (specification.learns()) return arena.create<Portfolio>(seed, PortfolioScope(specification), arena);
  const StrategyDescriptor& descriptor = *specification.strategy;
  ParameterValues values = specification.given;
  for (std::size_t i = 0; i < descriptor.parameters.size(); ++i)
    if (!values[i]) values[i] = descriptor.parameters[i].default_value;
  Strategy* strategy = descriptor.make(seed, arena);
  if (Adjustable* adjustable = strategy->facets().adjustable) adjustable->set_parameters(values);
  return strategy;
}

SpecificationText strategy_names() {
  SpecificationText names;
  append(names.text, sizeof names.text, "%.*s", size_of(automatic_name), automatic_name.data());
  for (const StrategyDescriptor* strategy : registered_strategies())
    append(names.text, sizeof names.text, ", %s", strategy->name);
  append(names.text, sizeof names.text, ", %s", exhaustive_search.name);
  return names;
}

}  // namespace heddle::strategies
