// Reset isolation: the program's writable memory as it was when main was about to start, and the way back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"
#include "engine/modules.hpp"

namespace heddle::engine {

class Snapshot {
 public:
  /// Saves the writable segments of the program's modules and the main thread's TLS.
  void take(const Modules& modules, std::uintptr_t main_thread_pointer, base::Arena& arena);
  /// What restore() looks at to see whether memory has changed: all of it, page by page, or its first page, where that
  /// is known to tell.
  enum class Compare : std::uint8_t { all, start };
  /// Saves this too.
  void save(Range range, base::Arena& arena, Compare compare = Compare::all);
  /// Forgets what was saved: its arena is used anew.
  void forget() { *this = {}; }
  void restore() const;
  std::size_t size() const { return size_; }

 private:
  struct Saved {
    Range range;
    std::byte* copy;
    Compare compare;
  };

  base::ArenaVector<Saved> saved_;
  std::size_t size_ = 0;
};

/// Gives a thread's TLS block the initial values of every module but the system's, as for a new thread.
void initialise_tls(const Modules& modules, std::uintptr_t thread_pointer);

}  // namespace heddle::engine
