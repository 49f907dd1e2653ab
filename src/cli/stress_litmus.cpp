#include "cli/stress_litmus.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "report/text.hpp"
#include "stress/json.hpp"
#include "stress/litmus_report.hpp"
#include "stress/process.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

std::string printable(const std::string& text) { return report::printable(text, report::Controls::escape); }

void print(const std::string& text) {
  fmt::print("{}", printable(text));
  std::fflush(stdout);
}

class LitmusStress {
 public:
  LitmusStress(const StressLitmusOptions& options, const std::vector<stress::LitmusTest>& tests)
      : options_(options), tests_(tests) {}

  int run() {
    stress::LitmusListener listener;
    listener.on_problem = [this](const std::string& problem) { complain(problem); };
    listener.on_result = [this](const stress::LitmusResult& result) { show(result); };
    stress::run_litmus(options_.settings, tests_, listener);
    std::string line =
        fmt::format("heddle: {} tests run, {} with forbidden states, {} not judged, {} of {} allowed states seen, ",
                    run_, bugs_, not_judged_, seen_, allowed_);
    line += fmt::format("{} instances, {:.2f} s\n", instances_, seconds_);
    return finish(line, "litmus");
  }

  int compare() {
    stress::AssemblyListener listener;
    listener.on_problem = [this](const std::string& problem) { complain(problem); };
    listener.on_result = [this](const stress::AssemblyResult& result) { show(result); };
    stress::compare_assembly(options_.settings, tests_, listener);
    return finish(
        fmt::format(
            "heddle: {} compiled tests compared, {} wrong, {} with allowed differences, {} threads not judged\n", run_,
            bugs_, different_, not_judged_),
        "assembly");
  }

 private:
  void complain(const std::string& problem) {
    has_problem_ = true;
    report_problem(test_problem(problem));
  }

  void show(const stress::LitmusResult& result) {
    ++run_;
    instances_ += result.instances;
    seconds_ += result.seconds;
    not_judged_ += result.test->is_judged() ? 0 : 1;
    if (result.test->is_judged()) {
      allowed_ += result.test->allowed.states.size();
      seen_ += result.test->allowed.states.size() - result.unseen().size();
    }
    if (!options_.is_quiet) print(stress::histogram_text(result) + "\n");
    if (result.is_bug()) {
      ++bugs_;
      // The levels of other compilers follow in their own turn.
      const auto levels =
          stress::run_at_levels(options_.settings, *result.test, result.compiler, {"O0", "O1", "O2", "O3"});
      print(stress::forbidden_text(
          result, levels, stress::assembly_of(options_.settings, *result.test, result.compiler, result.level)));
    }
    if (!options_.json.empty()) records_.push_back(stress::json_of(result));
  }

  void show(const stress::AssemblyResult& result) {
    ++run_;
    not_judged_ += result.check.not_judged.size();
    bugs_ += result.check.is_bug() ? 1 : 0;
    different_ += !result.check.is_bug() && !result.check.findings.empty() ? 1 : 0;
    if (result.check.is_bug() || !options_.is_quiet) {
      print(stress::assembly_text(result));
      for (const std::string& sentence : result.check.not_judged)
        print(fmt::format("heddle: {}: {}\n", result.title(), sentence));
    }
    if (!options_.json.empty()) records_.push_back(stress::json_of(result));
  }

  int finish(const std::string& line, const char* kind) {
    print(line);
    if (!options_.json.empty()) {
      const nlohmann::json all = {{"version", HEDDLE_VERSION},
                                  {"settings", stress::json_of(options_.settings.common)},
                                  {"interrupted", stress::is_interrupted()},
                                  {kind, records_}};
      const std::string text = all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
      if (auto problem = write_file_atomically(options_.json, text); problem && bugs_ == 0)
        return report_problem(*problem);
    }
    if (bugs_ != 0) return static_cast<int>(ExitCode::bug_found);
    if (stress::is_interrupted()) return report_problem(test_problem("interrupted before all tests were done"));
    return static_cast<int>(has_problem_ ? ExitCode::cannot_test : ExitCode::no_bug);
  }

  const StressLitmusOptions& options_;
  const std::vector<stress::LitmusTest>& tests_;
  nlohmann::json records_ = nlohmann::json::array();
  std::uint64_t run_ = 0, bugs_ = 0, different_ = 0, not_judged_ = 0, allowed_ = 0, seen_ = 0, instances_ = 0;
  double seconds_ = 0;
  bool has_problem_ = false;
};

}  // namespace

int run_stress_litmus(const StressLitmusOptions& options) {
  const auto tests = stress::read_litmus_tests(options.paths);
  if (!tests) return report_problem(tests.problem());
  stress::watch_signals();
  LitmusStress run(options, *tests);
  return options.compares_assembly ? run.compare() : run.run();
}

}  // namespace heddle::cli
