// Recognises spin loops: a thread that reads the same values at the same places again, with no effect in
// between, waits for another thread. The reads of a thread since its last effect are kept in a short ring; when
// the newest `period` of them repeat the `period` before, the loop body is known, and with it what is awaited.
//
// A loop that merely counts, or that makes progress in the kernel or in the C library, looks the same. So being
// recognised never decides anything: it only lets other threads go first for a while, see SpinParking.
#pragma once

#include <cstdint>

#include "graph/event.hpp"

namespace heddle::engine {

class SpinDetector {
 public:
  /// A read of an atomic location, or of volatile memory, which has an address instead of a location and a write.
  struct Read {
    std::uint64_t site = 0;
    graph::LocationId location = graph::no_location;
    graph::EventId write = graph::no_event;
    graph::Value value = 0;
    std::uintptr_t address = 0;
    std::uint64_t size = 0;
    std::uintptr_t frame = 0;  ///< volatile memory: of the function. A recursion that reads is no loop.

    bool is_volatile() const { return location == graph::no_location; }
  };
  static constexpr std::uint32_t longest_period = 16;

  /// Something changed: earlier reads do not belong to a loop.
  void forget_reads() {
    count_ = 0;
    period_ = 0;
    observed_by_ = 0;
    times_released_ = 0;
  }
  /// Whether the thread had no effect since the last call for the same purpose.
  enum class Purpose : std::uint8_t { clock = 1, vain_try = 2 };
  bool had_no_effect(Purpose purpose) {
    const auto bit = static_cast<std::uint8_t>(purpose);
    const bool had_none = (observed_by_ & bit) != 0;
    observed_by_ |= bit;
    return had_none;
  }
  /// No loop is recognised during the next `reads` reads.
  void grant_immunity(std::uint32_t reads) {
    count_ = 0;
    period_ = 0;
    immunity_ = reads;
  }
  /// How often the thread was parked in this loop and then ran again, although nothing had changed.
  std::uint32_t times_released() const { return times_released_; }
  void count_release() {
    if (times_released_ != most_releases) ++times_released_;
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
    period_ = count_ < 2 ? std::uint8_t{0} : find_period();
  }

  /// Calls visit(Read&) for every read that is remembered.
  template <typename Visitor>
  void for_each_read(Visitor visit) {
    for (std::uint32_t i = 0; i < count_ && i < ring_size; ++i) visit(ring_[(count_ - 1 - i) % ring_size]);
  }
  template <typename Visitor>
  void for_each_read(Visitor visit) const {
    for (std::uint32_t i = 0; i < count_ && i < ring_size; ++i) visit(ring_[(count_ - 1 - i) % ring_size]);
  }

  /// The thread is in a recognised loop.
  bool is_spinning() const { return period_ != 0; }
  /// The reads of the loop's body.
  std::uint32_t body_size() const { return period_; }
  const Read& body(std::uint32_t i) const { return ring_[(count_ - 1 - i) % ring_size]; }

 private:
  static constexpr std::uint32_t ring_size = 2 * longest_period;
  static constexpr std::uint16_t most_releases = 0xffff;

  static bool same(const Read& a, const Read& b) {
    return a.site == b.site && a.location == b.location && a.value == b.value && a.address == b.address &&
           a.frame == b.frame;
  }
  [[gnu::noinline]] std::uint8_t find_period() const {
    for (std::uint8_t period = 1; period <= longest_period && 2 * period <= count_; ++period) {
      bool repeats = true;
      for (std::uint32_t i = 0; i < period && repeats; ++i)
        repeats = same(ring_[(count_ - 1 - i) % ring_size], ring_[(count_ - 1 - i - period) % ring_size]);
      if (repeats) return period;
    }
    return 0;
  }

  Read ring_[ring_size];
  // The first four are reset at every effect of the thread: one word.
  std::uint32_t count_ = 0;
  std::uint8_t period_ = 0;
  std::uint8_t observed_by_ = 0;  ///< for which purposes had_no_effect() was called since the last effect
  std::uint16_t times_released_ = 0;
  std::uint32_t immunity_ = 0;
};

}  // namespace heddle::engine
