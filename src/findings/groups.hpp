// Findings that share a root are one finding with variants.
#pragma once

#include <vector>

#include "findings/finding.hpp"

namespace heddle::findings {

/// Joins findings of one kind that are about the same variable or the same source lines. The first of them, in the
/// order of `findings`, stays; the others become its variants. All have symbols.
void group_by_root(std::vector<Finding>& findings);

}  // namespace heddle::findings
