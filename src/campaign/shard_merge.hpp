// Merges the results of shards into the result of one campaign. For strategies whose executions do not depend on each
// other, and for the exhaustive search, it is the result that one campaign of all executions has.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/state/shard_file.hpp"
#include "findings/results.hpp"

namespace heddle::campaign {

struct MergedShards {
  CampaignIdentity identity;
  std::uint64_t count = 0;  ///< of all shards of the campaign
  findings::Results results;
  std::vector<std::string> refused;  ///< sentences: why a file or folder is not part of the result
};

/// Each path is a file that --shard wrote, or a folder with such files. Returns a problem if nothing can be merged.
Result<MergedShards> merge_shards(const std::vector<std::string>& paths);

}  // namespace heddle::campaign
