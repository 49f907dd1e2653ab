#pragma once

#include "engine/heap.hpp"

namespace heddle::abi {

/// The heap of malloc. Usable from the first allocation on, which is before main.
engine::Heap& program_heap();

}  // namespace heddle::abi
