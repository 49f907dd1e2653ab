// What a client of a data structure saw: its calls, their order, and the sequential type that should explain them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::linearizability {

/// A set of calls, a bit for each.
using CallSet = std::uint64_t;
inline constexpr std::size_t most_calls = 64;

constexpr CallSet only(std::size_t call) { return CallSet{1} << call; }
constexpr CallSet first_calls(std::size_t count) { return count == most_calls ? ~CallSet{0} : only(count) - 1; }

/// For each call, the calls that come before it in every order that may explain the history. Transitive and acyclic.
using History = std::span<const CallSet>;

/// The sequential type, and the results that the calls had.
class Specification {
 public:
  using State = void*;

  virtual State make() = 0;
  virtual State copy(State state) = 0;
  virtual void destroy(State state) = 0;
  /// States that are equal explain the same calls.
  virtual bool equal(State a, State b) = 0;
  /// Equal states have the same hash.
  virtual std::uint64_t hash(State state) = 0;

  enum class Step {
    allowed,  ///< the call returns what it returned in the history
    refused,  ///< it returns something else
    none,     ///< there is no such way
  };
  /// Makes the call. A type that leaves something open has several ways, counted from 0. The state is indeterminate
  /// after Step::none.
  virtual Step apply(State state, std::uint32_t call, std::uint32_t way) = 0;

 protected:
  ~Specification() = default;
};

}  // namespace heddle::linearizability
