// The memory of a worker, by how long it is used.
#pragma once

#include "base/arena.hpp"

namespace heddle::engine {

struct WorkerArenas {
  base::Arena& forever;
  base::Arena execution;            ///< of the execution that runs
  base::Arena recording;            ///< its decisions
  base::Arena check;                ///< of one heddle::check: model, strategy, snapshot
  base::Arena* session = &forever;  ///< what lives as long as a campaign: forever, or check
};

}  // namespace heddle::engine
