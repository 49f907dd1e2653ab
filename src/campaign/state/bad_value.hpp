// What readers of states, shards and messages throw.
#pragma once

namespace heddle::campaign {

/// A value that is not what heddle writes.
struct BadValue {};

}  // namespace heddle::campaign
