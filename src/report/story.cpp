#include "report/story.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "findings/source_lines.hpp"
#include "models/descriptor.hpp"
#include "report/text.hpp"

namespace heddle::report {

namespace {

using findings::Explanation;
using findings::Nature;
using Role = StoryLine::Role;

constexpr std::size_t width_of_files = 120;
constexpr std::size_t least_width = 40;

std::string count_text(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string counts_text(const findings::ExecutionCounts& counts) {
  return fmt::format("{} and {}", count_text(counts.switches, "context switch", "context switches"),
                     count_text(counts.stale_reads, "stale read", "stale reads"));
}

const char* label_of(Nature nature) {
  switch (nature) {
    case Nature::interleaving: return "interleaving bug";
    case Nature::ordering: return "missing order between two accesses";
    case Nature::weak_memory: return "weak-memory bug";
    case Nature::every_execution: return "no special schedule is needed";
    case Nature::early_end: return "a wait has to end early";
  }
  return "bug";
}

std::string verdict_text(const findings::ModelVerdict& verdict) {
  const models::ModelDescriptor* model = models::find_model(verdict.model);
  const std::string name = model == nullptr ? verdict.model : model->title;
  if (verdict.shows) return fmt::format("{} shows it, too", name);
  if (verdict.is_proved) return fmt::format("{} excludes it", name);
  return fmt::format("{} did not show it in {} executions", name, verdict.executions);
}

std::string verdicts_text(const std::vector<findings::ModelVerdict>& verdicts) {
  const bool all_show =
      std::all_of(verdicts.begin(), verdicts.end(), [](const auto& verdict) { return verdict.shows; });
  if (all_show) return "sequential consistency shows it, too";
  std::string text;
  for (const findings::ModelVerdict& verdict : verdicts) text += (text.empty() ? "" : ", ") + verdict_text(verdict);
  return text;
}

/// Words of `text`, wrapped to `width` columns; later lines are indented.
void wrap(const std::string& text, std::size_t width, int depth, Role role, std::vector<StoryLine>& out) {
  std::string line;
  int at = depth;
  const auto room = [&] { return width - std::min<std::size_t>(width / 2, static_cast<std::size_t>(at) * 2); };
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && line.size() + 1 + word.size() > room()) {
      out.push_back({at, role, line});
      line.clear();
      at = depth + 1;
      role = Role::plain;
    }
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  if (!line.empty()) out.push_back({at, role, line});
}

/// The source around the steps: a line before and a line after each, with the numbers of the steps beside their lines.
void add_source(const Explanation& explanation, std::size_t width, std::vector<StoryLine>& out) {
  std::vector<std::string> files;                                             // in the order of the steps
  std::map<std::string, std::map<unsigned, std::vector<std::size_t>>> marks;  // file, line: steps
  for (std::size_t i = 0; i < explanation.steps.size(); ++i) {
    const findings::SourcePlace& place = explanation.steps[i].place;
    if (place.file.empty() || place.line == 0) continue;
    if (!marks.contains(place.file)) files.push_back(place.file);
    marks[place.file][place.line].push_back(i + 1);
  }
  for (const std::string& file : files) {
    const auto lines = findings::source_lines(file);
    if (lines.empty()) continue;
    std::set<unsigned> shown;
    for (const auto& [line, steps] : marks[file])
      for (const unsigned around : {line - 1, line, line + 1})
        if (around >= 1 && around <= lines.size()) shown.insert(around);
    if (shown.empty()) continue;
    out.push_back({1, Role::heading, fmt::format("source: {}", short_path(file))});
    unsigned previous = 0;
    for (const unsigned line : shown) {
      if (previous != 0 && line != previous + 1) out.push_back({2, Role::source, "        ..."});
      previous = line;
      std::string numbers;
      if (const auto found = marks[file].find(line); found != marks[file].end())
        for (const std::size_t step : found->second) numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", step);
      std::string text = fmt::format("{:>5}{} {:>5} | {}", numbers, numbers.empty() ? " " : ">", line, lines[line - 1]);
      std::replace(text.begin(), text.end(), '\t', ' ');
      const std::size_t room = width > 4 ? width - 4 : width;
      if (text.size() > room) text = text.substr(0, room);
      out.push_back({2, Role::source, text});
    }
  }
}

void add_steps(const Explanation& explanation, std::size_t width, std::vector<StoryLine>& out) {
  for (std::size_t i = 0; i < explanation.steps.size(); ++i) {
    const findings::StoryStep& step = explanation.steps[i];
    const std::string place =
        step.place.file.empty()
            ? ""
            : fmt::format(", {}:{}", std::filesystem::path(step.place.file).filename().string(), step.place.line);
    const std::string who = step.thread.empty() ? "" : step.thread + " ";
    wrap(fmt::format("{}. {}{}{}", i + 1, who, step.text, place), width, 2, Role::plain, out);
  }
}

}  // namespace

std::size_t story_width() {
  winsize size{};
  if (::isatty(1) == 1 && ::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
    return std::max<std::size_t>(size.ws_col, least_width);
  return width_of_files;
}

std::string diagnosis_text(const Explanation& explanation) {
  std::string text = label_of(explanation.nature);
  if (explanation.nature != Nature::every_execution && explanation.nature != Nature::early_end)
    text += fmt::format(": needs {}", counts_text(explanation.counts));
  if (!explanation.models.empty()) text += "; " + verdicts_text(explanation.models);
  return text;
}

std::string fix_text(const Explanation& explanation) {
  if (explanation.changes.empty()) return "fix: " + explanation.advice;
  const findings::FixCheck& fix = explanation.fix;
  if (!fix.why_not.empty())
    return fmt::format("possible fix, not checked because {}: {}", fix.why_not, explanation.advice);
  const std::string checked = fix.is_proved ? fmt::format("proved: no execution shows it then")
                                            : fmt::format("checked: {} executions do not show it then", fix.executions);
  return fmt::format("fix: {} ({})", explanation.advice, checked);
}

std::vector<StoryLine> story_lines(const Explanation& explanation, std::size_t width) {
  std::vector<StoryLine> lines;
  if (!explanation.why_not.empty()) {
    wrap(fmt::format("{}: {}", explanation.did_not_replay ? "did not replay" : "no story", explanation.why_not), width,
         1, explanation.did_not_replay ? Role::heading : Role::plain, lines);
    return lines;
  }
  if (!explanation.steps.empty()) {
    lines.push_back({1, Role::heading,
                     explanation.tries != 0 ? "what happens, in the simplest execution found:" : "what happens:"});
    add_steps(explanation, width, lines);
    add_source(explanation, width, lines);
  }
  if (explanation.stopped_by_time)
    wrap(
        "note: the search for a simpler execution was stopped because it took too long; run heddle minimize on the "
        "trace",
        width, 1, Role::plain, lines);
  wrap("diagnosis: " + diagnosis_text(explanation), width, 1, Role::heading, lines);
  if (!explanation.cause.empty()) wrap("why: " + explanation.cause, width, 1, Role::heading, lines);
  if (!explanation.advice.empty()) wrap(fix_text(explanation), width, 1, Role::heading, lines);
  return lines;
}

}  // namespace heddle::report
