// Findings as JSON values, for files that heddle itself reads again. Reader and writer are one list of members.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "findings/finding.hpp"
#include "findings/results.hpp"

namespace heddle::campaign {

nlohmann::json encode_finding(const findings::Finding& finding);
/// Throws nlohmann::json::exception or BadValue if the value is not what encode_finding() writes.
findings::Finding decode_finding(const nlohmann::json& json);

nlohmann::json encode_learnt(const findings::Learnt& learnt);
findings::Learnt decode_learnt(const nlohmann::json& json);

}  // namespace heddle::campaign
