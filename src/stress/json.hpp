// Results as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "stress/session.hpp"

namespace heddle::stress {

nlohmann::json json_of(const SubjectResult& result);
nlohmann::json json_of(const Cell& cell);
nlohmann::json json_of(const Settings& settings);

}  // namespace heddle::stress
