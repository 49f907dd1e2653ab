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
  /// When restore() looks whether memory has changed: always; once it has been written to, see watch(); or the same for
  /// its first page, where that is known to tell.
  enum class Compare : std::uint8_t { always, once_written, once_start_written };
  /// Saves this too.
  void save(Range range, base::Arena& arena, Compare compare = Compare::always);
  /// Forgets what was saved: its arena is used anew.
  void forget() { *this = {}; }
  void restore() const;
  std::size_t size() const { return size_; }

  /// From now on nobody can write to memory that is compared once it has been written to: whoever tries gets a signal,
  /// and its handler asks noticed_write(). That is exact for whatever the processor does. The kernel does not write
  /// there for anybody (EFAULT), so this is for memory that is never the buffer of a system call.
  void watch();
  /// Gives it back to everybody.
  void unwatch();
  /// Somebody cannot write to `address`. True: he can now, and from now on it is compared.
  bool noticed_write(std::uintptr_t address);

 private:
  struct Saved {
    Range range;
    std::byte* copy;
  };
  /// A piece that does not go beyond one page.
  struct Watched {
    Saved saved;
    Saved rest;  ///< what must be brought back if this has changed
    std::uintptr_t page;
    bool is_protected = false;
    bool is_written = true;
  };
  /// True: it was something else.
  static bool bring_back(const Saved& saved);
  /// True: it is as it was. False: it is too large for that.
  static bool bring_back_at_once(const Saved& saved);

  base::ArenaVector<Saved> saved_;
  base::ArenaVector<Watched> watched_;
  std::size_t written_ = 0;  ///< how many of the watched are compared
  std::size_t size_ = 0;
};

/// Gives a thread's TLS block the initial values of every module but the system's, as for a new thread.
void initialise_tls(const Modules& modules, std::uintptr_t thread_pointer);

}  // namespace heddle::engine
