#include "findings/lasting_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "findings/stack_ends.hpp"

namespace heddle::findings {

namespace {

/// "function+3" of the innermost frame of the program itself; of any frame, if there is none.
std::string place_of(const Stack& stack) {
  const Frame* chosen = nullptr;
  for (const Frame& frame : stack.frames) {
    if (frame.function.empty()) continue;
    if (chosen == nullptr) chosen = &frame;
    if (is_library_frame(frame)) continue;
    chosen = &frame;
    break;
  }
  if (chosen == nullptr) return "?";
  // Without debug information, neither the line of the declaration nor the line of the place is known.
  const bool has_offset = chosen->function_line != 0 && chosen->line >= chosen->function_line;
  return fmt::format("{}+{}", chosen->function, has_offset ? chosen->line - chosen->function_line : chosen->line);
}

/// Numbers in a message are values, lines and addresses.
std::string without_numbers(std::string_view message) {
  std::string text;
  for (const char c : message) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) text.push_back(c);
    if (is_digit && !text.ends_with('#')) text.push_back('#');
  }
  return text;
}

std::string variable_of(const DataAddress& address) {
  return address.symbol.empty() ? "" : fmt::format("{}+{}", address.symbol, address.offset);
}

}  // namespace

std::uint64_t lasting_key(const Finding& finding) {
  std::vector<std::string> parts;
  for (const Access& access : finding.accesses)
    parts.push_back(fmt::format("{} {} {} {}", channel::name_of(access.kind), access.size, variable_of(access.address),
                                place_of(access.stack)));
  const auto matters = [&](const ThreadState& thread) {
    return finding.cycle.empty() || std::count(finding.cycle.begin(), finding.cycle.end(), thread.thread) != 0;
  };
  for (const ThreadState& thread : finding.threads) {
    if (!matters(thread)) continue;
    parts.push_back(fmt::format("{} {} {}", static_cast<int>(thread.activity), thread.what, place_of(thread.stack)));
  }
  // Which access or thread came first depends on the execution.
  std::sort(parts.begin(), parts.end());
  std::string text(channel::name_of(finding.kind));
  text += fmt::format("\n{} {}", static_cast<int>(finding.limit), finding.exit_status);
  // The message of a finding with accesses or threads names the threads, which the execution decides.
  if (parts.empty()) text += "\n" + without_numbers(finding.message) + "\n" + place_of(finding.stack);
  for (const std::string& part : parts) text += "\n" + part;
  return base::hash_text(text);
}

std::string lasting_key_text(const Finding& finding) { return fmt::format("{:016x}", lasting_key(finding)); }

}  // namespace heddle::findings
