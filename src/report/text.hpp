// Words that several reports share.
#pragma once

#include <string>
#include <string_view>

#include "findings/results.hpp"

namespace heddle::report {

/// Bytes that are not UTF-8 become \xNN, so that the result is; with `also_control`, control characters other
/// than tab and newline too, so that the result is harmless on a terminal.
enum class Controls { keep, escape };
std::string printable(std::string_view bytes, Controls controls);

/// A function's name as short as it stays clear: std::string by its usual name, and template arguments left out
/// where the name is long.
std::string short_function_name(std::string name);

/// "`counter`", "`table`+8", "0x4010" where there is no variable.
std::string address_name(const findings::DataAddress& address);
/// "write of 4 bytes", "atomic load (relaxed) of 4 bytes".
std::string access_text(const findings::Access& access);
/// One line that says what was found: "data race on `counter` (4 bytes)".
std::string headline(const findings::Finding& finding);
/// For a limit: the sentence that tells how to raise it; empty if the message says so itself.
std::string limit_advice(const findings::Finding& finding);

/// "1000 executions, 213 buggy (21.3%), 2 bugs, 87 graphs, 0.42 s, 2380/s"
std::string summary(const findings::Results& results);

}  // namespace heddle::report
