// Which line of a call stack a person edits to change an atomic operation. Functions that only pass one operation on,
// such as std::atomic<int>::store or a library's atomic_write_rel, are not it: their caller is.
#pragma once

#include <string_view>
#include <vector>

#include "findings/finding.hpp"

namespace heddle::findings {

/// Whether the name of a function, demangled, says that it passes one atomic operation on.
bool is_atomic_wrapper(std::string_view function);
/// Whether the function of the frame passes one atomic operation on: its name says so, and its source, if it can be
/// read, has no loop, no store to a member or an element, and few statements.
bool is_atomic_wrapper(const Frame& frame);

struct EditedFrame {
  const Frame* frame = nullptr;    ///< null: no frame has a place
  const Frame* wrapper = nullptr;  ///< that `frame` calls, in code that the user has; null: none
};

/// The innermost frame in code that the user has and that is not a wrapper; the innermost with a place if there is
/// none. `frames` are innermost first.
EditedFrame edited_frame(const std::vector<Frame>& frames);

}  // namespace heddle::findings
