#include "litmus/expectations.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "litmus/input_file.hpp"
#include "models/descriptor.hpp"

namespace heddle::litmus {

namespace {

/// False: the record does not have the form that expectations.hpp describes.
bool read_record(const nlohmann::json& record, std::string& name, Expectation& expectation) {
  if (!record.is_object() || !record.contains("name") || !record["name"].is_string()) return false;
  if (!record.contains("states") || !record["states"].is_array()) return false;
  name = record["name"].get<std::string>();
  if (record.contains("undefined")) {
    if (!record["undefined"].is_boolean()) return false;
    expectation.undefined = record["undefined"].get<bool>();
  }
  for (const models::ModelDescriptor* model : models::registered_models())
    if (record.value("model", nlohmann::json()) == model->name) expectation.judges_races = model->is_of_language;
  for (const nlohmann::json& state : record["states"]) {
    if (!state.is_object()) return false;
    NamedState named;
    for (const auto& [key, value] : state.items()) {
      if (!value.is_string()) return false;
      named[key] = value.get<std::string>();
    }
    expectation.states.insert(std::move(named));
  }
  return true;
}

}  // namespace

Result<std::map<std::string, Expectation>> read_expectations(const std::string& file) {
  if (auto problem = check_input_file(file)) return *problem;
  std::ifstream in(file);
  if (!in) return problem_at(file, {}, "cannot be read");
  std::map<std::string, Expectation> expectations;
  std::string line;
  for (Position at; std::getline(in, line); ++at.line) {
    if (line.empty()) continue;
    const auto record = nlohmann::json::parse(line, nullptr, false);
    std::string name;
    Expectation expectation;
    if (record.is_discarded() || !read_record(record, name, expectation))
      return problem_at(file, at, "this is not an expectation record");
    expectations[name] = std::move(expectation);
  }
  return expectations;
}

}  // namespace heddle::litmus
