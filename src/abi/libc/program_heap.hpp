#pragma once

#include "engine/isolation/heap.hpp"

namespace heddle::abi {

/// The heap of malloc. Usable from the first allocation on, which is before main.
engine::Heap& program_heap();
/// The heap of the C library's own allocations. It is reset together with the library's variables.
engine::Heap& library_heap();

}  // namespace heddle::abi
