// The calls in an ELF file that make atomic operations: of the instrumentation's functions, and of functions that only
// pass one such call on (findings/edited_place.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "channel/site_order.hpp"

namespace heddle::orders {

/// A set of channel::SiteOperation.
class Operations {
 public:
  Operations() = default;
  explicit Operations(channel::SiteOperation operation) { add(operation); }
  void add(channel::SiteOperation operation) { bits_ |= 1U << static_cast<unsigned>(operation); }
  void add(Operations others) { bits_ |= others.bits_; }
  bool has(channel::SiteOperation operation) const { return (bits_ >> static_cast<unsigned>(operation) & 1U) != 0; }
  bool empty() const { return bits_ == 0; }
  bool operator==(const Operations&) const = default;

 private:
  unsigned bits_ = 0;
};

struct AtomicCall {
  std::uint64_t return_address;  ///< in the file
  Operations operations;         ///< of the function that it calls
};

/// Sorted by address. Empty if the file cannot be read, or has no instrumented code. x86-64 only.
std::vector<AtomicCall> atomic_calls(const std::string& path);

}  // namespace heddle::orders
