// A hash table from program addresses to whatever this execution keeps for them. Entries carry the number of
// the execution, so that a new one starts empty without clearing.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"

namespace heddle::engine {

template <typename T>
class AddressMap {
 public:
  explicit AddressMap(base::Arena& forever) : arena_(forever), table_(forever.create_array<Entry>(1024)) {}

  void begin_execution(std::uint32_t execution) {
    execution_ = execution;
    count_ = 0;
  }

  /// The value at this address, or null.
  T* find(std::uintptr_t address) {
    for (std::size_t slot = slot_of(address);; slot = (slot + 1) & (table_.size() - 1)) {
      Entry& entry = table_[slot];
      if (entry.execution != execution_) return nullptr;
      if (entry.address == address && entry.present) return &entry.value;
    }
  }
  /// Nothing is at this address yet.
  T& add(std::uintptr_t address, const T& value) {
    if ((count_ + 1) * 2 > table_.size()) grow();
    Entry& entry = *free_entry(address);
    if (entry.execution != execution_) ++count_;
    entry = {address, execution_, true, value};
    return entry.value;
  }
  template <typename Visitor>
  void for_each(Visitor visit) {
    for (Entry& entry : table_)
      if (entry.execution == execution_ && entry.present) visit(entry.value);
  }
  void remove(std::uintptr_t address) {
    for (std::size_t slot = slot_of(address);; slot = (slot + 1) & (table_.size() - 1)) {
      Entry& entry = table_[slot];
      if (entry.execution != execution_) return;
      if (entry.address != address || !entry.present) continue;
      entry.present = false;  // the place stays taken, so that entries behind it are still found
      return;
    }
  }

 private:
  struct Entry {
    std::uintptr_t address = 0;
    std::uint32_t execution = 0;
    bool present = false;
    T value{};
  };

  std::size_t slot_of(std::uintptr_t address) const {
    return (address * 0x9e3779b97f4a7c15ULL >> 32) & (table_.size() - 1);
  }
  /// Prefers the place of a removed entry: adding and removing at one address does not make probe sequences longer.
  Entry* free_entry(std::uintptr_t address) {
    std::size_t slot = slot_of(address);
    while (table_[slot].execution == execution_ && table_[slot].present) slot = (slot + 1) & (table_.size() - 1);
    return &table_[slot];
  }
  /// Moves the present entries to another table. If most entries were removed ones, the table need not be larger, and
  /// the old one is kept for the next time, so adding and removing for ever takes no more room.
  void grow() {
    std::size_t present = 0;
    for (const Entry& entry : table_) present += entry.execution == execution_ && entry.present ? 1 : 0;
    const std::span<Entry> old = table_;
    const std::size_t size = present * 4 < old.size() ? old.size() : old.size() * 2;
    if (spare_.size() == size) {
      table_ = spare_;
      for (Entry& entry : table_) entry.execution = 0;
    } else {
      table_ = arena_.create_array<Entry>(size);
    }
    spare_ = old;
    count_ = present;
    for (const Entry& entry : old)
      if (entry.execution == execution_ && entry.present) *free_entry(entry.address) = entry;
  }

  base::Arena& arena_;
  std::span<Entry> table_;
  std::span<Entry> spare_;
  std::uint32_t execution_ = 0;
  std::size_t count_ = 0;
};

}  // namespace heddle::engine
