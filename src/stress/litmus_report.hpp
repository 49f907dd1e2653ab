// Results of litmus tests as text and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stress/assembly_session.hpp"

namespace heddle::stress {

/// The histogram of final states in the way of litmus7, and the states that are allowed and were never seen.
std::string histogram_text(const LitmusResult& result);

/// The states that rc11 forbids, the levels that show them, and the assembly beside the source.
std::string forbidden_text(const LitmusResult& result, const std::vector<LitmusResult>& at_levels,
                           const std::optional<AssemblyCheck>& assembly);

/// The findings of a comparison of assembly, with the threads that they concern; empty if there are none.
std::string assembly_text(const AssemblyResult& result);

nlohmann::json json_of(const LitmusResult& result);
nlohmann::json json_of(const AssemblyResult& result);

}  // namespace heddle::stress
