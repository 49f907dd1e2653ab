#include <cstdio>
#include <cstdlib>

#include "strategies/random.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

namespace {

bool fail(SpecificationError& error, const char* format, std::string_view what) {
  std::snprintf(error.text, sizeof error.text, format, static_cast<int>(what.size()), what.data());
  return false;
}

/// Takes "key=value" from the front of `parameters`.
bool next_parameter(std::string_view& parameters, std::string_view& key, std::string_view& value,
                    SpecificationError& error) {
  const auto comma = parameters.find(',');
  const std::string_view item = parameters.substr(0, comma);
  parameters = comma == std::string_view::npos ? std::string_view{} : parameters.substr(comma + 1);
  const auto equals = item.find('=');
  if (equals == std::string_view::npos) return fail(error, "the parameter '%.*s' has no value: write key=value", item);
  key = item.substr(0, equals);
  value = item.substr(equals + 1);
  return true;
}

bool parse_probability(std::string_view text, double& out, SpecificationError& error) {
  char buffer[32];
  char* end = nullptr;
  if (text.empty() || text.size() >= sizeof buffer) return fail(error, "'%.*s' is not a number from 0 to 1", text);
  text.copy(buffer, text.size());
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
  const std::string_view name = specification.substr(0, colon);
  const std::string_view parameters =
      colon == std::string_view::npos ? std::string_view{} : specification.substr(colon + 1);
  if (name == "random") return make_random(parameters, seed, arena, error);
  std::snprintf(error.text, sizeof error.text, "there is no strategy '%.*s'; the strategies are: %s",
                static_cast<int>(name.size()), name.data(), strategy_names());
  return nullptr;
}

const char* strategy_names() { return "random"; }

}  // namespace heddle::strategies
