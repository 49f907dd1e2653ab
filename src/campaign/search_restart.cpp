#include "campaign/search_restart.hpp"

#include <cstdint>
#include <cstring>
#include <string>

#include "strategies/exhaustive.hpp"
#include "strategies/specification.hpp"

namespace heddle::campaign {

namespace {

using findings::SearchAssumption;

/// The parameter of the exhaustive search that is 1 in a search without the assumption.
struct AssumptionParameter {
  SearchAssumption assumption;
  std::uint32_t parameter;
};
constexpr AssumptionParameter parameters[] = {
    {SearchAssumption::arrivals, strategies::arrivals_parameter},
    {SearchAssumption::undone, strategies::undone_parameter},
    {SearchAssumption::readers, strategies::readers_parameter},
    {SearchAssumption::native, strategies::native_parameter},
};

}  // namespace

std::optional<findings::NeededSearch> needed_search(const channel::Progress& progress) {
  if (progress.failure.load() != channel::Failure::other_search) return {};
  const run::Text sites = progress.needed_sites;  // the program may overwrite it
  if (const std::size_t size = ::strnlen(sites.c_str(), run::Text::capacity()); size != 0)
    return findings::NeededSearch{SearchAssumption::ordered_sites, std::string(sites.c_str(), size)};
  const std::uint32_t needed = progress.needed_parameter.load();
  for (const auto& [assumption, parameter] : parameters)
    if (parameter == needed) return findings::NeededSearch{assumption, {}};
  return {};
}

bool drop_assumption(const findings::NeededSearch& needed, run::Text& strategy, run::Text& racy_sites) {
  if (needed.broken == SearchAssumption::ordered_sites)
    return !(racy_sites == needed.racy_sites) && racy_sites.assign(needed.racy_sites);
  for (const auto& [assumption, parameter] : parameters) {
    if (assumption != needed.broken) continue;
    const auto other = strategies::search_with(strategy.view(), parameter);
    return other && strategy.assign(other->to_text().text);
  }
  return false;
}

bool drop_assumptions_like(std::string_view model, run::Text& strategy) {
  for (const auto& [assumption, parameter] : parameters) {
    const bool is_needed = !strategies::search_with(model, parameter);
    const auto other = strategies::search_with(strategy.view(), parameter);
    if (is_needed && other && !strategy.assign(other->to_text().text)) return false;
  }
  return true;
}

}  // namespace heddle::campaign
