// A CampaignState as JSON, whose binary form is part of the results of shards and of states to continue from. Lists
// that may have millions of numbers are bytes.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "campaign/state/campaign_state.hpp"

namespace heddle::campaign {

nlohmann::json encode_state(const CampaignState& state);
/// Throws nlohmann::json::exception or BadValue if the value is not what encode_state() makes.
CampaignState decode_state(const nlohmann::json& json);
/// Throws BadValue if the value is no number without a sign.
std::uint64_t read_number(const nlohmann::json& json);

}  // namespace heddle::campaign
