// The places of plain accesses that have raced. In executions that know them, these accesses are events, as relaxed
// atomics are, so that what follows a race is explored: the orders of the accesses, and under weak models the values
// that they may read. The race check still takes them for plain accesses.
//
// As text (run::RunSpecification::racy_sites) they are hexadecimal numbers, separated by commas.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.hpp"
#include "engine/isolation/modules.hpp"
#include "run/specification.hpp"

namespace heddle::engine {

class RacySites {
 public:
  explicit RacySites(const Modules& modules) : modules_(modules) {}

  /// Sorted; Modules::canonical(). They must outlive this object.
  void set(std::span<const std::uint64_t> sites);
  bool empty() const { return sites_.empty(); }
  bool contain(std::uint64_t site) const { return !sites_.empty() && (filter_ & bit(site)) != 0 && find(site); }

 private:
  /// Of the offset in the module, whose low bits differ from one access to the next.
  static std::uint64_t bit(std::uint64_t site) { return std::uint64_t{1} << (site * 0x9e3779b97f4a7c15U >> 58); }
  bool find(std::uint64_t site) const;

  const Modules& modules_;
  std::span<const std::uint64_t> sites_;
  std::uint64_t filter_ = 0;  ///< no site is in the set whose bit is not set
};

/// The sites that the text lists, sorted.
std::span<const std::uint64_t> parse_racy_sites(std::string_view text, base::Arena& arena);
/// Both sets, sorted, each site once.
std::span<const std::uint64_t> join_racy_sites(std::span<const std::uint64_t> sorted,
                                               std::span<const std::uint64_t> more, base::Arena& arena);
/// Sites that do not fit are left out. Returns true if all fit.
bool format_racy_sites(std::span<const std::uint64_t> sites, run::Text& text);

}  // namespace heddle::engine
