// A trial as bytes: trials are made in processes of their own (session/forked_tasks.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "session/order_trials.hpp"

namespace heddle::session {

std::string encode_trial(const Trial& trial, std::uint64_t executions);
struct DecodedTrial {
  Trial trial;
  std::uint64_t executions = 0;
};
/// Nothing: the bytes are not complete.
std::optional<DecodedTrial> decode_trial(std::string_view bytes);

}  // namespace heddle::session
