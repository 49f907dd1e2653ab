#pragma once

#include <string_view>

#include "litmus/test.hpp"
#include "litmus/token_stream.hpp"

namespace heddle::litmus {

/// The location with this name; added, with the value 0, if it is new.
std::uint32_t location_named(Test& test, std::string_view name);

/// Parses "(parameters) { body }" into the last thread of `test`.
void parse_thread(TokenStream& tokens, Test& test);

}  // namespace heddle::litmus
