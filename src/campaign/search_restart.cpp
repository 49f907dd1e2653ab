#include "campaign/search_restart.hpp"

#include <cstring>
#include <string>

#include "strategies/strategy_specification.hpp"

namespace heddle::campaign {

using findings::SearchAssumption;

std::optional<findings::NeededSearch> needed_search(const channel::Progress& progress) {
  if (progress.failure.load() != channel::Failure::other_search) return {};
  const SearchAssumption broken = progress.broken_assumption.load();
  if (broken != SearchAssumption::ordered_sites && channel::parameter_of(broken) == nullptr) return {};
  findings::NeededSearch needed{broken, {}};
  const run::Text sites = progress.needed_sites;  // the program may overwrite it
  if (broken == SearchAssumption::ordered_sites)
    needed.racy_sites.assign(sites.c_str(), ::strnlen(sites.c_str(), run::Text::capacity()));
  return needed;
}

bool drop_assumption(const findings::NeededSearch& needed, run::Text& strategy, run::Text& racy_sites) {
  if (needed.broken == SearchAssumption::ordered_sites)
    return !(racy_sites == needed.racy_sites) && racy_sites.assign(needed.racy_sites);
  const auto other = strategies::search_with(strategy.view(), channel::parameter_of(needed.broken));
  return other && strategy.assign(other->to_text().text);
}

bool drop_assumptions_like(std::string_view model, run::Text& strategy) {
  for (const char* parameter : channel::parameters_of_assumptions) {
    const bool is_needed = !strategies::search_with(model, parameter);
    const auto other = strategies::search_with(strategy.view(), parameter);
    if (is_needed && other && !strategy.assign(other->to_text().text)) return false;
  }
  return true;
}

}  // namespace heddle::campaign
