#include "findings/groups.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "findings/stack_ends.hpp"

namespace heddle::findings {

namespace {

bool is_of_program(const Frame& frame) { return !is_library_frame(frame) && !frame.file.empty() && frame.line != 0; }

std::string line_of(const Frame& frame) { return frame.file + ":" + std::to_string(frame.line); }

/// The innermost line of the program in the stack; empty if there is none.
std::string line_of(const Stack& stack) {
  const auto frame = std::find_if(stack.frames.begin(), stack.frames.end(), is_of_program);
  return frame == stack.frames.end() ? "" : line_of(*frame);
}

/// The innermost line and column of the program, and the line that called its function. Bugs in two users of a small
/// helper function share the line of the helper, but not that of its caller. Empty: not known.
std::string place_with_caller(const Stack& stack) {
  const auto frame = std::find_if(stack.frames.begin(), stack.frames.end(), is_of_program);
  if (frame == stack.frames.end()) return "";
  const auto caller = std::find_if(frame + 1, stack.frames.end(), is_of_program);
  return line_of(*frame) + ":" + std::to_string(frame->column) +
         (caller == stack.frames.end() ? "" : " from " + line_of(*caller));
}

/// "a, b" in a fixed order; empty if a line is not known.
std::string joined(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) {
    if (line.empty()) return {};
    text += line + ", ";
  }
  return text;
}

/// malloc, and what programs wrap around it: xmalloc, sqlite3Malloc, event_mm_calloc_, pool_alloc.
bool is_allocator(const Frame& frame) {
  std::string name = frame.function.substr(0, frame.function.find('('));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.find("alloc") != std::string::npos;
}

/// The line that allocated the block; that of an allocator's caller, if all of the program uses the allocator.
std::string allocating_line(const Stack& stack) {
  const auto frame = std::find_if(stack.frames.begin(), stack.frames.end(),
                                  [](const Frame& f) { return is_of_program(f) && !is_allocator(f); });
  return frame == stack.frames.end() ? line_of(stack) : line_of(*frame);
}

/// A variable, or a block of the heap, and where in it the accesses of a finding are.
struct Accessed {
  std::string object;
  std::uint64_t offset = 0;
  std::string member;  ///< of a local variable; others have an offset only

  std::string variable() const { return object + member + "+" + std::to_string(offset); }
};

/// Nothing: not known.
std::optional<Accessed> accessed_by(const Finding& finding) {
  if (finding.accesses.empty()) return std::nullopt;
  const DataAddress& address = finding.accesses[0].address;
  if (!address.symbol.empty()) {
    // A local variable's name has its members and elements: "state.head", "slots[3]".
    const auto end = address.frame.pc == 0 ? std::string::npos : address.symbol.find_first_of(".[");
    if (end == std::string::npos) return Accessed{address.symbol, address.offset, ""};
    return Accessed{address.symbol.substr(0, end), address.offset, address.symbol.substr(end)};
  }
  if (!finding.object || finding.object->place != Place::heap) return std::nullopt;
  const std::string allocated = allocating_line(finding.object->stack);
  if (allocated.empty()) return std::nullopt;
  return Accessed{allocated + " " + std::to_string(finding.object->block_size),
                  finding.object->address.value - finding.object->block, ""};
}

/// The threads that wait for each other; without a cycle, those that wait for what no thread holds. Where other threads
/// are meanwhile does not matter.
std::vector<std::string> lines_of_threads(const Finding& finding) {
  std::vector<std::string> lines;
  for (const ThreadState& thread : finding.threads) {
    const bool matters = finding.cycle.empty()
                             ? thread.activity != Activity::waits_for_thread && thread.held_by.empty()
                             : std::count(finding.cycle.begin(), finding.cycle.end(), thread.thread) != 0;
    if (matters) lines.push_back(line_of(thread.stack));
  }
  if (lines.empty())
    for (const ThreadState& thread : finding.threads) lines.push_back(line_of(thread.stack));
  return lines;
}

void add_roots_of_accesses(const Finding& finding, std::vector<std::string>& roots) {
  const std::string kind(channel::name_of(finding.kind));
  std::vector<std::string> places;
  for (const Access& access : finding.accesses) places.push_back(place_with_caller(access.stack));
  if (const std::string all = joined(places); !all.empty()) roots.push_back(kind + " at " + all);
  const auto accessed = accessed_by(finding);
  if (!accessed) return;
  roots.push_back(kind + " on " + accessed->variable());
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!places[i].empty())
      roots.push_back(kind + " of " + accessed->object + " by " + channel::name_of(finding.accesses[i].kind) + " at " +
                      places[i]);
}

std::string without_numbers(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c < '0' || c > '9') result.push_back(c);
  return result;
}

