#pragma once

namespace heddle::abi {

/// Looks the C library's memory and string functions up, so that nobody has to in the middle of something.
void find_string_functions();

}  // namespace heddle::abi
