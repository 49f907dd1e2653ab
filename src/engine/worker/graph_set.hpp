// The execution graphs that a worker has met, by hash, each with the number of its record. Open addressing; 0 is an
// empty place, so no graph has the hash 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.hpp"

namespace heddle::engine {

class GraphSet {
 public:
  static constexpr std::uint64_t no_record = ~std::uint64_t{0};

  explicit GraphSet(base::Arena& arena) : arena_(arena), table_(arena.create_array<Entry>(4096)) {}

  struct Added {
    bool is_new;
    std::uint64_t record;  ///< that the graph got when it was added
  };
  Added add(std::uint64_t hash, std::uint64_t record) {
    if ((count_ + 1) * 2 > table_.size()) grow();
    return insert(hash, record);
  }
  /// Returns true if the hash is new.
  bool add(std::uint64_t hash) { return add(hash, no_record).is_new; }
  bool contains(std::uint64_t hash) const {
    std::size_t place = hash & (table_.size() - 1);
    for (; table_[place].hash != 0; place = (place + 1) & (table_.size() - 1))
      if (table_[place].hash == hash) return true;
    return false;
  }
  bool is_empty() const { return count_ == 0; }
  void clear() {
    count_ = 0;
    for (Entry& entry : table_) entry = {};
  }

 private:
  struct Entry {
    std::uint64_t hash;
    std::uint64_t record;
  };

  Added insert(std::uint64_t hash, std::uint64_t record) {
    std::size_t place = hash & (table_.size() - 1);
    for (; table_[place].hash != 0; place = (place + 1) & (table_.size() - 1))
      if (table_[place].hash == hash) return {false, table_[place].record};
    table_[place] = {hash, record};
    ++count_;
    return {true, record};
  }
  void grow() {
    const auto old = table_;
    table_ = arena_.create_array<Entry>(old.size() * 2);
    count_ = 0;
    for (const Entry& entry : old)
      if (entry.hash != 0) insert(entry.hash, entry.record);
  }

  base::Arena& arena_;
  std::span<Entry> table_;
  std::size_t count_ = 0;
};

}  // namespace heddle::engine
