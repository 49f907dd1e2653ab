// The page of heddle test --html and heddle verify --html.
#pragma once

#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"

namespace heddle::cli {

/// The results with a picture of each bug, as far as its execution can be repeated.
Result<std::string> campaign_page(const campaign::Settings& settings, const findings::Results& results);

}  // namespace heddle::cli
