// Functions of the C library that heddle does not take over, and need not: they access no memory of the program, or
// only memory that no other thread uses.
#pragma once

namespace heddle::engine {

bool is_harmless_function(const char* name);

}  // namespace heddle::engine
