#include "report/orders_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "findings/source_lines.hpp"
#include "report/markup.hpp"
#include "report/orders_text.hpp"
#include "report/orders_words.hpp"
#include "report/text.hpp"

namespace heddle::report {

namespace {

using orders::AuditedSite;
using orders::OrderQuestion;
using orders::OrderResults;
using orders::OrderSite;
using orders::SiteVerdict;

// Lines around an operation that the page shows.
constexpr unsigned context = 6;

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}</title><style>
:root {{ color-scheme: light dark; --ink: #1f2328; --paper: #ffffff; --soft: #59636e; --line: #d8dee4; --weak: #ffdcd7; --strong: #fff1b8;
  --needed: #d3f5dc; --open: #e3e8ee; --link: #0969da; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #e6edf3; --paper: #0d1117; --soft: #9198a1; --line: #30363d; --weak: #5c1f1b;
  --strong: #4f4008; --needed: #14432a; --open: #2a313a; --link: #4493f8; }} }}
body {{ margin: 0 auto; max-width: 1200px; padding: 16px 24px; background: var(--paper); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; }}
h1 {{ font-size: 20px; }} h2 {{ font-size: 16px; margin-top: 28px; }} .soft {{ color: var(--soft); }}
table {{ border-collapse: collapse; }} td, th {{ text-align: left; padding: 3px 12px 3px 6px; vertical-align: top; border-bottom: 1px solid var(--line); }}
.source {{ overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }}
.source td {{ border: 0; padding: 0 12px 0 6px; }} .number {{ color: var(--soft); text-align: right; user-select: none; }}
code, pre {{ font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; white-space: pre; }}
pre {{ overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; padding: 8px; }}
.weak {{ background: var(--weak); }} .strong {{ background: var(--strong); }} .needed {{ background: var(--needed); }} .open {{ background: var(--open); }}
.say {{ white-space: normal; font-size: 12.5px; }} a {{ color: var(--link); }}
.key span {{ padding: 1px 8px; margin-right: 8px; border-radius: 4px; }}
</style></head><body>
)";

/// The class of the style for what is known of a site.
const char* style_of(SiteVerdict verdict) {
  switch (verdict) {
    case SiteVerdict::too_weak: return "weak";
    case SiteVerdict::too_strong:
    case SiteVerdict::not_needed: return "strong";
    case SiteVerdict::needed:
    case SiteVerdict::relaxed: return "needed";
    default: return "open";
  }
}

struct Mark {
  std::string style;
  std::string text;
};

class OrdersPage {
 public:
  explicit OrdersPage(const OrderResults& results) : results_(results) {
    if (results.question == OrderQuestion::audit)
      mark_audit();
    else
      mark_changes();
  }

  std::string write() const {
    const std::string title = "heddle: memory orders of " + programs();
    std::string page = fmt::format(head, escaped_markup(title));
    page += fmt::format("<h1>{}</h1>\n", escaped_markup(title));
    page += fmt::format("<p class=\"soft\">{}</p>\n", escaped_markup(scope_text(results_)));
    page +=
        "<p class=\"key\"><span class=\"needed\">needed, or relaxed</span><span class=\"strong\">stronger than "
        "needed</span>"
        "<span class=\"weak\">too weak</span><span class=\"open\">not judged</span></p>\n";
    for (const auto& [file, marks] : marks_) page += source(file, marks);
    page += without_source();
    page += "<h2>Report</h2>\n<pre>" + escaped_markup(orders_text(results_, /*quiet=*/false)) + "</pre>\n";
    return page + "</body></html>\n";
  }

 private:
  using LineMarks = std::map<unsigned, std::vector<Mark>>;

  std::string programs() const {
    std::string text;
    for (const std::string& program : results_.programs) text += (text.empty() ? "" : ", ") + program;
    return text;
  }

  void mark_audit() {
    for (const AuditedSite& audited : results_.audit) {
      const OrderSite& site = results_.sites[audited.site];
      const auto order = site.order();
      std::string text = fmt::format("{} {}: {}", orders::name_of(site.operation), order ? orders::name_of(*order) : "",
                                     verdict_text(audited));
      if (const std::string reason = reason_text(audited, site); !reason.empty()) text += fmt::format(" ({})", reason);
      add(site, {style_of(audited.verdict), text});
    }
  }

  void mark_changes() {
    if (results_.answers.empty()) return;
    const bool is_fix = results_.question == OrderQuestion::fix;
    for (const orders::SiteChange& change : results_.answers.front().changes) {
      const OrderSite& site = results_.sites[change.site];
      add(site, {is_fix ? "weak" : "strong", fmt::format("{}: {}", operation_text(change, site), change_text(change))});
    }
  }

  void add(const OrderSite& site, Mark mark) {
    if (site.place.line == 0)
      others_.push_back({mark.style, site_place(site) + ": " + mark.text});
    else
      marks_[site.place.file][site.place.line].push_back(std::move(mark));
  }

  /// The parts of the file around its operations.
  static std::string source(const std::string& file, const LineMarks& marks) {
    const std::vector<std::string> lines = findings::source_lines(file);
    std::string html = fmt::format("<h2>{}</h2>\n<div class=\"source\"><table>\n", escaped_markup(short_path(file)));
    unsigned last = 0;
    for (const auto& [line, on_line] : marks) {
      const unsigned first = std::max(line > context ? line - context : 1, last + 1);
      if (last != 0 && first > last + 1) html += "<tr><td class=\"number\">...</td><td></td><td></td></tr>\n";
      const auto next = marks.upper_bound(line);
      const unsigned end = next == marks.end() ? line + context : std::min(line + context, next->first - 1);
      for (unsigned i = first; i <= std::max(end, line); ++i) {
        if (i > lines.size() && i != line) break;
        html += row(i, i <= lines.size() ? lines[i - 1] : "", i == line ? &on_line : nullptr);
        last = i;
      }
    }
    return html + "</table></div>\n";
  }

  static std::string row(unsigned number, const std::string& line, const std::vector<Mark>* marks) {
    std::string say, style;
    for (const Mark& mark : marks != nullptr ? *marks : std::vector<Mark>()) {
      say += fmt::format("<div>{}</div>", escaped_markup(mark.text));
      if (rank(mark.style) > rank(style)) style = mark.style;
    }
    return fmt::format(
        "<tr class=\"{}\"><td class=\"number\">{}</td><td><code>{}</code></td><td class=\"say\">{}</td></tr>\n", style,
        number, escaped_markup(line), say);
  }

  /// Of several operations on a line, the one to look at decides the colour.
  static int rank(const std::string& style) {
    if (style == "weak") return 4;
    if (style == "strong") return 3;
    if (style == "open") return 2;
    return style == "needed" ? 1 : 0;
  }

  std::string without_source() const {
    if (others_.empty()) return "";
    std::string html = "<h2>Code without debug information</h2>\n<table>\n";
    for (const Mark& mark : others_)
      html += fmt::format("<tr class=\"{}\"><td>{}</td></tr>\n", mark.style, escaped_markup(mark.text));
    return html + "</table>\n";
  }

  const OrderResults& results_;
  std::map<std::string, LineMarks> marks_;  ///< by file
  std::vector<Mark> others_;
};

}  // namespace

std::string orders_page(const OrderResults& results) { return OrdersPage(results).write(); }

}  // namespace heddle::report
