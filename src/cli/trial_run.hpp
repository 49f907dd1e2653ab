// Short campaigns that find out something about a finding: whether another model shows it, whether a fix removes it.
#pragma once

#include <cstdint>

#include "campaign/settings.hpp"

namespace heddle::cli {

/// Settings for `executions` executions of the program of `settings`, by `auto`, without side effects.
campaign::Settings trial_settings(const campaign::Settings& settings, run::Isolation isolation,
                                  std::uint64_t executions);

}  // namespace heddle::cli
