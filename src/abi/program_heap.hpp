#pragma once

#include "engine/heap.hpp"

namespace heddle::abi {

/// The heap behind malloc: there from the first allocation on, long before main.
engine::Heap& program_heap();

}  // namespace heddle::abi
