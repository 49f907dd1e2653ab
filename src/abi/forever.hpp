#pragma once

#include "base/arena.hpp"

namespace heddle::abi {

/// Memory of the runtime that is never given back; there from the first call on.
base::Arena& forever();

}  // namespace heddle::abi
