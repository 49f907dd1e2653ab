#include "stress/session.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstring>

#include "stress/process.hpp"

namespace heddle::stress {

namespace {

// A subject ends by itself after Settings::seconds. A program that is silent for so much longer hangs.
constexpr double most_delay = 60;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0, end; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
    lines.push_back(text.substr(start, end - start));
  return lines;
}

/// "broken plain_add/u8", as the program lists its subjects.
struct ListedSubject {
  std::string expectation, name;
};

class CellRun {
 public:
  CellRun(const Settings& settings, const Compiler& compiler, Cell& cell, const Listener& listener)
      : settings_(settings), compiler_(compiler), cell_(cell), listener_(listener) {}

  void run(const SubjectFile& file) {
    if (is_interrupted()) return;
    if (file.is_cxx() && compiler_.cxx.empty()) return;
    const auto subjects = prepare(file);
    if (is_interrupted()) return;
    if (!subjects) return complain(subjects.problem().text);
    if (subjects->empty()) return;
    for (const std::string& barrier : settings_.barriers)
      for (const std::string& order : settings_.orders) run_all(file, *subjects, order, barrier);
    if (settings_.naive != 0) run_naive(file, *subjects);
  }

  /// Compiles the file, and asks the program for the subjects that match the patterns.
  Result<std::vector<ListedSubject>> prepare(const SubjectFile& file) {
    if (!folder_.exists()) return test_problem("a temporary folder could not be made");
    program_ = folder_.file(fmt::format("program-{}", ++number_));
    if (const auto error = compile_subjects(file, compiler_, how(), settings_.folder + "/harness.c", program_))
      return test_problem(fmt::format("{} does not compile with {}: {}", file.name(), cell_.title(), *error));
    const CommandEnd list = run_process(command({"--list"}, settings_.patterns));
    if (!list.succeeded()) return test_problem(cannot_run(file, list));
    std::vector<ListedSubject> subjects;
    for (const std::string& line : lines_of(list.output))
      subjects.push_back({line.substr(0, line.find(' ')), line.substr(line.find(' ') + 1)});
    return subjects;
  }

 private:
  Compilation how() const {
    Compilation result{cell_.level, settings_.flags, settings_.include};
    // A runner (an emulator, say) does not find the shared libraries of the machine that it stands for.
    if (!settings_.runner.empty()) result.flags.emplace_back("-static");
    return result;
  }

