// The story of a finding on the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "findings/explanation.hpp"

namespace heddle::report {

/// One line of a story, without its indentation.
struct StoryLine {
  enum class Role { plain, heading, source };
  int depth = 1;
  Role role = Role::plain;
  std::string text;
};

/// The width that sentences are wrapped to: that of the terminal, or a fixed one for a file.
std::size_t story_width();

/// The steps, the source around them, the diagnosis and the advice. No line is longer than `width`, except for source
/// and for words that are longer.
std::vector<StoryLine> story_lines(const findings::Explanation& explanation, std::size_t width);

/// The diagnosis in one sentence: "weak-memory bug: it needs 2 context switches and 1 stale read; ...".
std::string diagnosis_text(const findings::Explanation& explanation);
/// The advice, and how it is known to help: "fix: make the store at line 14 release (proved: ...)".
std::string fix_text(const findings::Explanation& explanation);

}  // namespace heddle::report
