// Events in words, as stories and diagnoses use them.
#pragma once

#include <string>
#include <vector>

#include "findings/explanation.hpp"
#include "graph/order_names.hpp"
#include "story/execution_log.hpp"

namespace heddle::story {

/// The innermost place of the event's stack that the user would edit to change it: see findings/edited_place.hpp.
findings::SourcePlace place_of(const Event& event);
/// The function of the user's between that place and the operation; empty: none.
std::string wrapper_of(const Event& event);
/// Whether the place is in code of the C++ library, because the stack has no other.
bool is_in_library(const Event& event);
/// "prog.cpp:14", or "line 14" if the whole log is of one file; empty if the place is unknown.
std::string short_place(const ExecutionLog& log, const findings::SourcePlace& place);

/// "a", "a and b", "a, b and c".
std::string list_text(const std::vector<std::string>& items);
using graph::order_name;
/// "relaxed"; empty for what is not atomic.
std::string order_text(const Event& event);
/// "`ready`".
std::string variable_text(const ExecutionLog& log, const Event& event);
/// Whether a value looks like an address.
bool is_pointer(graph::Value value, std::size_t size);
/// Numbers in decimal. Addresses have letters, since they differ between processes: "pointer A".
std::string value_text(const ExecutionLog& log, graph::Value value, std::size_t size);

/// What the event did, as a verb phrase: "stores 1 to `ready` (relaxed)".
std::string action_text(const ExecutionLog& log, EventNumber number);
/// The event as a noun, with its place: "the store to `ready` at prog.cpp:14".
std::string noun_text(const ExecutionLog& log, EventNumber number);
/// "store", "load", "read-modify-write", "write", ...
std::string operation_noun(const Event& event);

findings::StoryStep make_step(const ExecutionLog& log, EventNumber number);

}  // namespace heddle::story
