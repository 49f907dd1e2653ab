// The results of a campaign as files for other programs.
#pragma once

#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"

namespace heddle::session {

/// Writes the files of --json, --junit, --sarif and --html. All are tried; the first problem is returned.
Outcome write_report_files(const campaign::Subject& subject, const findings::Results& results);

/// The lines of --annotations; empty: they are not wanted.
std::string annotations(const campaign::Subject& subject, const findings::Results& results);

}  // namespace heddle::session
