// Virtual time, and which waits have ended early: what a thread sees of clocks depends on the schedule alone.
#pragma once

#include <cstdint>

#include "base/hash.hpp"
#include "channel/finding_record.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/operations/sync_object.hpp"
#include "engine/threads/thread_table.hpp"

namespace heddle::engine {

using channel::EarlyEnd;

class VirtualTime {
 public:
  explicit VirtualTime(ThreadTable& threads) : threads_(threads) {}

  void configure(const ExecutionPolicy& policy) {
    is_per_thread_ = policy.clock_per_thread;
    tick_ = policy.strict_time ? 0 : ClockReads::tick;
    was_read_ = false;
  }
  void begin_execution() {
    shared_ = 0;
    early_end_ = last_wait_ = {};
    mark_ = 0;
  }

  // ---- clocks -----------------------------------------------------------------------------------------------
  /// Virtual nanoseconds since the execution began, for the current thread.
  std::uint64_t now() const { return is_per_thread_ ? threads_.current().now : shared_; }
  /// The time that an event takes. With strict time, events take none.
  void tick() { clock() += tick_; }
  void advance_by(std::uint64_t nanoseconds) { clock() += nanoseconds; }
  void advance_to(std::uint64_t time) {
    if (clock() < time) clock() = time;
  }
  /// The clock of all threads, for waits with a deadline. Searches have none: each thread has a clock there.
  std::uint64_t shared() const { return shared_; }
  void advance_shared_to(std::uint64_t time) {
    if (shared_ < time) shared_ = time;
  }
  void mark_read() { was_read_ = true; }
  /// True if a thread has read a clock since configure().
  bool was_read() const { return was_read_; }

  // ---- waits that end early ---------------------------------------------------------------------------------
  /// The longest sleep or timed wait of this execution that ended although another thread could run. If there was
  /// none: a spurious wake-up.
  const EarlyEnd& early_end() const { return early_end_; }
  void record_early_end(const EarlyEnd& wait) {
    // Of several waits, the longest counts. Which of equal ones a finding needs is not known.
    if (wait.nanoseconds == early_end_.nanoseconds && wait.kind == early_end_.kind && wait.place != early_end_.place)
      early_end_.place = 0;
    if (wait.nanoseconds > early_end_.nanoseconds) early_end_ = wait;
  }
  /// The current thread wakes, or will wake, from its wait for the object for no reason.
  void record_spurious_wake_up(const SyncObject& object, std::uint64_t site) {
    record_early_end({EarlyEnd::Kind::spurious_wake_up, 1, place_of_wait(object.address, site)});
  }
  /// The wait ended when no other thread could run, after so many events: stores before had time to become visible.
  void record_long_wait(const EarlyEnd& wait, std::size_t events) {
    last_wait_ = wait;
    mark_ = events;
  }
  /// The number of events when time last passed while no thread could run. Stores before it have had time to become
  /// visible to all threads. 0: not yet.
  std::size_t mark() const { return mark_; }
  void set_mark(std::size_t events) { mark_ = events; }
  /// The current thread has read a value that was overwritten before mark(): as if its last wait had been over before.
  [[gnu::cold, gnu::noinline]] void record_outdated_read() { record_early_end(last_wait_); }
  /// A wait through a library has the library's site: the object tells waits apart.
  static std::uint64_t place_of_wait(std::uintptr_t object, std::uint64_t site) {
    return base::hash_words(object, site, 1) | 1;
  }

 private:
  std::uint64_t& clock() { return is_per_thread_ ? threads_.current().now : shared_; }

  ThreadTable& threads_;
  bool is_per_thread_ = false;
  bool was_read_ = false;
  std::uint64_t shared_ = 0;
  std::uint64_t tick_ = 0;
  EarlyEnd early_end_;
  EarlyEnd last_wait_;  ///< that ended when no other thread could run
  std::size_t mark_ = 0;
};

}  // namespace heddle::engine
