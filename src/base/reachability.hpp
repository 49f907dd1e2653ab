// Which nodes of a growing graph lead to which: its transitive closure, kept as one bit set per node.
#pragma once

#include <bit>
#include <cstdint>

#include "base/arena.hpp"

namespace heddle::base {

class Reachability {
  using Word = std::uint64_t;
  static constexpr std::size_t word_bits = 64;

 public:
  /// Some of the nodes.
  class Set {
   public:
    /// Makes room for nodes below `nodes`.
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
    /// Both were cleared with the same number of nodes.
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

  /// A node without edges; its number is the size before.
  void add_node(Arena& arena) {
    if (size_ == width_ * word_bits) widen(arena);
    rows_.resize(arena, (size_ + 1) * width_);
    ++size_;
  }

  /// By one edge or more.
  bool leads(std::size_t from, std::size_t to) const { return (row(to)[from / word_bits] & bit(from)) != 0; }

  /// The same for a node of `from`, or if `to` itself is one of them.
  bool leads(const Set& from, std::size_t to) const {
    if (from.contains(to)) return true;
    for (std::size_t i = 0; i < from.words_.size(); ++i)
      if ((from.words_[i] & row(to)[i]) != 0) return true;
    return false;
  }

  void add_edge(std::size_t from, std::size_t to) {
    if (leads(from, to)) return;
    for (std::size_t node = 0; node < size_; ++node)
      if (node == to || leads(to, node)) inherit(from, node);
  }
  /// To the newest node, which leads nowhere yet.
  void add_edge_to_newest(std::size_t from) { inherit(from, size_ - 1); }

 private:
  static constexpr Word bit(std::size_t node) { return Word{1} << (node % word_bits); }
  Word* row(std::size_t node) { return rows_.begin() + node * width_; }
  const Word* row(std::size_t node) const { return rows_.begin() + node * width_; }

  /// Whatever leads to `from`, and `from` itself, leads to `to`.
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

  ArenaVector<Word> rows_;  ///< of every node, from where it is reached
  std::size_t width_ = 0;   ///< words of a row
  std::size_t size_ = 0;
};

}  // namespace heddle::base
