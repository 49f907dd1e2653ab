// The accesses of a trace, reduced to what decides whether they form a cycle. Accesses of one thread with the same
// label, location, kind, locks and place between thread starts and joins are one class. So a loop of a million
// iterations is as large as one of two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "prediction/trace.hpp"

namespace heddle::prediction {

struct AccessClass {
  std::uint32_t thread = 0;  ///< numbered from 0, without gaps
  std::uint32_t segment = 0;
  std::uint32_t label = 0;
  std::uint32_t locks = 0;  ///< a set of locks, numbered
  std::uint64_t location = 0;
  bool writes = false;
  std::size_t first = 0;  ///< positions of its first and its last access in the trace
  std::size_t last = 0;
};

class AccessClasses {
 public:
  explicit AccessClasses(const Trace& trace);

  /// Only classes that conflict with another one.
  std::span<const AccessClass> all() const { return classes_; }
  std::size_t threads() const { return of_thread_.size(); }
  /// Numbers of the classes of a thread.
  std::span<const std::uint32_t> of_thread(std::uint32_t thread) const { return of_thread_[thread]; }
  /// Numbers of the classes that conflict with class `number`.
  std::span<const std::uint32_t> conflicts(std::uint32_t number) const { return conflicts_[number]; }
  /// Whether two accesses are in a potential data race: different threads, the same location, at least one write, no
  /// common lock, and not ordered by the start or the end of a thread.
  bool conflict(std::uint32_t a, std::uint32_t b) const;
  /// Whether an access of class `a` is before one of class `b` in program order.
  bool in_program_order(std::uint32_t a, std::uint32_t b) const {
    return classes_[a].thread == classes_[b].thread && classes_[a].first < classes_[b].last;
  }

 private:
  struct HeldLock {
    std::uint64_t lock;
    bool is_shared;
    std::uint32_t depth;
    auto operator<=>(const HeldLock&) const = default;
  };
  /// A part of a thread between two steps that order threads, and what happens before it: of each thread, the segments
  /// below this number.
  struct Segment {
    std::uint32_t number = 0;
    std::vector<std::uint32_t> before;
  };
  class Builder;

  bool may_race(const AccessClass& a, const AccessClass& b) const;
  bool is_ordered(const AccessClass& a, const AccessClass& b) const;
  bool protect(std::uint32_t locks, std::uint32_t other_locks) const;
  void find_conflicts();

  std::vector<AccessClass> classes_;
  std::vector<std::vector<std::uint32_t>> of_thread_;
  std::vector<std::vector<std::uint32_t>> conflicts_;
  std::vector<std::vector<HeldLock>> lock_sets_;
  std::vector<std::vector<Segment>> segments_;  ///< of each thread
};

}  // namespace heddle::prediction
