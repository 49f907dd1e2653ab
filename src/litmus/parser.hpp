// Reads herd's C litmus format.
#pragma once

#include <string>
#include <string_view>

#include "litmus/position.hpp"
#include "litmus/test.hpp"

namespace heddle::litmus {

/// `file` is only named in errors.
Result<Test> parse_test(std::string_view text, const std::string& file);
Result<Test> read_test(const std::string& file);

}  // namespace heddle::litmus
