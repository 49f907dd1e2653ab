// The part of an explanation that memory orders are to blame for.
#pragma once

#include "story/draft.hpp"
#include "story/missing_edges.hpp"

namespace heddle::story {

/// Says that stronger memory orders would order `first` before `second`. Returns false if they would not.
bool explain_missing_order(Draft& draft, MissingEdges& edges, EventNumber first, EventNumber second);
/// Explains every read that missed a write, and every write that was placed before an older one. Returns false if the
/// explanation has no cause then.
bool explain_stale_reads(Draft& draft, MissingEdges& edges);

}  // namespace heddle::story
