#include "report/annotations.hpp"

#include <fmt/format.h>

#include <string_view>

#include "report/places.hpp"
#include "report/text.hpp"

namespace heddle::report {

namespace {

/// The value of a property, or the message: what would end it is percent-encoded.
std::string encoded(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : printable(text, Controls::escape)) {
    if (special.find(c) != std::string_view::npos)
      result += fmt::format("%{:02X}", static_cast<std::uint8_t>(c));
    else
      result += c;
  }
  return result;
}
std::string property(std::string_view text) { return encoded(text, "%\r\n:,"); }
std::string message(std::string_view text) { return encoded(text, "%\r\n"); }

std::string where(const SourcePlace& place, const std::string& folder) {
  const std::string inside = relative_to(place.file, folder);
  return fmt::format("{}:{}", inside.empty() ? place.file : inside, place.line);
}

}  // namespace

std::string github_annotations(const findings::Results& results, const std::string& folder) {
  std::string lines;
  for (const findings::Finding& finding : results.findings) {
    if (finding.is_suppressed) continue;
    std::string properties;
    if (const auto place = place_of(finding)) {
      const std::string inside = relative_to(place->file, folder);
      properties = fmt::format("file={},line={}", property(inside.empty() ? place->file : inside), place->line);
      if (place->column != 0) properties += fmt::format(",col={}", place->column);
      properties += ",";
    }
    std::string text = headline(finding);
    for (const SourcePlace& place : related_places(finding))
      text += fmt::format("\n{} at {}", place.what, where(place, folder));
    if (!finding.trace.empty()) text += fmt::format("\nheddle replay {}", shell_word(finding.trace));
    lines += fmt::format("::{} {}title=heddle%3A {}::{}\n",
                         finding.is_known            ? "notice"
                         : findings::is_bug(finding) ? "error"
                                                     : "warning",
                         properties, property(channel::name_of(finding.kind)), message(text));
  }
  return lines;
}

}  // namespace heddle::report
