#include "report/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "findings/stack_ends.hpp"
#include "report/history.hpp"
#include "report/story.hpp"
#include "report/text.hpp"

namespace heddle::report {

namespace {

using findings::Finding;
using findings::Frame;
using findings::Stack;

constexpr std::size_t most_lines_of_output = 30;
constexpr std::size_t longest_line_of_output = 500;

/// The last `count` lines of the text, or all of it.
std::string_view last_lines(std::string_view text, std::size_t count) {
  std::size_t begin = text.size();
  if (text.ends_with('\n')) --begin;
  for (; count > 0 && begin != 0 && begin != text.npos; --count) begin = text.rfind('\n', begin - 1);
  return begin == text.npos || begin == 0 ? text : text.substr(begin + 1);
}

class Writer {
 public:
  explicit Writer(Colour colour) : colour_(colour) {}

  void finding(const Finding& finding, std::uint64_t executions) {
    out_ += fmt::format("{} {}\n", paint("heddle:", bold),
                        paint((finding.is_warning ? "warning: " : "") + headline(finding), bold_red));
    if (executions != 0) {
      const std::string by = finding.strategy.empty() ? "" : ", by " + finding.strategy;
      painted_line(1, paint(fmt::format("found in {} of {} executions, first in execution {}{}", finding.count,
                                        executions, finding.execution, by),
                            dim));
    }
    accesses(finding);
    threads(finding);
    if (!finding.calls.empty()) history(finding);
    if (!finding.stack.frames.empty() && finding.accesses.empty()) {
      line(1, finding.thread.empty() ? "at" : fmt::format("in thread {}", finding.thread));
      stack(finding.stack);
    }
    if (finding.object) object(finding, *finding.object);
    if (const std::string early = early_end_text(finding); !early.empty()) {
      const char* option = findings::needs_spurious_wake_up(finding) ? "--spurious none" : "--time-model strict";
      line(1, fmt::format("{} ({} excludes this)", early, option));
    }
    for (const findings::Consequence& consequence : finding.leads_to) line(1, consequence_text(consequence));
    for (const std::string& note : finding.notes) line(1, "note: " + note);
    variants(finding);
    if (finding.explanation) story(*finding.explanation);
    if (const std::string advice = limit_advice(finding); !advice.empty()) line(1, advice);
    program_output(finding.output);
    if (!finding.trace.empty()) line(1, fmt::format("replay: heddle replay {}", shell_word(finding.trace)));
  }

  std::string take() { return std::move(out_); }

 private:
  static constexpr const char* bold = "\033[1m";
  static constexpr const char* bold_red = "\033[1;31m";
  static constexpr const char* dim = "\033[2m";
  static constexpr const char* cyan = "\033[36m";

  std::string paint(const std::string& text, const char* code) const {
    const std::string safe = printable(text, Controls::escape);
    return colour_ == Colour::always ? fmt::format("{}{}\033[0m", code, safe) : safe;
  }
  /// Adds a line of text that may come from the program.
  void line(int depth, const std::string& text) { painted_line(depth, printable(text, Controls::escape)); }
  /// Adds a line whose parts paint() has made.
  void painted_line(int depth, const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(depth) * 2, ' ');
    out_ += text;
    out_ += '\n';
  }

  /// Of several library frames between two frames of the program, only the one that the program called is shown.
  void stack(const Stack& stack) {
    const auto& frames = stack.frames;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      std::size_t end = i;
      while (end < frames.size() && findings::is_library_frame(frames[end])) ++end;
      const bool has_caller = end < frames.size();
      if (has_caller && end > i + 2) {
        painted_line(2, paint(fmt::format("   ({} frames of the library)", end - i - 1), dim));
        i = end - 1;
      }
      painted_line(2, frame_text(i, frames[i]));
      const std::size_t alike = repetitions(frames, i);
      if (alike > 2) {
        painted_line(2, paint(fmt::format("   (and {} times more)", alike), dim));
        i += alike;
      }
    }
  }

  /// The number of frames directly after `i` that are at the same place: recursion.
  static std::size_t repetitions(const std::vector<Frame>& frames, std::size_t i) {
    const auto same_place = [&](const Frame& other) {
      return other.function == frames[i].function && other.file == frames[i].file && other.line == frames[i].line &&
             other.offset == frames[i].offset;
    };
    std::size_t end = i + 1;
    while (end < frames.size() && same_place(frames[end])) ++end;
    return end - i - 1;
  }

