// Reset isolation: the program's writable memory as it was when main was about to start, and the way back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"
#include "engine/isolation/modules.hpp"

namespace heddle::engine {

class Snapshot {
 public:
  /// Saves the writable segments of the modules that are reset, and the main thread's TLS.
  void take(const Modules& modules, std::uintptr_t main_thread_pointer, base::Arena& arena);
  /// When restore() compares a piece of memory: always; once it has been written to (watch()); or once its first page
  /// has been written to, where that page is known to tell.
  enum class Compare : std::uint8_t { always, once_written, once_start_written };
  /// Saves one more range.
  void save(Range range, base::Arena& arena, Compare compare = Compare::always);
  /// Forgets what was saved: its arena is used anew.
  void forget() { *this = {}; }
  void restore() const;
  std::size_t size() const { return size_; }
  /// The eight bytes that restore() leaves at this address. False: they are not in the snapshot.
  bool find(std::uintptr_t address, std::uint64_t& value) const;

  /// Write-protects the memory that is compared once it has been written to. A write raises SIGSEGV, whose handler
  /// calls noticed_write(). The kernel does not write to protected memory either (EFAULT), so this is only for memory
  /// that is never the buffer of a system call. The page of `kernel_buffer`, which may be null, is compared always.
  void watch(const void* kernel_buffer);
  /// Around code of the runtime that may write to watched memory while signals are blocked. These writes last: where
  /// the execution has not written to the page, they become a part of the snapshot.
  void begin_lasting_writes();
  void end_lasting_writes();
  /// Makes the memory writable again; restore() then compares all of it.
  void unwatch();
  /// A write to `address` failed. True: the memory was protected, is writable now, and will be compared.
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
  /// Restores the range. Returns true if it had changed.
  static bool bring_back(const Saved& saved);
  /// Restores a range of a few words without comparing. Returns false, without side effects, if the range is larger.
  static bool bring_back_at_once(const Saved& saved);

  base::ArenaVector<Saved> saved_;
  base::ArenaVector<Watched> watched_;
  std::size_t written_ = 0;  ///< how many watched pieces are compared
  std::size_t size_ = 0;
};

}  // namespace heddle::engine
