// A strategy with its parameters, as --strategy, heddle::Options and traces write it: NAME or NAME:key=value,...
// The text is parsed once, at the edge of a process; everything behind it uses the typed StrategySpecification.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "strategies/exhaustive.hpp"
#include "strategies/registry.hpp"

namespace heddle::strategies {

/// What is wrong with a specification, and what to write instead: a sentence.
struct SpecificationError {
  char text[256] = {};
};

/// A specification as text, which parse_strategy() reads back.
struct SpecificationText {
  char text[128] = {};
};

struct StrategySpecification {
  enum class Kind : std::uint8_t {
    automatic,   ///< `auto`: every registered strategy, with parameters that are learnt
    sampling,    ///< one registered strategy
    exhaustive,  ///< every execution graph
  };

  Kind kind = Kind::automatic;
  const StrategyDescriptor* strategy = nullptr;  ///< null for automatic
  ParameterValues given;                         ///< the values that the text gives

  bool is_exhaustive() const { return kind == Kind::exhaustive; }
  /// Do executions use what earlier executions showed, for some of the parameters or for the events of threads?
  bool learns() const;
  /// How far the exhaustive search goes; the defaults, if the strategy is another one.
  SearchBounds bounds() const { return is_exhaustive() ? search_bounds(given) : SearchBounds{}; }
  /// Without the parameters that have their default value.
  SpecificationText to_text() const;
};

/// Nothing, and the reason in `error`, if `text` is not a specification.
std::optional<StrategySpecification> parse_strategy(std::string_view text, SpecificationError& error);

/// The exhaustive search that the text names, with the parameter of this name set to 1. Nothing if that is so already,
/// or if the text names no exhaustive search.
std::optional<StrategySpecification> search_with(std::string_view text, std::string_view name);

/// Does the text name the exhaustive search? The parameters may be wrong.
bool is_exhaustive(std::string_view text);

/// Makes a strategy that is not exhaustive, in `arena`, which outlives executions.
Strategy* make_strategy(const StrategySpecification& specification, std::uint64_t seed, base::Arena& arena);

/// "auto, random, ..., exhaustive": for messages and help texts.
SpecificationText strategy_names();

}  // namespace heddle::strategies
