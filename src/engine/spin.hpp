// Recognises spin loops: a thread that reads the same values at the same places again, with no effect in
// between, waits for another thread. The reads of a thread since its last effect are kept in a short ring; when
// the newest `period` of them repeat the `period` before, the loop body is known, and with it what is awaited.
//
// A loop that merely counts looks the same (its counter is local and invisible). So being recognised never
// decides anything: it only lets other threads go first, see SpinParking::resolve_stuck.
#pragma once

#include <cstdint>

#include "graph/event.hpp"

namespace heddle::engine {

class SpinDetector {
 public:
  struct Read {
    std::uint64_t site = 0;
    graph::LocationId location = graph::no_location;
    graph::Value value = 0;
    graph::EventId write = graph::no_event;
  };
  static constexpr std::uint32_t longest_period = 16;

  /// Something changed: earlier reads are no part of a loop.
  void forget_reads() { count_ = period_ = 0; }
  /// No loop is recognised during the next `reads` reads.
  void grant_immunity(std::uint32_t reads) {
    forget_reads();
    immunity_ = reads;
  }
  void reset() {
    forget_reads();
    immunity_ = 0;
  }

  void read(const Read& read) {
    if (immunity_ != 0) {
      --immunity_;
      return;
    }
    ring_[count_++ % ring_size] = read;
    period_ = count_ < 2 ? 0 : find_period();
  }

  /// Calls visit(Read&) for every read that is remembered.
  template <typename Visitor>
  void for_each_read(Visitor visit) {
    for (std::uint32_t i = 0; i < count_ && i < ring_size; ++i) visit(ring_[(count_ - 1 - i) % ring_size]);
  }

  /// The thread is in a recognised loop.
  bool is_spinning() const { return period_ != 0; }
  /// The reads of the loop's body.
  std::uint32_t body_size() const { return period_; }
  const Read& body(std::uint32_t i) const { return ring_[(count_ - 1 - i) % ring_size]; }

 private:
  static constexpr std::uint32_t ring_size = 2 * longest_period;

  static bool same(const Read& a, const Read& b) {
    return a.site == b.site && a.location == b.location && a.value == b.value;
  }
  [[gnu::noinline]] std::uint32_t find_period() const {
    for (std::uint32_t period = 1; period <= longest_period && 2 * period <= count_; ++period) {
      bool repeats = true;
      for (std::uint32_t i = 0; i < period && repeats; ++i)
        repeats = same(ring_[(count_ - 1 - i) % ring_size], ring_[(count_ - 1 - i - period) % ring_size]);
      if (repeats) return period;
    }
    return 0;
  }

  Read ring_[ring_size];
  std::uint32_t count_ = 0;
  std::uint32_t period_ = 0;
  std::uint32_t immunity_ = 0;
};

}  // namespace heddle::engine
