// Where in the source a finding is, for reports that attach findings to lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "findings/finding.hpp"

namespace heddle::report {

struct SourcePlace {
  std::string file;  ///< as the debug information names it, mostly absolute
  unsigned line = 0;
  unsigned column = 0;  ///< 0: unknown
  std::string function;
  std::string what;  ///< a phrase on what happens there: "previous write of 4 bytes by thread T0.1"
};

/// The line that a finding is shown at: the newer access of a race, the failed assertion, the first thread that waits.
/// Nothing if no line is known.
std::optional<SourcePlace> place_of(const findings::Finding& finding);

/// Other lines that belong to a finding: the older access, the other threads that wait, where the memory was allocated.
std::vector<SourcePlace> related_places(const findings::Finding& finding);

/// The innermost frame with a line of the program itself; if there is none, with a line of a system header.
const findings::Frame* first_known_frame(const findings::Stack& stack);

/// `file` relative to `folder` if it lies there; otherwise empty.
std::string relative_to(const std::string& file, const std::string& folder);

}  // namespace heddle::report
