// The part of an explanation that the reuse of memory is to blame for.
#pragma once

#include "story/draft.hpp"

namespace heddle::story {

/// Says that a block is freed, and perhaps allocated again, while a thread holds a pointer to it. Returns false if that
/// is not so.
bool explain_reuse(Draft& draft, EventNumber first, EventNumber second);
/// Says that a compare-exchange succeeds although its value has changed in between. Returns false if none does.
bool explain_aba(Draft& draft);

}  // namespace heddle::story
