#include "results/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "findings/lasting_key.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::results {

namespace {

using Json = nlohmann::json;

void collect(const Json& findings, std::set<std::string>& keys) {
  for (const Json& finding : findings) {
    keys.insert(finding.at("lasting_key").get<std::string>());
    if (finding.contains("variants")) collect(finding.at("variants"), keys);
  }
}

}  // namespace

Result<Baseline> Baseline::read(const std::string& path) {
  const auto text = read_whole_file(path);
  if (!text)
    return usage_problem(fmt::format("--baseline: {}; heddle test --json FILE writes a report that can be a baseline",
                                     text.problem().text));
  try {
    Baseline baseline;
    collect(Json::parse(*text).at("findings"), baseline.keys_);
    return baseline;
  } catch (const Json::exception&) {
    return usage_problem(fmt::format(
        "--baseline: {} is not a report that this heddle test, verify or merge has written with --json", path));
  }
}

void Baseline::mark(std::vector<findings::Finding>& findings) const {
  const auto is_listed = [&](const findings::Finding& finding) {
    return keys_.contains(findings::lasting_key_text(finding));
  };
  for (findings::Finding& finding : findings)
    finding.is_known = is_listed(finding) || std::any_of(finding.variants.begin(), finding.variants.end(), is_listed);
}

}  // namespace heddle::results