  std::string frame_text(std::size_t number, const Frame& frame) const {
    const std::string name = frame.function.empty() ? "??" : short_function_name(frame.function);
    std::string text = fmt::format("#{} {}", number, printable(name, Controls::escape));
    if (!frame.file.empty()) {
      std::string place = short_path(frame.file);
      if (frame.line != 0) place += fmt::format(":{}", frame.line);
      if (frame.line != 0 && frame.column != 0) place += fmt::format(":{}", frame.column);
      return fmt::format("{} {}", text, paint(place, cyan));
    }
    if (!frame.module.empty())
      text += fmt::format(" ({}+{:#x})", printable(frame.module, Controls::escape), frame.offset);
    return text;
  }

  /// "T0.1 takes `b`", then where, then "while it holds `a`", and where it took that.
  void locks(const Finding& finding) {
    for (const findings::Access& access : finding.accesses) {
      const bool is_held = access.kind == findings::AccessKind::held_lock;
      const std::string name = access.address.symbol.empty() ? "a lock" : address_name(access.address);
      line(1, is_held ? fmt::format("while it holds {}, which it took at", name)
                      : fmt::format("thread {} takes {}", access.thread, name));
      stack(access.stack);
    }
  }

  void accesses(const Finding& finding) {
    if (finding.kind == findings::FindingKind::lock_order) return locks(finding);
    bool first = true;
    const bool is_sequence = finding.kind == findings::FindingKind::sc_violation;  // in the order of a cycle
    for (const findings::Access& access : finding.accesses) {
      const std::string by = access.thread.empty() ? "" : fmt::format(" by thread {}", access.thread);
      line(1, fmt::format("{}{}{}", first || is_sequence ? "" : "previous ", access_text(access), by));
      stack(access.stack);
      first = false;
    }
  }

  void history(const Finding& finding) {
    line(1, "the calls, in the order in which they began:");
    for (const std::string& row : history_lines(finding)) line(2, row);
  }

  static std::string thread_text(const findings::ThreadState& thread) {
    if (thread.activity == findings::Activity::waits_for_thread && !thread.held_by.empty()) {
      return fmt::format("thread {} waits for the end of {}", thread.thread, thread.held_by);
    }
    std::string text = fmt::format("thread {} {}", thread.thread, state_text(thread));
    if (thread.object) text += fmt::format(" {}", address_name(*thread.object));
    if (!thread.held_by.empty()) text += fmt::format(", which {} holds", thread.held_by);
    return text;
  }

  void threads(const Finding& finding) {
    for (const findings::ThreadState& thread : finding.threads) {
      line(1, thread_text(thread));
      stack(thread.stack);
    }
    if (finding.cycle.empty()) return;
    std::string text = "each waits for the next: ";
    for (const std::string& thread : finding.cycle) text += thread + ", ";
    line(1, text + finding.cycle.front());
  }

  void story(const findings::Explanation& explanation) {
    for (const StoryLine& story_line : story_lines(explanation, story_width())) {
      const std::size_t end = story_line.role == StoryLine::Role::heading ? story_line.text.find(':') : 0;
      if (story_line.role == StoryLine::Role::source)
        painted_line(story_line.depth, paint(story_line.text, dim));
      else if (end == 0 || end == std::string::npos)
        line(story_line.depth, story_line.text);
      else
        painted_line(story_line.depth, paint(story_line.text.substr(0, end + 1), bold) +
                                           printable(story_line.text.substr(end + 1), Controls::escape));
    }
  }

  /// The findings with the same root. Those that read alike (they differ in their callers) share a line.
  void variants(const Finding& finding) {
    constexpr std::size_t most = 8;
    std::vector<std::pair<std::string, std::uint64_t>> texts;  // and in how many executions
    for (const Finding& variant : finding.variants) {
      const std::string text = variant_text(variant, finding);
      const auto known =
          std::find_if(texts.begin(), texts.end(), [&](const auto& other) { return other.first == text; });
      if (known == texts.end())
        texts.emplace_back(text, variant.count);
      else
        known->second = std::min(known->second + variant.count, finding.count);
    }
    for (std::size_t i = 0; i < texts.size() && i < most; ++i)
      line(1, fmt::format("variant: {}, found in {} {}", texts[i].first, texts[i].second,
                          texts[i].second == 1 ? "execution" : "executions"));
    if (texts.size() > most) line(1, fmt::format("and {} more variants", texts.size() - most));
  }

  void object(const Finding& finding, const findings::MemoryObject& object) {
    if (object.place == findings::Place::heap) {
      const std::string by = object.thread.empty() ? "" : fmt::format(", allocated by thread {}", object.thread);
      line(1, fmt::format("the memory is at offset {} of a heap block of {} bytes{}",
                          object.address.value - object.block, object.block_size, by));
      stack(object.stack);
    } else if (object.place == findings::Place::mapped) {
      const std::string by = object.thread.empty() ? "" : fmt::format(" by thread {}", object.thread);
      line(1, fmt::format("the memory is at offset {} of {} bytes that were mapped{}",
                          object.address.value - object.block, object.block_size, by));
      stack(object.stack);
    } else if (object.place == findings::Place::stack) {
      const std::string whose = object.thread.empty() ? "" : fmt::format(" of thread {}", object.thread);
      line(1, fmt::format("the memory is on the stack{}", whose));
    } else if (finding.accesses.empty() && !object.address.symbol.empty()) {
      line(1, fmt::format("the memory is {}", address_name(object.address)));
    }
    // If there are accesses, the headline names a global variable already.
  }

