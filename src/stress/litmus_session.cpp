#include "stress/litmus_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/arena.hpp"
#include "litmus/parser.hpp"
#include "litmus/test_files.hpp"
#include "models/memory_model.hpp"
#include "stress/process.hpp"

namespace heddle::stress {

namespace {

// Large enough that a compiler's start costs little, small enough that a crash of it costs few tests.
constexpr std::size_t batch_size = 100;
constexpr double most_delay = 60;

class BatchRun {
 public:
  BatchRun(const LitmusSettings& settings, const Compiler& compiler, const std::string& level,
           const LitmusListener& listener)
      : settings_(settings), compiler_(compiler), level_(level), listener_(listener) {}

  void run(std::span<const LitmusTest> tests, std::vector<LitmusResult>& results) {
    if (!folder_.exists()) return complain("a temporary folder could not be made");
    const std::string source = folder_.file("litmus.c"), program = folder_.file("litmus");
    if (!write_text(source, litmus_program(tests))) return complain("the disk is full");
    Compilation how{level_, settings_.common.flags, settings_.common.include};
    if (!settings_.common.runner.empty()) how.flags.emplace_back("-static");
    if (const auto error = compile(c_command(compiler_, how, source), program)) {
      if (is_interrupted()) return;
      return complain(fmt::format("the litmus tests from {} on do not compile with {} -{}: {}", tests[0].test.name,
                                  compiler_.name, level_, *error));
    }
    std::size_t next = 0;
    while (next < tests.size() && !is_interrupted()) {
      const std::size_t begin = next;
      const CommandEnd end = run_from(program, tests, next, results);
      if (end.interrupted || next >= tests.size()) return;
      if (begin == next && next == 0 && !end.started) return complain(cannot_run());
      if (end.exit_code > 0)
        return complain(fmt::format("{}: {}", cannot_run(), end.errors.substr(0, end.errors.find('\n'))));
      LitmusResult failed = empty_result(tests[next++]);
      failed.failure = end.timed_out ? "it did not end" : fmt::format("it ended with signal {}", end.signal);
      add(std::move(failed), results);
    }
  }

 private:
  CommandEnd run_from(const std::string& program, std::span<const LitmusTest> tests, std::size_t& next,
                      std::vector<LitmusResult>& results) {
    std::vector<std::string> command = settings_.common.runner;
    command.insert(command.end(),
                   {program, "--first", std::to_string(next), "--interleaved", std::to_string(settings_.instances),
                    "--seconds", fmt::format("{}", settings_.common.seconds), "--pin",
                    settings_.common.pinned ? "yes" : "no", "--seed", std::to_string(settings_.common.seed)});
    ProcessOptions options;
    options.silence =
        std::chrono::milliseconds(static_cast<std::int64_t>(1000 * (settings_.common.seconds + most_delay)));
    options.on_line = [&](const std::string& line) {
      if (next >= tests.size()) return;
      LitmusResult result = empty_result(tests[next]);
      if (!parse_states(line, result)) return;
      ++next;
      add(std::move(result), results);
    };
    return run_process(command, options);
  }

  LitmusResult empty_result(const LitmusTest& test) const {
    LitmusResult result;
    result.compiler = compiler_.name;
    result.level = level_;
    result.test = &test;
    return result;
  }

  void add(LitmusResult result, std::vector<LitmusResult>& results) const {
    results.push_back(std::move(result));
    if (listener_.on_result) listener_.on_result(results.back());
  }

  std::string cannot_run() const {
    std::string text = fmt::format("litmus tests that {} -{} compiled cannot be run", compiler_.name, level_);
    if (settings_.common.runner.empty() && compiler_.machine != own_machine())
      text += fmt::format(": they are for {}; --runner names a command that runs such programs", compiler_.machine);
    return text;
  }

  void complain(const std::string& problem) const {
    if (listener_.on_problem) listener_.on_problem(problem);
  }

  const LitmusSettings& settings_;
  const Compiler& compiler_;
  std::string level_;
  const LitmusListener& listener_;
  TemporaryFolder folder_;
};

}  // namespace

Result<std::vector<LitmusTest>> read_litmus_tests(const std::vector<std::string>& paths) {
  const auto files = litmus::find_test_files(paths);
  if (!files) return files.problem();
  alignas(std::max_align_t) std::array<std::byte, 4096> memory{};
  base::Arena arena(memory);
  const models::MemoryModel* model = models::make_model("rc11", {}, arena);
  std::vector<LitmusTest> tests;
  for (const std::string& file : *files) {
    auto test = litmus::read_test(file);
    if (!test) return usage_problem(test.problem().text);
    LitmusTest& added = tests.emplace_back();
    added.file = file;
    added.source = read_text(file);
    added.test = std::move(*test);
    added.allowed = litmus::run_exhaustively(added.test, *model);
  }
  return tests;
}

std::vector<LitmusResult> run_litmus(const LitmusSettings& settings, const std::vector<LitmusTest>& tests,
                                     const LitmusListener& listener) {
  std::vector<LitmusResult> results;
  results.reserve(tests.size() * settings.common.compilers.size() * settings.common.levels.size());
  for (const std::string& name : settings.common.compilers) {
    const auto compiler = find_compiler(name);
    if (!compiler) {
      if (listener.on_problem && !is_interrupted()) listener.on_problem(compiler.problem().text);
      continue;
    }
    for (const std::string& level : settings.common.levels) {
      BatchRun run(settings, *compiler, level, listener);
      const std::span<const LitmusTest> all(tests);
      for (std::size_t first = 0; first < all.size() && !is_interrupted(); first += batch_size)
        run.run(all.subspan(first, std::min(batch_size, all.size() - first)), results);
    }
  }
  return results;
}

std::vector<LitmusResult> run_at_levels(const LitmusSettings& settings, const LitmusTest& test, const std::string& name,
                                        const std::vector<std::string>& levels) {
  std::vector<LitmusResult> results;
  const auto compiler = find_compiler(name);
  if (!compiler) return results;
  const LitmusListener silent;
  for (const std::string& level : levels) BatchRun(settings, *compiler, level, silent).run({&test, 1}, results);
  return results;
}

}  // namespace heddle::stress
