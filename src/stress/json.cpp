#include "stress/json.hpp"

#include <nlohmann/json.hpp>

namespace heddle::stress {

using nlohmann::json;

namespace {

json or_null(std::optional<double> value) { return value ? json(*value) : json(nullptr); }

}  // namespace

json json_of(const SubjectResult& result) {
  json value = {{"subject", result.subject},
                {"expectation", name_of(result.expectation)},
                {"order", result.order},
                {"barrier", result.barrier},
                {"bug", result.is_bug()}};
  if (!result.cause.empty()) value["cause"] = result.cause;
  if (!result.failure.empty()) {
    value["failure"] = result.failure;
    return value;
  }
  value.update({{"threads", result.threads},
                {"cores", result.cores},
                {"runs", result.runs},
                {"interleaved_runs", result.interleaved},
                {"errors", result.errors},
                {"interleaved_percent", or_null(result.interleaved_of_runs())},
                {"error_percent", or_null(result.errors_of_runs())},
                {"interleaved_errors", result.interleaved_errors},
                {"interleaved_errors_per_run", or_null(result.interleaved_errors_of_runs())},
                {"interleaved_errors_per_error", or_null(result.interleaved_errors_of_errors())},
                {"interleaved_errors_per_interleaved_run", or_null(result.interleaved_errors_of_interleaved())},
                {"lost", result.lost},
                {"longest_burst", result.longest_burst},
                {"seconds", result.seconds}});
  if (!result.first_error.empty()) value["orders_of_an_error"] = result.first_error;
  return value;
}

json json_of(const Cell& cell) {
  json subjects = json::array(), naive = json::array();
  for (const SubjectResult& result : cell.subjects) subjects.push_back(json_of(result));
  for (const NaiveResult& result : cell.naive)
    naive.push_back({{"subject", result.subject},
                     {"expectation", name_of(result.expectation)},
                     {"threads", result.threads},
                     {"expected", result.expected},
                     {"actual", result.actual},
                     {"bug", result.is_bug()},
                     {"seconds", result.seconds}});
  return {{"compiler", cell.compiler}, {"version", cell.version}, {"level", cell.level},
          {"problems", cell.problems}, {"subjects", subjects},    {"naive", naive}};
}

json json_of(const Settings& settings) {
  return {{"compilers", settings.compilers},
          {"levels", settings.levels},
          {"flags", settings.flags},
          {"runner", settings.runner},
          {"patterns", settings.patterns},
          {"interleaved", settings.interleaved},
          {"seconds", settings.seconds},
          {"threads", settings.threads},
          {"orders", settings.orders},
          {"barriers", settings.barriers},
          {"pinned", settings.pinned},
          {"naive", settings.naive},
          {"seed", settings.seed}};
}

}  // namespace heddle::stress
