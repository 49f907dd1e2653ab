// A rank other than 0: it hosts workers for rank 0 (cluster/ranks.hpp) until rank 0 tells it to end.
#pragma once

#include <string>
#include <vector>

#include "cluster/transport/transport.hpp"

namespace heddle::cluster {

/// `arguments` and `version` are those of this rank's command: they have to be those of rank 0.
void host_workers(transport::Transport& transport, const std::string& version,
                  const std::vector<std::string>& arguments);

}  // namespace heddle::cluster
