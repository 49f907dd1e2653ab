// A search that cannot continue because the program breaks one of its assumptions, and the search that can: the search
// of a user (session/search.hpp), or that of `auto` (campaign/auto_search.hpp).
#pragma once

#include <optional>
#include <string_view>

#include "channel/channel.hpp"
#include "findings/results.hpp"
#include "run/specification.hpp"

namespace heddle::campaign {

/// The search that could continue where this worker's could not; nothing: the worker did not fail, or none could.
std::optional<findings::NeededSearch> needed_search(const channel::Progress& progress);

/// Changes a search so that it does without the assumption. Returns false, without changes, if it did before or if
/// there is no such search.
bool drop_assumption(const findings::NeededSearch& needed, run::Text& strategy, run::Text& racy_sites);

/// Drops the assumptions that the strategy `model` does without. Returns false if the strategy becomes too long.
bool drop_assumptions_like(std::string_view model, run::Text& strategy);

}  // namespace heddle::campaign
