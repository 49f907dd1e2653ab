// What an exhaustive search assumes of the program, to make fewer executions. If the program breaks an assumption, the
// search begins again without it (campaign/search_restart.hpp).
#pragma once

#include <cstdint>

namespace heddle::channel {

/// All but the last one are named like the parameters of the search that drop them (strategies/exhaustive.hpp).
enum class SearchAssumption : std::uint32_t {
  arrivals,
  undone,
  readers,
  native,
  ordered_sites,  ///< plain accesses do not race, except those of run::RunSpecification::racy_sites
};

/// The assumptions that a parameter drops, and the names of these parameters.
inline constexpr const char* parameters_of_assumptions[] = {"arrivals", "undone", "readers", "native"};

/// Null: another value, which only a worker whose memory was overwritten can send, or ordered_sites.
constexpr const char* parameter_of(SearchAssumption assumption) {
  const auto index = static_cast<std::uint32_t>(assumption);
  return assumption < SearchAssumption::ordered_sites ? parameters_of_assumptions[index] : nullptr;
}

}  // namespace heddle::channel
