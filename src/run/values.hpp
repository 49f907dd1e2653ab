// Fields of a RunSpecification as text: what users write for an option, and what traces and JSON reports contain.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "run/fields.hpp"

namespace heddle::run {

/// The name of the field in HEDDLE_OPTIONS, traces and JSON: "max_events" for max-events.
std::string key_of(const Field& field);

/// Sets the field to the value that `text` describes. Returns nothing, or what is wrong with the text: "this is not a
/// number from 1 to 1024". A parameter is added to the strategy, which must have been set before.
std::optional<std::string> parse_value(const Field& field, std::string_view text, RunSpecification& specification);
/// The value as parse_value() reads it. Must not be called for parameters, which are part of the strategy.
std::string format_value(const Field& field, const RunSpecification& specification);
/// The default as format_value() writes it; empty where the default is that there is no value or no limit.
std::string default_text(const Field& field);

/// "auto", "reset" or "fork".
std::string isolation_name(Isolation isolation);

}  // namespace heddle::run
