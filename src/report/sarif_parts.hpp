// What the SARIF of all commands has in common.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heddle::report {

using SarifJson = nlohmann::ordered_json;

SarifJson sarif_message(const std::string& bytes);
/// The path of a URI: every byte that may not stand in one is percent-encoded.
std::string uri_path(std::string_view path);
/// Relative to `folder` if the file lies below it.
SarifJson sarif_artifact(const std::string& file, const std::string& folder);
/// The region is a line, and a column if it is not 0.
SarifJson sarif_location(const std::string& file, unsigned line, unsigned column, const std::string& folder);
/// The whole log, with one run of heddle. `rules` is an array.
std::string sarif_log(SarifJson rules, SarifJson invocation, SarifJson results, const std::string& version,
                      const std::string& folder);

}  // namespace heddle::report
