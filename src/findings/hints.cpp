#include "findings/hints.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "findings/elf_symbols.hpp"

namespace heddle::findings {

namespace {

struct Defect {
  FindingKind kind;
  std::string_view function;  ///< part of the name of a function of the library on a stack
  std::string_view file;      ///< part of the path of its source
  const char* sentence;
};

// docs/third-party.md describes each of them.
constexpr std::array defects = {
    Defect{
        FindingKind::race, "_Sp_atomic", "shared_ptr_atomic.h",
        "this is a known defect of libstdc++ 12: std::atomic<std::shared_ptr>::load unlocks with a relaxed operation "
        "(github.com/google/sanitizers issue 1558)"},
    Defect{FindingKind::race, "std::ctype<char>", "locale_facets.h",
           "this is a known defect of libstdc++: std::ctype<char> fills its tables without synchronisation (GCC bug "
           "77704)"},
    Defect{
        FindingKind::deadlock, "_M_acquire", "semaphore_base.h",
        "this may be a known defect of libstdc++ 12: std::counting_semaphore::acquire can sleep although the counter "
        "is positive (GCC bug 104928)"},
    Defect{FindingKind::deadlock, "", "bits/atomic_wait.h",
           "this may be a known defect of libstdc++ 12: std::atomic::notify_all and std::latch::count_down can miss a "
           "waiting thread, see docs/third-party.md"},
};

bool is_inside(const Stack& stack, const Defect& defect) {
  return std::any_of(stack.frames.begin(), stack.frames.end(), [&](const Frame& frame) {
    return frame.function.find(defect.function) != std::string::npos &&
           frame.file.find(defect.file) != std::string::npos;
  });
}

const Defect* known_defect(const Finding& finding) {
  for (const Defect& defect : defects) {
    if (defect.kind != finding.kind) continue;
    // Both accesses of a race are inside the library; in a deadlock, one thread waits there.
    const bool all_accesses =
        !finding.accesses.empty() && std::all_of(finding.accesses.begin(), finding.accesses.end(),
                                                 [&](const Access& access) { return is_inside(access.stack, defect); });
    const bool any_thread = std::any_of(finding.threads.begin(), finding.threads.end(),
                                        [&](const ThreadState& thread) { return is_inside(thread.stack, defect); });
    if (all_accesses || any_thread) return &defect;
  }
  return nullptr;
}

std::string name_of(const LoadedFile& module) { return std::filesystem::path(module.path).filename().string(); }

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

/// What to do about findings of this kind, if one sentence can tell; null otherwise.
const char* remedy_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::lock_order:
      return "take these locks in the same order everywhere (std::scoped_lock takes several at once), or hold one "
             "common lock around them";
    case FindingKind::descriptor_race:
      return "close a descriptor after the threads that use it have been joined, or hold one lock for every use and "
             "the close: the number may belong to another file by then";
    case FindingKind::thread_leak: return "join the thread, or detach it";
    case FindingKind::signal_unsafe:
      return "set a flag of type volatile sig_atomic_t or a lock-free atomic in the handler, or write to a pipe, and "
             "do "
             "the rest outside (man 7 signal-safety lists what a handler may call)";
    case FindingKind::signal_errno: return "save errno when the handler begins, and restore it before it returns";
    default: return nullptr;
  }
}

}  // namespace

std::vector<std::string> unseen_libraries(const ModuleMap& modules) {
  std::set<std::string> imported;
  for (const LoadedFile& module : modules.all())
    if (module.is_instrumented) imported.merge(imported_functions(module.path));
  std::vector<std::string> names;
  for (const LoadedFile& module : modules.all()) {
    if (!module.is_foreign || module.is_instrumented || module.is_trusted) continue;
    if (exports_any(module.path, imported) && has_atomic_operations(module.path)) names.push_back(name_of(module));
  }
  return names;
}

void add_notes(Finding& finding) {
  if (const Defect* defect = known_defect(finding)) finding.notes.emplace_back(defect->sentence);
  if (const char* remedy = remedy_of(finding.kind)) finding.notes.emplace_back(remedy);
  if (finding.kind == FindingKind::race && finding.is_warning)
    finding.notes.emplace_back(
        "inline assembly with a lock prefix stands between these accesses: heddle does not see what it orders, so the "
        "race "
        "may be none");
  if (finding.kind != FindingKind::race || !finding.modules) return;
  const std::vector<std::string>& names = finding.modules->unseen();
  if (names.empty()) return;
  finding.notes.push_back(list_of(names) + (names.size() == 1 ? " is" : " are") +
                          " not instrumented and may order these accesses; see --trust");
}

void add_names(Finding& finding, Symbolizer& symbolizer) {
  if (finding.has_names) return;
  symbolizer.symbolize(finding);
  add_notes(finding);
  finding.has_names = true;
}

}  // namespace heddle::findings
