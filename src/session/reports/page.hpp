// The page of heddle test --html and heddle verify --html.
#pragma once

#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"

namespace heddle::session {

/// The results with a picture of each bug, as far as its execution can be repeated.
Result<std::string> campaign_page(const campaign::Subject& subject, const findings::Results& results);

}  // namespace heddle::session
