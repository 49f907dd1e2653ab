#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "strategies/random.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

namespace {

bool fail(SpecificationError& error, const char* format, std::string_view what) {
  std::snprintf(error.text, sizeof error.text, format, static_cast<int>(what.size()), what.data());
  return false;
}

// std::string_view::substr would need the C++ library's exceptions.
std::string_view before(std::string_view text, std::size_t end) {
  return end == std::string_view::npos ? text : std::string_view{text.data(), end};
}
std::string_view after(std::string_view text, std::size_t position) {
  if (position == std::string_view::npos) return {};
  return {text.data() + position + 1, text.size() - position - 1};
}

/// Takes "key=value" from the front of `parameters`.
bool next_parameter(std::string_view& parameters, std::string_view& key, std::string_view& value,
                    SpecificationError& error) {
  const auto comma = parameters.find(',');
  const std::string_view item = before(parameters, comma);
  parameters = after(parameters, comma);
  const auto equals = item.find('=');
  if (equals == std::string_view::npos) return fail(error, "the parameter '%.*s' has no value: write key=value", item);
  key = before(item, equals);
  value = after(item, equals);
  return true;
}

bool parse_probability(std::string_view text, double& out, SpecificationError& error) {
  char buffer[32];
  char* end = nullptr;
  if (text.empty() || text.size() >= sizeof buffer) return fail(error, "'%.*s' is not a number from 0 to 1", text);
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = '\0';
  out = std::strtod(buffer, &end);
  if (*end != '\0' || !(out >= 0 && out <= 1)) return fail(error, "'%.*s' is not a number from 0 to 1", text);
  return true;
}

Strategy* make_random(std::string_view parameters, std::uint64_t seed, base::Arena& arena, SpecificationError& error) {
  double switch_probability = 1;
  while (!parameters.empty()) {
    std::string_view key, value;
    if (!next_parameter(parameters, key, value, error)) return nullptr;
    if (key != "switch") {
      fail(error, "random has no parameter '%.*s'; it has: switch", key);
      return nullptr;
    }
    if (!parse_probability(value, switch_probability, error)) return nullptr;
  }
  return arena.create<RandomStrategy>(seed, switch_probability);
}

}  // namespace

Strategy* make_strategy(std::string_view specification, std::uint64_t seed, base::Arena& arena,
                        SpecificationError& error) {
  const auto colon = specification.find(':');
  const std::string_view name = before(specification, colon);
  const std::string_view parameters = after(specification, colon);
  if (name == "random") return make_random(parameters, seed, arena, error);
  std::snprintf(error.text, sizeof error.text, "there is no strategy '%.*s'; the strategies are: %s",
                static_cast<int>(name.size()), name.data(), strategy_names());
  return nullptr;
}

const char* strategy_names() { return "random"; }

}  // namespace heddle::strategies
