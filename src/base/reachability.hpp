// The transitive closure of a growing graph, as one bit set per node.
#pragma once

#include <bit>
#include <cstdint>

#include "base/arena.hpp"

namespace heddle::base {

class Reachability {
  using Word = std::uint64_t;
  static constexpr std::size_t word_bits = 64;

 public:
  /// A set of nodes.
  class Set {
   public:
    /// Empties the set and makes room for nodes below `nodes`.
    void clear(Arena& arena, std::size_t nodes) {
      words_.resize(arena, (nodes + word_bits - 1) / word_bits);
      for (Word& word : words_) word = 0;
      any_ = false;
    }
    void add(std::size_t node) {
      words_[node / word_bits] |= bit(node);
      any_ = true;
    }
    bool contains(std::size_t node) const { return (words_[node / word_bits] & bit(node)) != 0; }
    bool empty() const { return !any_; }
    /// Whether the sets have a node in common. Both must have been cleared with the same number of nodes.
    bool meets(const Set& other) const {
      for (std::size_t i = 0; i < words_.size(); ++i)
        if ((words_[i] & other.words_[i]) != 0) return true;
      return false;
    }
    void forget() { *this = {}; }

   private:
    friend class Reachability;
    ArenaVector<Word> words_;
    bool any_ = false;
  };

  std::size_t size() const { return size_; }
  void forget() { *this = {}; }

  /// Adds a node without edges. Its number is size() before the call.
  void add_node(Arena& arena) {
    if (size_ == width_ * word_bits) widen(arena);
    rows_.resize(arena, (size_ + 1) * width_);
    ++size_;
  }

  /// Whether a path of at least one edge leads from `from` to `to`.
  bool leads(std::size_t from, std::size_t to) const { return (row(to)[from / word_bits] & bit(from)) != 0; }

  /// Whether `to` is in the set `from`, or a path leads to it from a node of the set.
  bool leads(const Set& from, std::size_t to) const {
    if (from.contains(to)) return true;
    for (std::size_t i = 0; i < from.words_.size(); ++i)
      if ((from.words_[i] & row(to)[i]) != 0) return true;
    return false;
  }

  /// Adds edges to all nodes of a set. None of them may lead to `from`.
  void add_edges(std::size_t from, const Set& to) {
    for (std::size_t node = 0; node < size_; ++node)
      if (leads(to, node)) inherit(from, node);
  }
  /// Adds an edge to the newest node, which must have no outgoing edges yet.
  void add_edge_to_newest(std::size_t from) { inherit(from, size_ - 1); }

 private:
  static constexpr Word bit(std::size_t node) { return Word{1} << (node % word_bits); }
  Word* row(std::size_t node) { return rows_.begin() + node * width_; }
  const Word* row(std::size_t node) const { return rows_.begin() + node * width_; }

  /// Records that `from`, and every node with a path to `from`, has a path to `to`.
  void inherit(std::size_t from, std::size_t to) {
    for (std::size_t i = 0; i < width_; ++i) row(to)[i] |= row(from)[i];
    row(to)[from / word_bits] |= bit(from);
  }

  void widen(Arena& arena) {
    const std::size_t width = width_ == 0 ? 1 : 2 * width_;
    ArenaVector<Word> rows;
    rows.resize(arena, size_ * width);
    for (std::size_t node = 0; node < size_; ++node)
      for (std::size_t i = 0; i < width_; ++i) rows[node * width + i] = row(node)[i];
    rows_ = rows;
    width_ = width;
  }

  ArenaVector<Word> rows_;  ///< row of a node: the nodes with a path to it
  std::size_t width_ = 0;   ///< words of a row
  std::size_t size_ = 0;
};

}  // namespace heddle::base
