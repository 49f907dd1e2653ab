// How far the exhaustive search goes, as its specification says: "exhaustive", or "exhaustive:loop=3,events=100".
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::exploration {

inline constexpr std::string_view strategy_name = "exhaustive";

struct Bounds {
  std::uint64_t events = 0;    ///< of one execution; 0: no bound
  std::uint64_t loop = 0;      ///< how often a thread comes to one place; 0: no bound
  std::uint64_t spurious = 1;  ///< how often a thread wakes for no reason, or gives up a timed wait
  std::uint64_t values = 4;    ///< how many values a number that nobody determines may have
  std::uint64_t symmetry = 0;  ///< 1: of executions that differ in who of equal threads did what, one is enough
};

/// Is it "exhaustive", with or without parameters?
bool is_exhaustive(std::string_view specification);
/// Null, or what is wrong with its parameters.
const char* parse_bounds(std::string_view specification, Bounds& bounds);

}  // namespace heddle::exploration
