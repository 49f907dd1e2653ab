// Recognises, exactly, rounds of a loop that changed nothing: the thread is about to read, or to lock a mutex, at a
// place where it was before, its registers and its stack are what they were then, and it had no effect on other memory
// in between. Such a thread waits. What it does from here it did before, unless one of its reads takes another value.
//
// Two kinds of operations in a round are no effects, although they write: see waiting_rounds.hpp for the reasons.
// - The thread locks a mutex and unlocks it again.
// - The thread stores what it has stored there before.
//
// For the exhaustive search, which must not end a loop that merely counts (SpinDetector cannot tell) and must end one
// that waits, or it would explore its rounds for ever.
#pragma once

#include <cstdint>

#include "base/hash.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::engine {

class WaitingLoop {
 public:
  void forget_places() { count_ = open_count_ = 0; }
  void reset() {
    count_ = open_count_ = 0;
    begin_ = 0;
  }

  /// The thread, whose newest event is `index`, is about to read in local state `state`. True: it was here before.
  bool returns_to(std::uint64_t state, std::uint32_t index) {
    for (std::uint32_t i = 0; i < count_ && i < size; ++i) {
      if (places_[i].state != state || places_[i].open != open_count_) continue;
      begin_ = places_[i].index;
      return true;
    }
    places_[count_++ % size] = {state, index, open_count_};
    return false;
  }
  /// The thread has locked a mutex.
  void lock(const void* mutex) {
    if (open_count_ == most_open) return forget_places();
    open_[open_count_++] = {mutex, count_};
  }
  /// The thread has unlocked a mutex. A round must not unlock what it has not locked, so places that the thread came to
  /// while it held the mutex are forgotten.
  void unlock(const void* mutex) {
    std::uint32_t at = open_count_;
    while (at != 0 && open_[at - 1].mutex != mutex) --at;
    if (at == 0 || count_ > size) return forget_places();
    count_ = open_[at - 1].count;
    for (; at < open_count_; ++at) open_[at - 1] = {open_[at].mutex, count_};
    --open_count_;
  }
  /// True if the thread holds a mutex that it has locked since its last effect.
  bool has_locked() const { return open_count_ != 0; }
  /// A hash of the places that the thread might return to.
  std::uint64_t hash() const {
    std::uint64_t hash = count_;
    for (std::uint32_t i = 0; i < count_ && i < size; ++i) hash = base::hash_words(hash, places_[i].state);
    return hash;
  }
  /// The events of the round that came to nothing have indices above this.
  std::uint32_t begin() const { return begin_; }

 private:
  // A longer body would be followed for ever, up to --max-events: never wrong, only long.
  static constexpr std::uint32_t size = 32;
  static constexpr std::uint32_t most_open = 4;
  struct Place {
    std::uint64_t state;
    std::uint32_t index;
    std::uint32_t open;  ///< how many mutexes the thread had locked since its last effect
  };
  struct Open {
    const void* mutex;
    std::uint32_t count;  ///< how many places there were when the thread locked it
  };
  // First, so that they share a cache line with the last members of SpinDetector, which change with them.
  std::uint32_t count_ = 0;
  std::uint32_t begin_ = 0;
  std::uint32_t open_count_ = 0;
  Place places_[size];
  Open open_[most_open];
};

/// Whether a read of the thread's last iteration, whose events have indices above `begin`, could have taken a newer
/// write of another thread, with another value. The thread might continue then: another execution of the search
/// explores that.
inline bool could_read_other_values(const graph::ExecutionGraph& graph, const graph::Thread& thread,
                                    std::uint32_t begin) {
  for (const graph::EventId id : thread.events) {
    const graph::Event& read = graph.event(id);
    if (!reads(read.kind) || read.index <= begin) continue;
    const auto& order = graph.location(read.location).modification_order;
    for (std::size_t at = graph.mo_position_of(read) + std::size_t{1}; at < order.size(); ++at)
      if (graph.event(order[at]).written != read.read && graph.event(order[at]).thread != read.thread) return true;
  }
  return false;
}

}  // namespace heddle::engine
