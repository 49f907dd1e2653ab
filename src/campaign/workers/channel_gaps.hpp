// What a worker says against a proof, with the names of the code that has no instrumentation.
#pragma once

#include "campaign/workers/channel_memory.hpp"
#include "findings/proof_gaps.hpp"

namespace heddle::campaign {

findings::ProofGaps proof_gaps(ChannelMemory& channel);

}  // namespace heddle::campaign
