// Binary relations over the events of a graph, with the operators of the literature, so that check() can state axioms
// as the papers do. For whole-graph checks only: n events cost n*n bits.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"

namespace heddle::graph {

class Relation {
 public:
  Relation(base::Arena& arena, std::size_t size)
      : arena_(&arena), size_(size), words_((size + 63) / 64), bits_(arena.create_array<std::uint64_t>(size * words_)) {
  }

  std::size_t size() const { return size_; }
  bool has(std::size_t a, std::size_t b) const { return (row(a)[b / 64] >> (b % 64)) & 1; }
  void add(std::size_t a, std::size_t b) { row(a)[b / 64] |= std::uint64_t{1} << (b % 64); }

  /// Adds every pair that `holds` accepts.
  template <typename Predicate>
  Relation& fill(Predicate holds) {
    for (std::size_t a = 0; a < size_; ++a)
      for (std::size_t b = 0; b < size_; ++b)
        if (holds(a, b)) add(a, b);
    return *this;
  }

  friend Relation operator|(const Relation& r, const Relation& s) {
    return combine(r, s, [](std::uint64_t x, std::uint64_t y) { return x | y; });
  }
  friend Relation operator&(const Relation& r, const Relation& s) {
    return combine(r, s, [](std::uint64_t x, std::uint64_t y) { return x & y; });
  }
  /// Set difference, written \ in the papers.
  friend Relation operator-(const Relation& r, const Relation& s) {
    return combine(r, s, [](std::uint64_t x, std::uint64_t y) { return x & ~y; });
  }
  /// Sequential composition, written ; in the papers.
  friend Relation operator*(const Relation& r, const Relation& s) {
    Relation result(*r.arena_, r.size_);
    for (std::size_t a = 0; a < r.size_; ++a)
      for (std::size_t b = 0; b < r.size_; ++b)
        if (r.has(a, b))
          for (std::size_t w = 0; w < r.words_; ++w) result.row(a)[w] |= s.row(b)[w];
    return result;
  }
  Relation inverse() const {
    Relation result(*arena_, size_);
    return result.fill([this](std::size_t a, std::size_t b) { return has(b, a); });
  }
  /// r? : r or the same event.
  Relation maybe() const {
    Relation result = *this | Relation(*arena_, size_);
    for (std::size_t a = 0; a < size_; ++a) result.add(a, a);
    return result;
  }
  /// r+ : Warshall's closure, a word at a time.
  Relation plus() const {
    Relation result = *this | Relation(*arena_, size_);
    for (std::size_t k = 0; k < size_; ++k)
      for (std::size_t a = 0; a < size_; ++a)
        if (result.has(a, k))
          for (std::size_t w = 0; w < words_; ++w) result.row(a)[w] |= result.row(k)[w];
    return result;
  }
  /// r* : r+ or the same event.
  Relation star() const { return plus().maybe(); }

  bool is_irreflexive() const {
    for (std::size_t a = 0; a < size_; ++a)
      if (has(a, a)) return false;
    return true;
  }
  bool is_acyclic() const { return plus().is_irreflexive(); }
  bool is_empty() const {
    for (std::uint64_t word : bits_)
      if (word != 0) return false;
    return true;
  }

 private:
  std::uint64_t* row(std::size_t a) { return bits_.data() + a * words_; }
  const std::uint64_t* row(std::size_t a) const { return bits_.data() + a * words_; }

  template <typename Operator>
  static Relation combine(const Relation& r, const Relation& s, Operator op) {
    Relation result(*r.arena_, r.size_);
    for (std::size_t i = 0; i < r.bits_.size(); ++i) result.bits_[i] = op(r.bits_[i], s.bits_[i]);
    return result;
  }

  base::Arena* arena_;
  std::size_t size_;
  std::size_t words_;
  std::span<std::uint64_t> bits_;
};

}  // namespace heddle::graph
