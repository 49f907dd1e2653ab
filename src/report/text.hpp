// Words that the terminal report and the JSON report share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "findings/results.hpp"
#include "graph/order_names.hpp"

namespace heddle::report {

enum class Controls { keep, escape };
/// Valid UTF-8: other bytes become \xNN. With Controls::escape, control characters other than tab and newline become
/// \xNN too, so that the text cannot control a terminal.
std::string printable(std::string_view bytes, Controls controls);
/// The text as a value of JSON, which escapes control characters itself.
std::string json_text(std::string_view bytes);

/// The text as one word of a shell's command line, in quotes if it needs them.
std::string shell_word(const std::string& text);

/// The words of a command line. Quotation marks and backslashes keep white space in a word, as in a shell without
/// expansions.
struct ShellWords {
  std::vector<std::string> words;
  bool has_open_quote = false;
};
ShellWords shell_words(std::string_view text);

/// A path below the current folder, relative to that folder; other paths unchanged.
std::string short_path(const std::string& path);

/// A function's name with std::string by its usual name. If the name is still long, template arguments and then
/// parameters are left out.
std::string short_function_name(std::string name);

/// "`counter`", "`table`+8", "0x4010" where there is no variable.
std::string address_name(const findings::DataAddress& address);
using graph::order_name;
/// "heap", "stack" or "global".
const char* place_name(findings::Place place);
/// "waits for mutex", "spins, and nothing it reads changes".
std::string state_text(const findings::ThreadState& thread);
/// "write of 4 bytes", "atomic read (relaxed) of 4 bytes".
std::string access_text(const findings::Access& access);
/// One line that says what was found: "data race on `counter` (4 bytes)".
std::string headline(const findings::Finding& finding);
/// One line on a finding with the same root as another: "write at a.c:5 and read at a.c:9".
std::string variant_text(const findings::Finding& variant, const findings::Finding& finding);
/// "1 bug", "2 bugs".
std::string bugs_text(std::uint64_t bugs);
/// True if the headline holds an address, which may differ from run to run.
bool headline_shows_address(const findings::Finding& finding);
/// If every execution with the finding had a wait that ended early: a sentence that says so. Otherwise empty.
/// What follows from a race.
std::string consequence_text(const findings::Consequence& consequence);
std::string early_end_text(const findings::Finding& finding);
/// For a limit: the sentence that tells how to raise it; empty if the message names the option itself.
std::string limit_advice(const findings::Finding& finding);

/// Whether more executions of a sampling strategy are likely to show more: when the last new graph came and, if
/// executions are independent, an estimate of what is unseen. Empty for short campaigns, and if every graph was
/// explored.
std::string coverage_text(const findings::Results& results);

/// "1000 executions, 213 buggy (21.3%), 2 bugs, 87 graphs, 0.42 s, 2380/s"
std::string summary(const findings::Results& results);

}  // namespace heddle::report
