// What identifies a bug across builds. A finding's own key is a function of addresses in the program, which change with
// every build. The lasting key is a function of names: the kind, the function and the line within the function of each
// stack, and the variable. It survives a rebuild and changes elsewhere in the source, also in the same file.
#pragma once

#include <cstdint>
#include <string>

#include "findings/finding.hpp"

namespace heddle::findings {

/// The finding has its names. Findings without debug information are identified by their message and functions.
std::uint64_t lasting_key(const Finding& finding);
/// As JSON reports and databases write it: 16 hexadecimal digits.
std::string lasting_key_text(const Finding& finding);

}  // namespace heddle::findings