  void program_output(const std::string& output) {
    if (output.empty()) return;
    const std::string_view end = last_lines(output, most_lines_of_output);
    if (end.size() == output.size())
      line(1, "the program printed:");
    else
      line(1, fmt::format("the last {} lines that the program printed:", most_lines_of_output));
    indented(end);
  }

  void indented(std::string_view text) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    for (;;) {
      const auto end = text.find('\n');
      const std::string_view whole = text.substr(0, end);
      const std::string cut = whole.size() > longest_line_of_output ? " ..." : "";
      painted_line(2, "| " + printable(whole.substr(0, longest_line_of_output), Controls::escape) + cut);
      if (end == text.npos) return;
      text.remove_prefix(end + 1);
    }
  }

  Colour colour_;
  std::string out_;
};

}  // namespace

Colour colour_for_standard_output() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return Colour::never;
  return ::isatty(1) == 1 ? Colour::always : Colour::never;
}

std::string finding_text(const Finding& finding, std::uint64_t executions, Colour colour) {
  Writer writer(colour);
  writer.finding(finding, executions);
  return writer.take();
}

std::string outputs_text(const findings::Results& results) {
  std::string text;
  for (const findings::ProgramOutput& output : results.outputs) {
    text += fmt::format("heddle: output of execution {}:\n", output.execution);
    text += printable(output.text, Controls::escape);
    if (!output.text.empty() && !output.text.ends_with('\n')) text += '\n';
  }
  return text;
}

std::string learnt_text(const findings::Results& results) {
  std::vector<findings::Learnt::Part> members;
  std::uint64_t sampled = 0;
  for (const findings::Learnt::Part& part : results.learnt.parts) {
    if (part.choice != "strategy") continue;
    members.push_back(part);
    sampled += part.executions;
  }
  if (members.size() < 2) return {};
  // The executions that no member has drawn are those of the search.
  if (results.statistics.executions > sampled)
    members.push_back({"strategy", "exhaustive", results.statistics.executions - sampled});
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.executions > b.executions; });
  std::string text;
  for (const auto& member : members) {
    text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : ", ", member.value,
                        100 * static_cast<double>(member.executions) /
                            static_cast<double>(std::max<std::uint64_t>(results.statistics.executions, 1)));
  }
  return fmt::format("heddle: auto used {}\n", text);
}

std::string terminal_report(const findings::Results& results, Colour colour, bool quiet) {
  std::string text;
  if (!quiet) {
    text += outputs_text(results);
    if (!results.isolation_reason.empty()) {
      text += fmt::format("heddle: using fork isolation: {}\n", printable(results.isolation_reason, Controls::escape));
    }
    if (!results.warning.empty()) {
      text += fmt::format("heddle: warning: {}\n", printable(results.warning, Controls::escape));
    }
    if (!results.incomplete.empty()) text += fmt::format("heddle: warning: {}\n", results.incomplete);
    for (const Finding& finding : results.findings)
      if (!finding.is_known) text += finding_text(finding, results.statistics.executions, colour) + "\n";
    for (const Finding& finding : results.findings)
      if (finding.is_known)
        text +=
            fmt::format("heddle: known: {}, {} times\n", printable(headline(finding), Controls::escape), finding.count);
    if (const std::string text_of_use = learnt_text(results); !text_of_use.empty()) text += text_of_use;
    if (findings::is_all_explored(results) && !results.bounds.empty())
      text += fmt::format("heddle: a bound of this search: {}\n", results.bounds.text());
    if (const std::string coverage = coverage_text(results); !coverage.empty())
      text += fmt::format("heddle: {}\n", coverage);
    if (results.statistics.escapes != 0) {
      text += fmt::format("heddle: {} times a thread was taken off the processor because it seemed to wait\n",
                          results.statistics.escapes);
    }
    for (const findings::Suppressed& entry : results.suppressed) {
      text += fmt::format("heddle: suppressed by {}: {} {}, {} times\n", printable(entry.suppression, Controls::escape),
                          entry.findings, entry.findings == 1 ? "finding" : "findings", entry.times);
    }
    if (results.findings_dropped != 0) {
      text += fmt::format("heddle: {} more findings did not fit and are not shown\n", results.findings_dropped);
    }
  }
  return text + fmt::format("heddle: {}\n", summary(results));
}

}  // namespace heddle::report
