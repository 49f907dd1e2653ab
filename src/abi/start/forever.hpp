#pragma once

#include "base/arena.hpp"

namespace heddle::abi {

/// Memory of the runtime that is never freed. Usable from the first call on, also before constructors have run.
base::Arena& forever();

}  // namespace heddle::abi
