#include "cli/report_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cli/campaign_page.hpp"
#include "report/annotations.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/sarif.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

std::string working_folder() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

}  // namespace

Outcome write_report_files(const campaign::Settings& settings, const findings::Results& results) {
  const findings::RunDescription run{settings.program_name, settings.args, settings.run};
  Outcome first_problem;
  const auto write = [&](const run::Text& path, const std::string& content) {
    auto problem = write_file_atomically(path.c_str(), content);
    if (problem && !first_problem) first_problem = problem;
  };
  if (!settings.run.json.empty()) write(settings.run.json, report::json_report(run, results, HEDDLE_VERSION));
  if (!settings.run.junit.empty())
    write(settings.run.junit, report::junit_report(run, results, HEDDLE_VERSION, std::chrono::system_clock::now()));
  if (!settings.run.sarif.empty())
    write(settings.run.sarif, report::sarif_report(run, results, HEDDLE_VERSION, working_folder()));
  if (settings.run.html.empty()) return first_problem;
  const auto page = campaign_page(settings, results);
  if (page)
    write(settings.run.html, *page);
  else if (!first_problem)
    first_problem = page.problem();
  return first_problem;
}

std::string annotations(const campaign::Settings& settings, const findings::Results& results) {
  if (settings.run.annotations == run::Annotations::none) return {};
  // GitHub takes paths relative to the repository.
  const char* repository = std::getenv("GITHUB_WORKSPACE");
  return report::github_annotations(results, repository != nullptr ? repository : working_folder());
}

Outcome print_report(const campaign::Settings& settings, const std::string& text) {
  const std::string path(settings.run.log_path.view());
  if (!path.empty() && path != "stdout" && path != "stderr")
    return write_file_atomically(fmt::format("{}.{}", path, ::getpid()), text);
  FILE* stream = path == "stderr" ? stderr : stdout;
  fmt::print(stream, "{}", text);
  if (std::fflush(stream) == 0) return {};
  return test_problem("cannot write the report to standard output");
}

}  // namespace heddle::cli
