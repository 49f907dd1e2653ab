// A place in a file, for messages about what is wrong there.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace heddle::litmus {

struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// "SB.litmus:3:7: message", as compilers write it.
inline Problem problem_at(const std::string& file, Position at, const std::string& message) {
  return usage_problem(file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + message);
}

}  // namespace heddle::litmus
