#include "findings/suppressions.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace heddle::findings {

namespace {

// ThreadSanitizer's kinds, then heddle's own.
constexpr std::array kinds = {"race",          "race_top",     "deadlock",        "thread",
                              "mutex",         "signal",       "called_from_lib", "assert",
                              "crash",         "livelock",     "use-after-free",  "misuse",
                              "double-free",   "leak",         "stack-overflow",  "uncaught-exception",
                              "exit-status",   "lock-order",   "descriptor-race", "thread-leak",
                              "signal-unsafe", "signal-errno", "linearizability"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const auto first = text.find_first_not_of(blank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// Whether `pattern`, without anchors, matches a beginning of `name`; with `to_end`, the whole of it.
bool matches_here(std::string_view pattern, std::string_view name, bool to_end) {
  const auto star = pattern.find('*');
  const std::string_view head = pattern.substr(0, star);
  if (!name.starts_with(head)) return false;
  name.remove_prefix(head.size());
  if (star == pattern.npos) return !to_end || name.empty();
  pattern.remove_prefix(star + 1);
  for (std::size_t skip = 0; skip <= name.size(); ++skip)
    if (matches_here(pattern, name.substr(skip), to_end)) return true;
  return false;
}

bool matches_frame(std::string_view pattern, const Frame& frame) {
  return matches_pattern(pattern, frame.function) || matches_pattern(pattern, frame.file) ||
         matches_pattern(pattern, frame.module);
}

bool is_kind(const Suppression& suppression, const Finding& finding) {
  const std::string_view kind = suppression.kind;
  const bool is_race = finding.kind == FindingKind::race || finding.kind == FindingKind::use_after_free ||
                       finding.kind == FindingKind::descriptor_race;
  if (kind == "race" || kind == "race_top" || kind == "called_from_lib") return is_race;
  if (kind == "mutex") return finding.kind == FindingKind::misuse;
  if (kind == "thread") return finding.kind == FindingKind::thread_leak;
  if (kind == "signal") return finding.kind == FindingKind::signal_unsafe || finding.kind == FindingKind::signal_errno;
  if (kind == "deadlock" && finding.kind == FindingKind::lock_order) return true;
  return kind == channel::name_of(finding.kind);
}

template <typename Visit>
bool any_stack(const Finding& finding, Visit visit) {
  if (visit(finding.stack)) return true;
  for (const Access& access : finding.accesses)
    if (visit(access.stack)) return true;
  for (const ThreadState& thread : finding.threads)
    if (visit(thread.stack)) return true;
  return false;
}

bool matches_variable(std::string_view pattern, const Finding& finding) {
  for (const Access& access : finding.accesses)
    if (matches_pattern(pattern, access.address.symbol)) return true;
  return finding.object && matches_pattern(pattern, finding.object->address.symbol);
}

bool matches(const Suppression& suppression, const Finding& finding) {
  if (!is_kind(suppression, finding)) return false;
  const std::string_view pattern = suppression.pattern;
  if (suppression.kind == "race_top")
    return any_stack(finding, [&](const Stack& stack) {
      return !stack.frames.empty() && matches_frame(pattern, stack.frames.front());
    });
  if (suppression.kind == "called_from_lib")
    return any_stack(finding, [&](const Stack& stack) {
      return std::any_of(stack.frames.begin(), stack.frames.end(),
                         [&](const Frame& frame) { return matches_pattern(pattern, frame.module); });
    });
  const bool in_stack = any_stack(finding, [&](const Stack& stack) {
    return std::any_of(stack.frames.begin(), stack.frames.end(),
                       [&](const Frame& frame) { return matches_frame(pattern, frame); });
  });
  if (in_stack || matches_variable(pattern, finding)) return true;
  return finding.object && std::any_of(finding.object->stack.frames.begin(), finding.object->stack.frames.end(),
                                       [&](const Frame& frame) { return matches_frame(pattern, frame); });
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view name) {
  if (name.empty()) return false;
  const bool from_begin = pattern.starts_with('^'), to_end = pattern.ends_with('$');
  if (from_begin) pattern.remove_prefix(1);
  if (to_end) pattern.remove_suffix(1);
  if (from_begin) return matches_here(pattern, name, to_end);
  for (std::size_t skip = 0; skip <= name.size(); ++skip)
    if (matches_here(pattern, name.substr(skip), to_end)) return true;
  return false;
}

std::string suppression_kinds() {
  std::string text;
  for (const char* kind : kinds) text += (text.empty() ? "" : ", ") + std::string(kind);
  return text;
}

std::variant<Suppressions, Suppressions::Malformed> Suppressions::parse(std::string_view text) {
  Suppressions result;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    const auto colon = line.find(':');
    if (colon == line.npos) return Malformed{number, std::string(line), "it has no colon after the kind"};
    const std::string_view kind = line.substr(0, colon), pattern = line.substr(colon + 1);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      return Malformed{number, std::string(line), "its kind is none of " + suppression_kinds()};
    if (pattern.empty()) return Malformed{number, std::string(line), "it has no pattern after the colon"};
    result.list_.push_back({std::string(kind), std::string(pattern)});
  }
  return result;
}

const Suppression* Suppressions::find(const Finding& finding) const {
  for (const Suppression& suppression : list_)
    if (matches(suppression, finding)) return &suppression;
  return nullptr;
}

}  // namespace heddle::findings
