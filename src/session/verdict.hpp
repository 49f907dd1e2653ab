#pragma once

#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"

namespace heddle::session {

/// What a campaign comes to.
struct Verdict {
  ExitCode code = ExitCode::no_bug;
  std::string why = {};  ///< ExitCode::cannot_test: a sentence
};

/// `results` are those of this shard of the subject's campaign.
Verdict verdict_of(const campaign::Subject& subject, const campaign::Shard& shard, const findings::Results& results);

}  // namespace heddle::session
