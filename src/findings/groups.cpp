#include "findings/groups.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "findings/stack_ends.hpp"

namespace heddle::findings {

namespace {

/// The innermost line of the program in the stack; empty if there is none.
std::string line_of(const Stack& stack) {
  for (const Frame& frame : stack.frames) {
    if (is_library_frame(frame) || frame.file.empty() || frame.line == 0) continue;
    return frame.file + ":" + std::to_string(frame.line);
  }
  return {};
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

/// The variable that the accesses are to: a global one, or a member of a block that one line allocates.
std::string variable_of(const Finding& finding) {
  if (finding.accesses.empty()) return {};
  const DataAddress& address = finding.accesses[0].address;
  if (!address.symbol.empty()) return address.symbol + "+" + std::to_string(address.offset);
  if (!finding.object || finding.object->place != Place::heap) return {};
  const std::string allocated = line_of(finding.object->stack);
  if (allocated.empty()) return {};
  return allocated + "+" + std::to_string(finding.object->address.value - finding.object->block);
}

std::string lines_of(const Finding& finding) {
  std::vector<std::string> lines;
  for (const Access& access : finding.accesses) lines.push_back(line_of(access.stack));
  for (const ThreadState& thread : finding.threads) lines.push_back(line_of(thread.stack));
  if (lines.empty()) lines.push_back(line_of(finding.stack));
  return joined(std::move(lines));
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
  if (!is_bug(finding) && (!finding.is_warning || finding.is_suppressed)) return roots;
  if (const std::string cycle = cycle_of(finding); !cycle.empty()) roots.push_back("cycle at " + cycle);
  if (finding.kind == FindingKind::lock_order) return roots;
  const std::string kind(channel::name_of(finding.kind));
  // A crash or a failed assertion of another text on the same line is another bug.
  const std::string text = finding.accesses.empty() && finding.threads.empty() ? finding.message : "";
  if (const std::string lines = lines_of(finding); !lines.empty()) roots.push_back(kind + " at " + lines + text);
  if (const std::string variable = variable_of(finding); !variable.empty()) roots.push_back(kind + " on " + variable);
  return roots;
}

}  // namespace

void group_by_root(std::vector<Finding>& findings) {
  // A deadlock shows what the order of its locks only suggests.
  std::stable_partition(findings.begin(), findings.end(),
                        [](const Finding& finding) { return finding.kind != FindingKind::lock_order; });
  std::map<std::string, std::size_t> owners;  // by root, the index in `kept`
  std::vector<Finding> kept;
  for (Finding& finding : findings) {
    const std::vector<std::string> roots = roots_of(finding);
    std::size_t owner = kept.size();
    for (const std::string& root : roots)
      if (const auto known = owners.find(root); known != owners.end()) owner = std::min(owner, known->second);
    for (const std::string& root : roots) owners.try_emplace(root, owner);
    if (owner == kept.size())
      kept.push_back(std::move(finding));
    else
      kept[owner].variants.push_back(std::move(finding));
  }
  findings = std::move(kept);
}

}  // namespace heddle::findings
