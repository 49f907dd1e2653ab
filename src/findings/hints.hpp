// Sentences that a report adds to a finding whose cause may not be the program: known defects of the standard library,
// and libraries that heddle cannot see into.
#pragma once

#include <string>
#include <vector>

#include "findings/finding.hpp"
#include "findings/symbolizer.hpp"

namespace heddle::findings {

/// Fills in finding.notes. The finding has symbols.
void add_notes(Finding& finding);
/// Symbolises the finding and adds its notes, once.
void add_names(Finding& finding, Symbolizer& symbolizer);

/// The names of the libraries of the process that are not instrumented, have atomic operations of their own, and are
/// called by instrumented code.
std::vector<std::string> unseen_libraries(const ModuleMap& modules);

}  // namespace heddle::findings