  std::vector<std::string> command(const std::vector<std::string>& options,
                                   const std::vector<std::string>& names) const {
    std::vector<std::string> words = settings_.runner;
    words.push_back(program_);
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), names.begin(), names.end());
    return words;
  }

  std::string cannot_run(const SubjectFile& file, const CommandEnd& end) const {
    std::string what = fmt::format("{}, compiled with {}, cannot be run", file.name(), cell_.title());
    if (!settings_.runner.empty())
      return fmt::format("{} by {}: is it installed, and does it run programs for {}?", what, settings_.runner[0],
                         compiler_.machine);
    if (!compiler_.machine.empty() && compiler_.machine != own_machine())
      return fmt::format("{}: it is for {}; --runner names a command that runs such programs", what, compiler_.machine);
    if (!end.started) return what;
    return fmt::format(
        "{}: it ended with {}", what,
        end.signal != 0 ? fmt::format("signal {}", end.signal) : fmt::format("exit code {}", end.exit_code));
  }

  /// Runs the subjects. If the program crashes or hangs in one of them, continues with the one after it.
  void run_all(const SubjectFile& file, const std::vector<ListedSubject>& subjects, const std::string& order,
               const std::string& barrier) {
    std::size_t next = 0;
    while (next < subjects.size() && !is_interrupted()) {
      std::vector<std::string> names;
      for (std::size_t i = next; i < subjects.size(); ++i) names.push_back(subjects[i].name);
      ProcessOptions options;
      options.silence = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * (settings_.seconds + most_delay)));
      options.on_line = [&](const std::string& line) {
        auto result = parse_result(line);
        if (!result || next >= subjects.size() || result->subject != subjects[next].name) return;
        ++next;
        result->file = file.path;
        add(std::move(*result));
      };
      const CommandEnd end = run_process(command(run_options(order, barrier), names), options);
      if (end.interrupted || next >= subjects.size()) return;
      if (end.exit_code == 3)
        return complain(fmt::format("{}, compiled with {}: {}", file.name(), cell_.title(),
                                    end.errors.substr(0, end.errors.find('\n'))));
      SubjectResult failed;
      failed.subject = subjects[next].name;
      failed.expectation = subjects[next].expectation == "atomic"   ? Expectation::atomic
                           : subjects[next].expectation == "broken" ? Expectation::broken
                                                                    : Expectation::weak;
      failed.order = order;
      failed.barrier = barrier;
      failed.file = file.path;
      failed.failure = failure_text(end);
      ++next;
      add(std::move(failed));
    }
  }

  std::string failure_text(const CommandEnd& end) const {
    if (end.timed_out) return fmt::format("it did not end within {} s", settings_.seconds + most_delay);
    if (end.signal != 0) return fmt::format("it ended with signal {} ({})", end.signal, ::strsignal(end.signal));
    return fmt::format("it ended with exit code {} and no result", end.exit_code);
  }

  void run_naive(const SubjectFile& file, const std::vector<ListedSubject>& subjects) {
    std::vector<std::string> names;
    names.reserve(subjects.size());
    for (const ListedSubject& subject : subjects) names.push_back(subject.name);
    std::vector<std::string> words = run_options("same", "spin");
    words.insert(words.end(), {"--naive", std::to_string(settings_.naive)});
    const CommandEnd end = run_process(command(words, names));
    for (const std::string& line : lines_of(end.output))
      if (auto result = parse_naive(line)) cell_.naive.push_back(std::move(*result));
    if (!end.succeeded() && end.exit_code != 1 && !end.interrupted)  // 1: a value was wrong
      complain(fmt::format("the naive test of {}, compiled with {}, did not end well", file.name(), cell_.title()));
  }

  std::vector<std::string> run_options(const std::string& order, const std::string& barrier) const {
    std::vector<std::string> words{"--interleaved", std::to_string(settings_.interleaved),
                                   "--seconds",     fmt::format("{}", settings_.seconds),
                                   "--order",       order,
                                   "--barrier",     barrier,
                                   "--pin",         settings_.pinned ? "yes" : "no",
                                   "--seed",        std::to_string(settings_.seed),
                                   "--until-error", settings_.until_error ? "1" : "0"};
    if (settings_.threads != 0) words.insert(words.end(), {"--threads", std::to_string(settings_.threads)});
    return words;
  }

  void add(SubjectResult result) {
    cell_.subjects.push_back(std::move(result));
    if (listener_.on_result) listener_.on_result(cell_, cell_.subjects.back());
  }

  void complain(const std::string& problem) {
    cell_.problems.push_back(problem);
    if (listener_.on_problem) listener_.on_problem(problem);
  }

  const Settings& settings_;
  const Compiler& compiler_;
  Cell& cell_;
  const Listener& listener_;
  TemporaryFolder folder_;
  std::string program_;
  int number_ = 0;
};

}  // namespace

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

std::vector<Cell> run_subjects(const Settings& settings, const std::vector<SubjectFile>& files,
                               const Listener& listener) {
  std::vector<Cell> cells;
  cells.reserve(settings.compilers.size() * settings.levels.size());
  for (const std::string& name : settings.compilers) {
    const auto compiler = find_compiler(name);
    if (!compiler && listener.on_problem && !is_interrupted()) listener.on_problem(compiler.problem().text);
    for (const std::string& level : settings.levels) {
      Cell& cell = cells.emplace_back();
      cell.compiler = name;
      cell.level = level;
      if (!compiler) {
        cell.problems.push_back(compiler.problem().text);
        continue;
      }
      cell.version = compiler->version;
      if (listener.on_cell) listener.on_cell(cell);
      CellRun run(settings, *compiler, cell, listener);
      for (const SubjectFile& file : files)
        if (file.may_match(settings.patterns)) run.run(file);
    }
  }
  return cells;
}

Result<std::vector<std::string>> list_subjects(const Settings& settings, const std::vector<SubjectFile>& files) {
  const auto compiler = find_compiler(settings.compilers.at(0));
  if (!compiler) return compiler.problem();
  Cell cell;
  cell.compiler = compiler->name;
  cell.level = settings.levels.at(0);
  const Listener listener;
  CellRun run(settings, *compiler, cell, listener);
  std::vector<std::string> names;
  for (const SubjectFile& file : files) {
    if (!file.may_match(settings.patterns) || (file.is_cxx() && compiler->cxx.empty())) continue;
    const auto subjects = run.prepare(file);
    if (!subjects) return subjects.problem();
    for (const ListedSubject& subject : *subjects)
      names.push_back(fmt::format("{:<50} {}", subject.name, subject.expectation));
  }
  return names;
}

}  // namespace heddle::stress
