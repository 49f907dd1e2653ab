#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>

#include "strategies/pct.hpp"
#include "strategies/pctwm.hpp"
#include "strategies/portfolio.hpp"
#include "strategies/pos.hpp"
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

/// A whole number that a strategy takes as key=value.
struct Count {
  std::string_view key;
  std::uint32_t least;
  std::uint32_t most;
  std::optional<std::uint32_t>& value;
};

bool parse_count(std::string_view text, const Count& count, SpecificationError& error) {
  std::uint64_t value = 0;
  bool is_number = !text.empty();
  for (const char c : text) {
    is_number = is_number && c >= '0' && c <= '9' && value <= count.most;
    if (is_number) value = 10 * value + static_cast<std::uint64_t>(c - '0');
  }
  if (is_number && value >= count.least && value <= count.most) {
    count.value = static_cast<std::uint32_t>(value);
    return true;
  }
  std::snprintf(error.text, sizeof error.text, "%.*s=%.*s: this is not a whole number from %u to %u",
                static_cast<int>(count.key.size()), count.key.data(), static_cast<int>(text.size()), text.data(),
                count.least, count.most);
  return false;
}

/// Reads parameters that are all whole numbers; `names` is for the message about others.
bool parse_counts(std::string_view strategy, const char* names, std::string_view parameters,
                  std::span<const Count> counts, SpecificationError& error) {
  while (!parameters.empty()) {
    std::string_view key, value;
    if (!next_parameter(parameters, key, value, error)) return false;
    const Count* found = nullptr;
    for (const Count& count : counts)
      if (count.key == key) found = &count;
    if (found == nullptr) {
      std::snprintf(error.text, sizeof error.text, "%.*s has no parameter '%.*s'; it has: %s",
                    static_cast<int>(strategy.size()), strategy.data(), static_cast<int>(key.size()), key.data(),
                    names);
      return false;
    }
    if (!parse_count(value, *found, error)) return false;
  }
  return true;
}

// An execution is cut off at a million events unless somebody allows more; a thousand times that is a typing error.
constexpr std::uint32_t max_length = 1000000000;

bool depth_fits(const std::optional<std::uint32_t>& depth, const std::optional<std::uint32_t>& length,
                SpecificationError& error) {
  if (!depth || !length || *depth <= *length) return true;
  std::snprintf(error.text, sizeof error.text, "d=%u is larger than k=%u: there are no %u events to draw", *depth,
                *length, *depth);
  return false;
}

Strategy* make_pct(std::string_view parameters, std::uint64_t seed, base::Arena& arena, SpecificationError& error) {
  PortfolioScope given{Member::pct, {}, {}, {}};
  const Count counts[] = {{"d", 1, PctStrategy::max_depth, given.depth}, {"k", 1, max_length, given.length}};
  if (!parse_counts("pct", "d, k", parameters, counts, error) || !depth_fits(given.depth, given.length, error))
    return nullptr;
  if (!given.depth || !given.length) return arena.create<Portfolio>(seed, given, arena);
  return arena.create<PctStrategy>(seed, PctStrategy::Parameters{*given.depth, given.length}, arena);
}

Strategy* make_pctwm(std::string_view parameters, std::uint64_t seed, base::Arena& arena, SpecificationError& error) {
  PortfolioScope given{Member::pctwm, {}, {}, {}};
  const Count counts[] = {{"d", 0, PctwmStrategy::max_depth, given.depth},
                          {"k", 1, max_length, given.length},
                          {"h", 1, max_length, given.history}};
  if (!parse_counts("pctwm", "d, k, h", parameters, counts, error) || !depth_fits(given.depth, given.length, error))
    return nullptr;
  if (!given.depth || !given.length || !given.history) return arena.create<Portfolio>(seed, given, arena);
  return arena.create<PctwmStrategy>(seed, PctwmStrategy::Parameters{*given.depth, given.length, *given.history},
                                     arena);
}

Strategy* make_pos(std::string_view parameters, std::uint64_t seed, base::Arena& arena, SpecificationError& error) {
  if (!parameters.empty()) {
    fail(error, "pos has no parameters, but was given '%.*s'", parameters);
    return nullptr;
  }
  return arena.create<PosStrategy>(seed, arena);
}

Strategy* make_auto(std::string_view parameters, std::uint64_t seed, base::Arena& arena, SpecificationError& error) {
  if (!parameters.empty()) {
    fail(error, "auto finds its parameters by itself, but was given '%.*s'", parameters);
    return nullptr;
  }
  return arena.create<Portfolio>(seed, PortfolioScope{}, arena);
}

}  // namespace

Strategy* make_strategy(std::string_view specification, std::uint64_t seed, base::Arena& arena,
                        SpecificationError& error) {
  const auto colon = specification.find(':');
  const std::string_view name = before(specification, colon);
  const std::string_view parameters = after(specification, colon);
  if (name == "auto") return make_auto(parameters, seed, arena, error);
  if (name == "random") return make_random(parameters, seed, arena, error);
  if (name == "pct") return make_pct(parameters, seed, arena, error);
  if (name == "pctwm") return make_pctwm(parameters, seed, arena, error);
  if (name == "pos") return make_pos(parameters, seed, arena, error);
  std::snprintf(error.text, sizeof error.text, "there is no strategy '%.*s'; the strategies are: %s, exhaustive",
                static_cast<int>(name.size()), name.data(), strategy_names());
  return nullptr;
}

const char* strategy_names() { return "auto, random, pct, pctwm, pos"; }

}  // namespace heddle::strategies
