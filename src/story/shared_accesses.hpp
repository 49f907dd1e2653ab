// Which plain accesses of an execution matter to a story: most are of memory that one thread uses alone.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "story/log_records.hpp"

namespace heddle::story {

/// The positions in `records.plain` of the accesses to keep, ascending: those to bytes that several threads access, if
/// one of them writes, and the allocations and frees of blocks that hold such bytes or atomics. `is_library_code` says
/// whether the function of an access belongs to the C++ library: such accesses are kept only if they race.
std::vector<std::size_t> shared_accesses(const LogRecords& records,
                                         const std::function<bool(const PlainRecord&)>& is_library_code);

}  // namespace heddle::story
