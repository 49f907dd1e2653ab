#include "report/sarif_parts.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "report/places.hpp"
#include "report/text.hpp"

namespace heddle::report {

namespace {

constexpr const char* schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* working_folder_name = "%WORKINGFOLDER%";  // the base of relative URIs

}  // namespace

SarifJson sarif_message(const std::string& bytes) { return {{"text", printable(bytes, Controls::escape)}}; }

std::string uri_path(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_letter || std::string_view("-._~/+@").find(c) != std::string_view::npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<std::uint8_t>(c));
  }
  return uri;
}

SarifJson sarif_artifact(const std::string& file, const std::string& folder) {
  const std::string inside = relative_to(file, folder);
  if (!inside.empty()) return {{"uri", uri_path(inside)}, {"uriBaseId", working_folder_name}};
  return {{"uri", (file.starts_with("/") ? "file://" : "") + uri_path(file)}};
}

SarifJson sarif_location(const std::string& file, unsigned line, unsigned column, const std::string& folder) {
  SarifJson region = {{"startLine", line}};
  if (column != 0) region["startColumn"] = column;
  return {{"artifactLocation", sarif_artifact(file, folder)}, {"region", region}};
}

std::string sarif_log(SarifJson rules, SarifJson invocation, SarifJson results, const std::string& version,
                      const std::string& folder) {
  const SarifJson driver = {{"name", "heddle"}, {"version", version}, {"rules", std::move(rules)}};
  const SarifJson run = {{"tool", {{"driver", driver}}},
                         {"invocations", SarifJson::array({std::move(invocation)})},
                         {"originalUriBaseIds", {{working_folder_name, {{"uri", "file://" + uri_path(folder + "/")}}}}},
                         {"columnKind", "unicodeCodePoints"},
                         {"results", std::move(results)}};
  const SarifJson log = {{"$schema", schema}, {"version", "2.1.0"}, {"runs", SarifJson::array({run})}};
  return log.dump(2, ' ', false, SarifJson::error_handler_t::replace) + "\n";
}

}  // namespace heddle::report
