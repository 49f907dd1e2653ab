#include "stress/subject_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "stress/assembly.hpp"
#include "stress/process.hpp"

namespace heddle::stress {

namespace {

constexpr std::array levels{"O0", "O1", "O2", "O3"};
constexpr std::size_t widest = 44;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool is_pointer(const std::string& directive) {
  return directive == ".quad" || directive == ".xword" || directive == ".dword" || directive == ".8byte";
}

/// The label of the string, such as ".LC3".
std::string label_of_text(const std::vector<std::string>& lines, const std::string& text) {
  std::string label;
  for (const std::string& line : lines) {
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (words[0].ends_with(':')) label = words[0].substr(0, words[0].size() - 1);
    if ((words[0] == ".string" || words[0] == ".asciz") && words.size() == 2 && words[1] == "\"" + text + "\"")
      return label;
  }
  return "";
}

/// The second pointer behind the one to `label`: `run` of heddle_stress_subject. An alias stands for another function.
std::string function_behind(const std::vector<std::string>& lines, const std::string& label) {
  std::string function;
  int pointers = -1;
  for (const std::string& line : lines) {
    const auto words = words_of(line);
    if (words.size() < 2 || !is_pointer(words[0])) continue;
    if (pointers >= 0) ++pointers;
    if (words[1] == label) pointers = 0;
    if (pointers != 2) continue;
    function = words[1];
    break;
  }
  for (const std::string& line : lines) {
    const auto words = words_of(line);
    if (words.size() == 2 && words[0] == ".set" && words[1].starts_with(function + ","))
      return words[1].substr(function.size() + 1);
  }
  return function;
}

/// The function that the instruction calls or jumps to at its end; empty: none.
std::string callee_of(const std::string& line) {
  auto words = words_of(line);
  if (!words.empty() && (words[0] == "notrack" || words[0] == "bnd")) words.erase(words.begin());
  if (words.size() < 2) return "";
  static const std::set<std::string> calls{"call", "callq", "jmp", "jmpq", "bl", "b"};
  if (!calls.contains(words[0])) return "";
  const std::string name = words[1].substr(0, words[1].find('@'));
  return name.starts_with('.') || name.starts_with('*') ? "" : name;
}

void add_function(const std::map<std::string, std::vector<std::string>>& functions, const std::string& name,
                  std::set<std::string>& known, OperationCode& code) {
  const auto found = functions.find(name);
  if (!known.insert(name).second) return;
  if (found == functions.end()) {
    code.calls.push_back(name);
    return;
  }
  code.lines.push_back(name + ":");
  for (std::string line : found->second) {
    const auto words = words_of(line);
    // Directives, but not labels.
    if (words.empty() || (words[0].starts_with('.') && !words[0].ends_with(':'))) continue;
    std::string text = words[0].ends_with(':') ? "" : "  ";
    for (const std::string& word : words) text += (text.find_first_not_of(' ') == std::string::npos ? "" : " ") + word;
    code.lines.push_back(text);
  }
  for (const std::string& line : found->second)
    if (const std::string callee = callee_of(line); !callee.empty()) add_function(functions, callee, known, code);
}

std::string side_by_side(const OperationCode& left, const OperationCode& right) {
  std::string text;
  for (std::size_t i = 0; i < std::max(left.lines.size(), right.lines.size()); ++i) {
    const std::string a = i < left.lines.size() ? left.lines[i].substr(0, widest) : "";
    const std::string b = i < right.lines.size() ? right.lines[i] : "";
    text += fmt::format("    {:<{}} | {}\n", a, widest, b);
  }
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

class CauseSearch {
 public:
  CauseSearch(const Settings& settings, const Cell& cell, const SubjectResult& failed)
      : settings_(settings), cell_(cell), failed_(failed) {
    settings_.patterns = {failed.subject};
    settings_.orders = {failed.order};
    settings_.barriers = {failed.barrier};
    settings_.naive = 0;
    settings_.until_error = true;
  }

  SubjectCause find() {
    SubjectCause cause;
    cause.compiler = cell_.compiler;
    auto file = read_subject_file(failed_.file);
    if (!file) return cause;
    file_ = std::move(*file);
    for (const char* level : levels) cause.levels.push_back(run(cell_.compiler, level));
    set_levels(cause);
    for (const char* other : {"gcc", "clang"})
      if (other != cell_.compiler && !find_command(other).empty()) cause.others.push_back(run(other, cell_.level));
    if (has_other_library()) cause.libraries.push_back(run("musl-gcc", cell_.level));
    return cause;
  }

 private:
  /// musl-gcc is gcc with another C library.
  bool has_other_library() const {
    return cell_.compiler == "gcc" && settings_.runner.empty() && !file_.is_cxx() && !find_command("musl-gcc").empty();
  }

  CauseRun run(const std::string& compiler, const std::string& level) {
    settings_.compilers = {compiler};
    settings_.levels = {level};
    CauseRun result{compiler, level};
    if (is_interrupted()) return result;
    for (const Cell& cell : run_subjects(settings_, {file_}, {}))
      for (const SubjectResult& subject : cell.subjects) {
        result.was_run = true;
        result.has_failed = subject.errors != 0 || !subject.failure.empty();
        result.interleaved = subject.interleaved;
      }
    return result;
  }

  void set_levels(SubjectCause& cause) {
    const auto first =
        std::find_if(cause.levels.begin(), cause.levels.end(), [](const CauseRun& level) { return level.has_failed; });
    if (first == cause.levels.end()) return;
    cause.first = first->level;
    cause.code_first = code_at(cause.first);
    if (first == cause.levels.begin() || !std::prev(first)->was_run) return;
    cause.before = std::prev(first)->level;
    cause.code_before = code_at(cause.before);
  }

  OperationCode code_at(const std::string& level) const {
    const auto compiler = find_compiler(cell_.compiler);
    const TemporaryFolder folder;
    const std::string assembly = folder.file("subject.s");
    if (!compiler || !folder.exists()) return {};
    if (subjects_to_assembly(file_, *compiler, {level, settings_.flags, settings_.include}, assembly)) return {};
    return operation_in(read_text(assembly), failed_.subject);
  }

  Settings settings_;
  const Cell& cell_;
  const SubjectResult& failed_;
  SubjectFile file_;
};

}  // namespace

OperationCode operation_in(const std::string& assembly, const std::string& subject) {
  std::vector<std::string> lines;
  std::istringstream in(assembly);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  OperationCode code;
  const std::string label = label_of_text(lines, subject);
  const std::string function = label.empty() ? "" : function_behind(lines, label);
  if (function.empty()) return code;
  std::set<std::string> known;
  add_function(functions_in(assembly), function, known, code);
  return code;
}

SubjectCause find_cause(const Settings& settings, const Cell& cell, const SubjectResult& failed) {
  return CauseSearch(settings, cell, failed).find();
}

std::string SubjectCause::text() const {
  std::vector<std::string> shown, hidden;
  for (const CauseRun& level : levels)
    if (level.was_run) (level.has_failed ? shown : hidden).push_back("-" + level.level);
  std::string result = fmt::format("  at the levels of {}: ", compiler);
  if (shown.empty()) return result + "no error again, so the cause is not known: a longer test (-n, -t) may show it\n";
  result += "errors at " + joined(shown) + (hidden.empty() ? "" : ", none at " + joined(hidden)) +
            fmt::format("; the first level with errors is -{}\n", first);
  bool is_clean_elsewhere = false, is_clean_with_library = false;
  for (const auto& [runs, what] : {std::pair{&others, "the same library and the code of"},
                                   std::pair{&libraries, "another C library and the same code, by"}})
    for (const CauseRun& run : *runs) {
      if (!run.was_run) continue;
      result += fmt::format("  {} {} -{}: {} {} interleaved runs\n", what, run.compiler, run.level,
                            run.has_failed ? "errors, too, after" : "no error in", run.interleaved);
      (runs == &others ? is_clean_elsewhere : is_clean_with_library) |= !run.has_failed;
    }
  const bool is_compiled_otherwise = is_clean_elsewhere || !hidden.empty();
  if (!code_first.lines.empty() && code_first.calls.empty())
    result += "  the operation calls no library: ";
  else if (!code_first.calls.empty())
    result += fmt::format("  the operation calls {}: ", joined(code_first.calls));
  else
    result += "  ";
  if (is_compiled_otherwise && is_clean_with_library && !code_first.calls.empty())
    result += "either another code or another library removes the error\n";
  else if (is_compiled_otherwise)
    result += fmt::format("the code of {} is at fault\n", compiler);
  else if (is_clean_with_library && !code_first.calls.empty())
    result += "the library is at fault\n";
  else if (!code_first.lines.empty() && code_first.calls.empty())
    result += "the source of the subject is at fault, or every compiler that was tried, or the chip\n";
  else
    result += "the library is at fault, or the source of the subject, or the chip\n";
  if (code_first.lines.empty()) return result + "  the assembly of the operation was not found\n";
  if (before.empty()) {
    result += fmt::format("  the operation at -{}:\n", first);
    for (const std::string& line : code_first.lines) result += "    " + line + "\n";
    return result;
  }
  return result + fmt::format("    {:<{}} | {}\n", "at -" + before, widest, "at -" + first) +
         side_by_side(code_before, code_first);
}

}  // namespace heddle::stress
