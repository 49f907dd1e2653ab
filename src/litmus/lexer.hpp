// The words of a litmus file, each with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "litmus/position.hpp"

namespace heddle::litmus {

struct Token {
  enum class Kind : std::uint8_t { word, number, symbol, text, end };
  Kind kind = Kind::end;
  std::string_view spelling;  ///< into the file's text
  std::int64_t number = 0;
  Position at;
};

/// Everything from `start` on; the last token is `end`. Comments are left out: /* */, // and, with a blank
/// after the star, (* *).
Result<std::vector<Token>> tokenize(std::string_view text, std::size_t start, Position at, const std::string& file);

}  // namespace heddle::litmus
