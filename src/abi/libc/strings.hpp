#pragma once

namespace heddle::abi {

/// Looks up the C library's memory and string functions in advance: a lookup during their first use could recurse.
void find_string_functions();

}  // namespace heddle::abi
