// The virtual time at which a wait ends, or that it never does. One word, not a std::optional: that is written in two
// pieces and read as a whole, and the processor has to wait until both pieces have reached the cache.
#pragma once

#include <cstdint>

namespace heddle::engine {

class Deadline {
 public:
  /// Never.
  constexpr Deadline() = default;
  constexpr Deadline(std::uint64_t at) : at_(at < never ? at : never - 1) {}  // NOLINT(google-explicit-constructor)

  explicit constexpr operator bool() const { return at_ != never; }
  constexpr std::uint64_t operator*() const { return at_; }

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  std::uint64_t at_ = never;
};

inline constexpr Deadline no_deadline;

}  // namespace heddle::engine
