// What a strategy tells about itself. Each strategy's source file defines one StrategyDescriptor, and
// strategies/registry.cpp lists them. The parser of specifications, the portfolio behind `auto`, the learner, the
// reports and the help texts work from the descriptors alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/arena.hpp"

namespace heddle::strategies {

class Strategy;

/// A strategy has at most this many parameters.
inline constexpr std::size_t most_parameters = 12;
/// Executions choose between at most this many values of one parameter, and between at most this many strategies.
inline constexpr std::size_t most_values = 16;
/// The largest number of events that a parameter may name. By default an execution is cut off at a million events; a
/// thousand times that is a typing error.
inline constexpr double most_length = 1'000'000'000;

struct Parameter {
  enum class Type : std::uint8_t {
    whole_number,
    real_number,
    word,  ///< one of `words`; its value is the word's position
  };
  /// What the value says about an execution.
  enum class Role : std::uint8_t {
    plain,
    length,  ///< how many events count; learnt from Strategy::observation() of earlier executions
    depth,   ///< how many of the `length` events are drawn; never more than there are
  };

  const char* name;
  const char* help;
  Type type = Type::whole_number;
  Role role = Role::plain;
  double least = 0;
  double most = 0;
  /// The value of a specification that does not give one. Nothing: executions draw it from `values`, or learn it.
  std::optional<double> default_value = {};
  /// The values that `auto` draws from, in the order in which it tries them; at most most_values.
  std::span<const double> values = {};
  /// The weights of the first values in the first round. Values without a weight come into use when those before them
  /// pay: see strategies/learner.hpp.
  std::span<const std::uint8_t> first_weights = {};
  std::span<const char* const> words = {};
  /// Type::word: a word that gives no value, so that executions draw it from `values`. Null: there is none.
  const char* open_word = nullptr;
};

/// A value for each parameter of a strategy, in the order of its descriptor; nothing where no value is known.
struct ParameterValues {
  std::array<std::optional<double>, most_parameters> values{};

  std::optional<double>& operator[](std::size_t parameter) { return values[parameter]; }
  const std::optional<double>& operator[](std::size_t parameter) const { return values[parameter]; }
  bool empty() const {
    for (const auto& value : values)
      if (value) return false;
    return true;
  }
  std::uint32_t whole(std::size_t parameter) const { return static_cast<std::uint32_t>(*values[parameter]); }
  std::optional<std::uint32_t> known_whole(std::size_t parameter) const {
    return values[parameter] ? std::optional(whole(parameter)) : std::nullopt;
  }
};

struct StrategyDescriptor {
  const char* name;
  const char* help;  ///< one line
  std::span<const Parameter> parameters;
  std::uint8_t first_weight;    ///< of its executions in the first round of `auto`; 0: `auto` does not use it
  bool learns_threads = false;  ///< it uses and counts the events of threads: strategies/thread_counts.hpp
  bool uses_corpus = false;     ///< it continues earlier executions: strategies/corpus.hpp
  /// Makes the strategy in `arena`, which outlives executions. The caller sets its parameters afterwards.
  Strategy* (*make)(std::uint64_t seed, base::Arena& arena);

  /// The position of the parameter with this name, if there is one.
  std::optional<std::size_t> find(std::string_view parameter) const {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].name == parameter) return i;
    return std::nullopt;
  }
  /// The position of the parameter that has this role, if one has.
  std::optional<std::size_t> find(Parameter::Role role) const {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].role == role) return i;
    return std::nullopt;
  }
};

}  // namespace heddle::strategies
