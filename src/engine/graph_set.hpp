// The hashes of the execution graphs that a worker has met. Open addressing; 0 is an empty place, so no graph has the
// hash 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.hpp"

namespace heddle::engine {

class GraphSet {
 public:
  explicit GraphSet(base::Arena& arena) : arena_(arena), table_(arena.create_array<std::uint64_t>(4096)) {}

  /// Returns true if the hash is new.
  bool add(std::uint64_t hash) {
    if ((count_ + 1) * 2 > table_.size()) grow();
    return insert(hash);
  }
  bool contains(std::uint64_t hash) const {
    std::size_t place = hash & (table_.size() - 1);
    for (; table_[place] != 0; place = (place + 1) & (table_.size() - 1))
      if (table_[place] == hash) return true;
    return false;
  }
  void clear() {
    count_ = 0;
    for (std::uint64_t& hash : table_) hash = 0;
  }

 private:
  bool insert(std::uint64_t hash) {
    std::size_t place = hash & (table_.size() - 1);
    for (; table_[place] != 0; place = (place + 1) & (table_.size() - 1))
      if (table_[place] == hash) return false;
    table_[place] = hash;
    ++count_;
    return true;
  }
  void grow() {
    const auto old = table_;
    table_ = arena_.create_array<std::uint64_t>(old.size() * 2);
    count_ = 0;
    for (const std::uint64_t hash : old)
      if (hash != 0) insert(hash);
  }

  base::Arena& arena_;
  std::span<std::uint64_t> table_;
  std::size_t count_ = 0;
};

}  // namespace heddle::engine
