#pragma once

#include <cstdint>

namespace heddle::campaign {

/// One of several campaigns that divide the executions between them: of each `count` executions, the one at `index`.
struct Shard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
  bool operator==(const Shard&) const = default;
};

}  // namespace heddle::campaign