/// The lines at which the threads of a deadlock wait for each other, or might in the cycle of a lock_order; empty:
/// there is no cycle, or a line is not known.
std::string cycle_of(const Finding& finding) {
  std::vector<std::string> lines;
  if (finding.kind == FindingKind::lock_order)
    for (const Access& access : finding.accesses)
      if (access.kind == AccessKind::lock) lines.push_back(line_of(access.stack));
  if (finding.kind == FindingKind::deadlock)
    for (const ThreadState& thread : finding.threads)
      if (std::count(finding.cycle.begin(), finding.cycle.end(), thread.thread) != 0)
        lines.push_back(line_of(thread.stack));
  return lines.empty() ? "" : joined(std::move(lines));
}

/// What two findings with one root have in common. One equal entry is enough.
std::vector<std::string> roots_of(const Finding& finding) {
  std::vector<std::string> roots;
  if (!channel::is_bug(finding.kind) && !finding.is_warning) return roots;
  if (finding.follows_early_end)
    roots.push_back("early end " + std::to_string(static_cast<int>(finding.early_end.kind)) + " " +
                    std::to_string(finding.early_end.place));
  if (const std::string cycle = cycle_of(finding); !cycle.empty()) roots.push_back("cycle at " + cycle);
  if (finding.kind == FindingKind::lock_order) return roots;
  const std::string kind(channel::name_of(finding.kind));
  if (!finding.accesses.empty()) {
    add_roots_of_accesses(finding, roots);
    return roots;
  }
  // A crash or a failed assertion of another text on the same line is another bug. Blocks that leak have many sizes.
  const bool has_threads = !finding.threads.empty();
  const std::string text = finding.kind == FindingKind::leak ? without_numbers(finding.message)
                           : has_threads                     ? ""
                                                             : finding.message;
  const std::string lines =
      joined(has_threads ? lines_of_threads(finding) : std::vector<std::string>{line_of(finding.stack)});
  if (!lines.empty()) roots.push_back(kind + " at " + lines + text);
  return roots;
}

/// Executions that showed the finding or a variant. Findings of one kind that an execution showed together count once.
std::uint64_t count_with_variants(const Finding& finding, std::uint64_t executions) {
  std::uint64_t most = finding.count, sum = finding.first_count;
  for (const Finding& variant : finding.variants) {
    if (variant.is_warning != finding.is_warning) continue;  // an order of locks is no deadlock
    most = std::max(most, variant.count);
    sum += variant.first_count;
  }
  return std::min(std::max(most, sum), std::max(executions, most));
}

}  // namespace

std::size_t RootGroups::add(const Finding& finding) {
  const std::size_t number = parents_.size();
  parents_.push_back(number);
  for (const std::string& root : roots_of(finding)) {
    const std::size_t other = group_of(owners_.try_emplace(root, number).first->second), mine = group_of(number);
    parents_[std::max(mine, other)] = std::min(mine, other);
  }
  return number;
}

std::size_t RootGroups::group_of(std::size_t number) const {
  while (parents_[number] != number) number = parents_[number] = parents_[parents_[number]];
  return number;
}

std::size_t RootGroups::groups() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < parents_.size(); ++i) count += parents_[i] == i ? 1 : 0;
  return count;
}

void mark_early_ends(std::vector<Finding>& findings, EarlyEnds ends) {
  // Five of five executions by chance: less than one in a thousand.
  constexpr std::uint64_t least_count = 5;
  for (Finding& finding : findings) {
    const bool is_certain =
        ends == EarlyEnds::explored ||
        (ends == EarlyEnds::rare_wake_ups && needs_spurious_wake_up(finding) && finding.count >= least_count);
    finding.follows_early_end = is_certain && needs_early_end(finding) && finding.early_end.place != 0;
  }
}

void group_by_root(std::vector<Finding>& findings, std::uint64_t executions) {
  // A deadlock shows what the order of its locks only suggests.
  std::stable_partition(findings.begin(), findings.end(),
                        [](const Finding& finding) { return finding.kind != FindingKind::lock_order; });
  RootGroups groups;
  for (const Finding& finding : findings) groups.add(finding);
  std::map<std::size_t, std::size_t> places;  // by the first finding of a group, its index in `kept`
  std::vector<Finding> kept;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const std::size_t first = groups.group_of(i);
    if (first == i) {
      places[i] = kept.size();
      kept.push_back(std::move(findings[i]));
    } else {
      kept[places[first]].variants.push_back(std::move(findings[i]));
    }
  }
  for (Finding& finding : kept)
    if (!finding.variants.empty()) {
      finding.count = count_with_variants(finding, executions);
      finding.is_timely |= std::any_of(finding.variants.begin(), finding.variants.end(),
                                       [](const Finding& variant) { return variant.is_timely; });
    }
  findings = std::move(kept);
}

bool LiveBugs::is_new(const Finding& finding) {
  if (!is_bug(finding) || !keys_.insert(finding.key).second) return false;
  const std::size_t number = groups_.add(finding);
  return groups_.group_of(number) == number;
}

}  // namespace heddle::findings
