// An exhaustive search. The program may break an assumption by which the search makes fewer executions: then the search
// begins again without it. With --bound auto, searches with more and more preemptions follow each other.
#pragma once

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "session/watched_campaign.hpp"

namespace heddle::session {

struct Search {
  WatchedCampaign first;
};

struct Searched {
  campaign::Subject subject;  ///< with the strategy of the search that counts
  findings::Results results;
};

Result<Searched> run(const Search& search);

}  // namespace heddle::session
