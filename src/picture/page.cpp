#include "picture/page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "picture/page_text.hpp"
#include "picture/picture_json.hpp"
#include "report/markup.hpp"

namespace heddle::picture {

namespace {

/// JSON inside of a script element: nothing in it can end the element.
std::string escaped_for_script(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      result += "\\u003c";
    else if (c == '>')
      result += "\\u003e";
    else if (c == '&')
      result += "\\u0026";
    else
      result += c;
  }
  return result;
}

std::string data_of(const PageContent& content, const char* kind) {
  std::string relations;
  for (const Relation relation : content.relations)
    relations += fmt::format("{}\"{}\"", relations.empty() ? "" : ",", name_of(relation));
  std::string pictures;
  for (const FindingPicture& finding : content.pictures)
    pictures +=
        fmt::format("{}{{\"key\":\"{:016x}\",\"report\":{},\"picture\":{}}}", pictures.empty() ? "" : ",", finding.key,
                    finding.report.empty() ? "null" : finding.report, picture_json(finding.picture));
  return fmt::format("{{\"kind\":\"{}\",\"relations\":[{}],\"pictures\":[{}],\"report\":{}}}", kind, relations,
                     pictures, content.report);
}

/// The template has each marker once.
void fill(std::string& page, std::string_view marker, const std::string& text) {
  if (const auto at = page.find(marker); at != std::string::npos) page.replace(at, marker.size(), text);
}

Result<std::string> page(const PageContent& content, const char* kind) {
  if (auto problem = check_pages()) return *problem;
  std::string text(page_text());
  // The data comes first: the title is the program's text, and could hold the marker.
  fill(text, "{{data}}", escaped_for_script(data_of(content, kind)));
  fill(text, "{{title}}", report::escaped_markup(content.title));
  return text;
}

}  // namespace

Outcome check_pages() {
  if (!page_text().empty()) return {};
  return test_problem(
      "this heddle has no HTML pages, because d3 was not there when it was built: install the Debian packages "
      "node-d3-axis, node-d3-scale, node-d3-selection and node-d3-shape, and build it again; --svg and --dot do not "
      "need them");
}

Result<std::string> execution_page(const PageContent& content) { return page(content, "execution"); }
Result<std::string> campaign_page(const PageContent& content) { return page(content, "campaign"); }

}  // namespace heddle::picture
