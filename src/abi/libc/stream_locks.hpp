// The locks of the C library's streams.
#pragma once

#include <stdio.h>

namespace heddle::abi {

/// Frees the C library's own lock of the stream, whichever thread has taken it.
void free_real_lock(FILE* stream);

}  // namespace heddle::abi
