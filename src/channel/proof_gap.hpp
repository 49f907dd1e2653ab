// Why an exhaustive search that has explored everything it could is no proof. The worker collects the reasons
// (engine::FindingSink::withhold_proof), the driver merges those of all workers, and the reports print a sentence for
// each.
#pragma once

#include <cstdint>

namespace heddle::channel {

enum class ProofGap : std::uint8_t {
  uninstrumented_code,  ///< Progress::unseen_code says which
  race,                 ///< found, suppressed or not
  crash,                ///< in the middle of what other threads did
  polling,              ///< of volatile or plain memory, in a loop that heddle does not understand
  files,                ///< through which threads communicate, and memory that is mapped twice
  misuse,               ///< an object ended while another thread used it
  system_calls,         ///< of syscall(), which may use memory of the program
  // What sampling shows and a search leaves out. These are documented bounds of a search that the user asks for. The
  // search of `auto` is no proof with any of them, because samples may still find something.
  memory_reuse,
  clocks,
  random_numbers,
  undetermined_values,
  time_outs,
  larger_clients,  ///< of a data structure: heddle/linearizable.h
  last = larger_clients,
};

class ProofGaps {
 public:
  constexpr ProofGaps() = default;
  explicit constexpr ProofGaps(std::uint32_t bits) : bits_(bits & all_bits) {}

  constexpr void add(ProofGap gap) { bits_ |= bit(gap); }
  constexpr void add(ProofGaps others) { bits_ |= others.bits_; }
  constexpr bool has(ProofGap gap) const { return (bits_ & bit(gap)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::uint32_t bits() const { return bits_; }
  /// Those that count for a search that the user asks for.
  constexpr ProofGaps of_any_search() const { return ProofGaps(bits_ & (bit(ProofGap::memory_reuse) - 1)); }
  /// Those that bound what such a search proves.
  constexpr ProofGaps bounds() const { return ProofGaps(bits_ & ~of_any_search().bits_); }
  bool operator==(const ProofGaps&) const = default;

 private:
  static constexpr std::uint32_t bit(ProofGap gap) { return std::uint32_t{1} << static_cast<unsigned>(gap); }
  static constexpr std::uint32_t all_bits = (std::uint32_t{2} << static_cast<unsigned>(ProofGap::last)) - 1;

  std::uint32_t bits_ = 0;
};

/// The reason, a clause.
constexpr const char* reason_of(ProofGap gap) {
  switch (gap) {
    case ProofGap::uninstrumented_code:
      return "code without instrumentation takes part; compile it with heddle cc or heddle c++, or name a library that "
             "does its own locking with --trust";
    case ProofGap::race: return "the program has a data race, and not everything that can follow a race is explored";
    case ProofGap::crash:
      return "a crash ended executions, and what other threads would have done there before it is not explored";
    case ProofGap::polling:
      return "a thread polls plain or volatile memory, and not every value that it can see there is explored";
    case ProofGap::files:
      return "threads communicate through files or mapped files, and the orders of their calls are not explored";
    case ProofGap::misuse:
      return "an object was destroyed or initialised while a thread used it, and not everything that can follow is "
             "explored";
    case ProofGap::system_calls:
      return "the program calls syscall(), and heddle does not see what that system call does to memory";
    case ProofGap::memory_reuse: return "memory that is allocated again is not explored";
    case ProofGap::clocks: return "the orders of clock readings by several threads are not explored";
    case ProofGap::random_numbers: return "other random numbers are not explored";
    case ProofGap::undetermined_values: return "other values of undetermined numbers are not explored";
    case ProofGap::time_outs: return "more time-outs of one thread are not explored";
    case ProofGap::larger_clients: return "clients beyond the bounds are not explored";
  }
  return "";
}

}  // namespace heddle::channel
