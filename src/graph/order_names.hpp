#pragma once

#include <cstddef>

#include "graph/event.hpp"

namespace heddle::graph {

inline constexpr const char* order_names[] = {"plain",   "relaxed", "consume", "acquire",
                                              "release", "acq_rel", "seq_cst"};

/// As in the source: "relaxed", "acq_rel"; "plain" for an access that is not atomic.
constexpr const char* order_name(MemoryOrder order) { return order_names[static_cast<std::size_t>(order)]; }

}  // namespace heddle::graph
