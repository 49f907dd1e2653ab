#include "session/order_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "orders/source_diff.hpp"
#include "report/orders_json.hpp"
#include "report/orders_page.hpp"
#include "report/orders_sarif.hpp"
#include "report/orders_words.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::session {

namespace {

/// Symbolic links stay, and the file keeps its permissions.
Outcome replace_file(const std::string& path, const std::string& content) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (error) return test_problem(fmt::format("cannot write {}: {}", path, error.message()));
  const auto permissions = std::filesystem::status(real, error).permissions();
  if (auto problem = write_file_atomically(real.string(), content)) return problem;
  std::filesystem::permissions(real, permissions, error);
  return std::nullopt;
}

}  // namespace

Outcome write_order_reports(const run::RunSpecification& run, const orders::OrderResults& results) {
  Outcome first_problem;
  const auto write = [&](const run::Text& path, const std::string& content) {
    auto problem = write_file_atomically(path.c_str(), content);
    if (problem && !first_problem) first_problem = problem;
  };
  if (!run.json.empty()) write(run.json, report::orders_json(results, HEDDLE_VERSION));
  if (!run.sarif.empty()) write(run.sarif, report::orders_sarif(results, HEDDLE_VERSION, report::working_folder()));
  if (!run.html.empty()) write(run.html, report::orders_page(results));
  return first_problem;
}

Result<std::vector<std::string>> apply_answer(const orders::OrderResults& results, std::size_t answer) {
  const orders::SourceDiff diff = orders::source_diff(results.answers[answer], results.sites);
  if (!diff.by_hand.empty())
    return test_problem(fmt::format("--apply: nothing was written, because {} of the {} changes are to be made by hand",
                                    diff.by_hand.size(), results.answers[answer].changes.size()));
  std::vector<std::string> written;
  for (const orders::EditedFile& file : diff.files) {
    const auto now = read_whole_file(file.path);
    if (!now) return now.problem();
    if (*now != file.text) return test_problem(fmt::format("--apply: {} has changed: compile it again", file.path));
    if (auto problem = replace_file(file.path, orders::apply_edits(file.text, file.edits))) return *problem;
    written.push_back(file.path);
  }
  return written;
}

}  // namespace heddle::session
