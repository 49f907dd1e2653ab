#include "stress/result.hpp"

#include <nlohmann/json.hpp>

namespace heddle::stress {

using nlohmann::json;

namespace {

Expectation expectation_named(const std::string& name) {
  return name == "atomic" ? Expectation::atomic : name == "broken" ? Expectation::broken : Expectation::weak;
}

/// Nothing, unless the line ends with an object that names a subject and has the member. The subject may have printed
/// text before it, without a newline.
std::optional<json> parse_line(const std::string& line, const char* member) {
  const std::size_t start = line.rfind("{\"subject\":");
  if (start == std::string::npos) return std::nullopt;
  json value = json::parse(line.begin() + static_cast<std::ptrdiff_t>(start), line.end(), nullptr, false);
  if (!value.is_object() || !value.contains("subject") || !value.contains(member)) return std::nullopt;
  return value;
}

}  // namespace

const char* name_of(Expectation expectation) {
  switch (expectation) {
    case Expectation::atomic: return "atomic";
    case Expectation::broken: return "broken";
    case Expectation::weak: return "weak";
  }
  return "";
}

std::optional<SubjectResult> parse_result(const std::string& line) try {
  const auto value = parse_line(line, "interleaved_errors");
  if (!value) return std::nullopt;
  SubjectResult result;
  result.subject = value->at("subject");
  result.expectation = expectation_named(value->at("expectation"));
  result.order = value->at("order");
  result.barrier = value->at("barrier");
  result.threads = value->at("threads");
  result.cores = value->at("cores");
  result.runs = value->at("runs");
  result.interleaved = value->at("interleaved");
  result.errors = value->at("errors");
  result.interleaved_errors = value->at("interleaved_errors");
  result.lost = value->at("lost").get<std::vector<std::uint64_t>>();
  if (value->contains("first_error"))
    result.first_error = value->at("first_error").get<std::vector<std::vector<std::uint64_t>>>();
  result.longest_burst = value->value("longest_burst", std::uint64_t{1});
  result.seconds = value->at("seconds");
  return result;
} catch (const json::exception&) {  // a subject may print anything
  return std::nullopt;
}

std::optional<NaiveResult> parse_naive(const std::string& line) try {
  const auto value = parse_line(line, "actual");
  if (!value) return std::nullopt;
  return NaiveResult{value->at("subject"), expectation_named(value->at("expectation")),
                     value->at("threads"), value->at("expected"),
                     value->at("actual"),  value->at("seconds")};
} catch (const json::exception&) {
  return std::nullopt;
}

}  // namespace heddle::stress
