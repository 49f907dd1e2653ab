// Findings as workflow commands of GitHub Actions, which shows them at their lines in a pull request.
#pragma once

#include <string>

#include "findings/results.hpp"

namespace heddle::report {

/// One line for each finding: "::error file=src/queue.cpp,line=14,col=3,title=data race::...". Files below `folder`,
/// the working folder or the checked-out repository, are named relative to it.
std::string github_annotations(const findings::Results& results, const std::string& folder);

}  // namespace heddle::report
