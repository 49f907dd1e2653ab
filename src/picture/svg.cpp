#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "picture/box_texts.hpp"
#include "picture/drawing.hpp"
#include "picture/svg_layout.hpp"
#include "report/markup.hpp"

namespace heddle::picture {

namespace {

constexpr double margin = 16;

// The colours follow those of the reader's system.
constexpr const char* style_sheet = R"(
    .heddle { --ink: #1f2328; --soft: #59636e; --paper: #ffffff; --line: #d1d9e0; --border: #afb8c1; --rf: #1a7f37;
      --mo: #8250df; --fr: #bc4c00; --sw: #0969da; --hb: #59636e; --bad: #cf222e; --stale: #ffebe9; }
    @media (prefers-color-scheme: dark) {
      .heddle { --ink: #e6edf3; --soft: #9198a1; --paper: #0d1117; --line: #30363d; --border: #4b545e; --rf: #3fb950;
        --mo: #ab7df8; --fr: #f0883e; --sw: #58a6ff; --hb: #9198a1; --bad: #ff7b72; --stale: #3c1618; } }
    .heddle text { fill: var(--ink); font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
    .heddle .title { font: 600 14px system-ui, "DejaVu Sans", sans-serif; }
    .heddle .lane { font: 600 13px system-ui, "DejaVu Sans", sans-serif; text-anchor: middle; }
    .heddle .soft { fill: var(--soft); font-size: 11px; }
    .heddle .legend, .heddle .gap { fill: var(--soft); font: 11px system-ui, "DejaVu Sans", sans-serif; }
    .heddle .gap, .heddle .number { text-anchor: middle; }
    .heddle .paper, .heddle .pill { fill: var(--paper); } .heddle .rail { stroke: var(--line); stroke-width: 2; }
    .heddle .box { fill: var(--paper); stroke: var(--border); }
    .heddle .box.stale { fill: var(--stale); stroke: var(--bad); stroke-width: 2; }
    .heddle .badge { fill: var(--ink); } .heddle .badge.stale { fill: var(--bad); }
    .heddle .number { fill: var(--paper); font: 600 11px system-ui, "DejaVu Sans", sans-serif; }
    .heddle .edge { fill: none; stroke-width: 1.7; }
    .heddle .edge.rf { stroke: var(--rf); } .heddle .edge.mo { stroke: var(--mo); stroke-dasharray: 7 3; }
    .heddle .edge.fr { stroke: var(--fr); stroke-dasharray: 3 3; }
    .heddle .edge.sw { stroke: var(--sw); stroke-width: 2.4; }
    .heddle .edge.hb { stroke: var(--hb); stroke-width: 2; stroke-dasharray: 1 3; }
    .heddle .edge.missed { stroke: var(--bad); stroke-width: 2; stroke-dasharray: 6 3; }
    .heddle .edge.unordered { stroke: var(--bad); stroke-width: 2.2; }
    .heddle .tag { font: 600 11px system-ui, "DejaVu Sans", sans-serif; text-anchor: middle; paint-order: stroke;
      stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
    .heddle .fill.rf { fill: var(--rf); } .heddle .fill.mo { fill: var(--mo); } .heddle .fill.fr { fill: var(--fr); }
    .heddle .fill.sw { fill: var(--sw); } .heddle .fill.hb { fill: var(--hb); }
    .heddle .fill.missed, .heddle .fill.unordered { fill: var(--bad); }
)";

std::string xml(const std::string& text) { return report::escaped_markup(text); }

const char* tag_of(Relation relation) { return relation == Relation::unordered ? "not ordered" : name_of(relation); }

class SvgDrawing {
 public:
  SvgDrawing(const Picture& picture, const DrawingOptions& options)
      : picture_(picture), options_(options), top_(margin + (options.title.empty() ? 0 : 26)) {
    const auto shown = shown_events(picture, options);
    layout_ = lay_out(picture, shown, shown_edges(picture, shown, options), top_ + 30);
    legend_ = legend_entries();
  }

  std::string draw() const {
    std::string body;
    for (const std::size_t lane : layout_.lanes) body += lane_text(lane);
    for (const auto& [y, count] : layout_.gaps) body += gap_text(y, count);
    for (const Route& route : layout_.routes) body += edge_text(route);
    for (const auto& [index, y] : layout_.y) body += box_text(index);
    for (const Route& route : layout_.routes) body += tag_text(route);
    body += legend_text();
    const double height = layout_.bottom + (legend_.empty() ? margin : margin + 16);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"heddle\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
        "{0:.0f} {1:.0f}\" role=\"img\">\n  <title>{2}</title>\n  <style>{3}  </style>\n  <rect class=\"paper\" "
        "width=\"100%\" height=\"100%\"/>\n{4}{5}</svg>\n",
        width(), height, xml(options_.title.empty() ? "an execution" : options_.title), style_sheet, title(), body);
  }

 private:
  struct LegendEntry {
    Relation relation;
    std::string text;
    double width;
  };

  double width() const {
    double needed = margin;
    for (const LegendEntry& entry : legend_) needed += entry.width;
    return std::max(layout_.width, needed);
  }

  std::string title() const {
    if (options_.title.empty()) return {};
    const auto most = std::max<std::size_t>(static_cast<std::size_t>((width() - 2 * margin) / 7.8), 20);
    return fmt::format("  <text class=\"title\" x=\"{}\" y=\"{}\">{}</text>\n", margin, margin + 10,
                       xml(shortened(options_.title, most)));
  }

  std::string lane_text(std::size_t lane) const {
    return fmt::format(
        "  <text class=\"lane\" x=\"{0:.1f}\" y=\"{1:.1f}\">{2}</text>\n  <line class=\"rail\" x1=\"{0:.1f}\" "
        "y1=\"{3:.1f}\" x2=\"{0:.1f}\" y2=\"{4:.1f}\"/>\n",
        layout_.x.at(lane), top_ + 14, xml(picture_.lanes[lane].label), top_ + 22, layout_.bottom);
  }

  std::string gap_text(double y, std::size_t count) const {
    const std::string text = fmt::format("⋯ {} {}", count, count == 1 ? "event" : "events");
    const double half = 3.4 * static_cast<double>(length_of(text)) + 4, x = layout_.x.at(layout_.lanes.front());
    return fmt::format(
        "  <rect class=\"pill\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"16\"/><text class=\"gap\" "
        "x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        x - half, y - 8, 2 * half, x, y + 4, text);
  }

  std::string box_text(EventIndex index) const {
    const Event& event = picture_.events[index];
    const double left = layout_.x.at(event.lane) - layout_.box_width.at(event.lane) / 2, y = layout_.y.at(index);
    const char* stale = event.missed.empty() ? "" : " stale";
    const std::string detail = detail_of(event);
    const std::size_t most = most_label_characters(layout_.lanes.size());
    std::string text = fmt::format(
        "  <g><title>{}</title><rect class=\"box{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" "
        "rx=\"7\"/>",
        xml(event.action), stale, left, y - box_height / 2, layout_.box_width.at(event.lane), box_height);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", left + 34, y + (detail.empty() ? 4 : -3),
                        xml(shortened(event.label, most)));
    if (!detail.empty())  // in a smaller font
      text += fmt::format("<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", left + 34, y + 12,
                          xml(shortened(detail, most + 2)));
    if (!event.steps.empty())
      text += fmt::format(
          "<circle class=\"badge{0}\" cx=\"{1:.1f}\" cy=\"{2:.1f}\" r=\"10\"/><text class=\"number\" x=\"{1:.1f}\" "
          "y=\"{3:.1f}\">{4}</text>",
          stale, left + 17, y, y + 4, event.steps.front());
    return text + "</g>\n";
  }

  static std::string edge_text(const Route& route) {
    const char* name = name_of(route.edge.relation);
    const bool has_two_heads = route.edge.relation == Relation::unordered;
    const double out = route.track > route.x1 ? 1 : -1, in = route.x2 > route.track ? 1 : -1;
    const double down = route.y2 > route.y1 ? 1 : -1;
    const double radius = std::min(
        {7.0, std::abs(route.y2 - route.y1) / 2, std::abs(route.track - route.x1), std::abs(route.x2 - route.track)});
    std::string text = fmt::format(
        "  <path class=\"edge {}\" d=\"M{:.1f},{:.1f} H{:.1f} q{:.1f},0 {:.1f},{:.1f} V{:.1f} q0,{:.1f} {:.1f},{:.1f} "
        "H{:.1f}\"/>",
        name, route.x1 + (has_two_heads ? out * 6 : 0), route.y1, route.track - out * radius, out * radius,
        out * radius, down * radius, route.y2 - down * radius, down * radius, in * radius, down * radius,
        route.x2 - in * 6);
    text += head_text(name, route.x2, route.y2, in);
    if (has_two_heads) text += head_text(name, route.x1, route.y1, -out);
    return text + "\n";
  }

  static std::string head_text(const char* name, double x, double y, double direction) {
    return fmt::format("<path class=\"fill {}\" d=\"M{:.1f},{:.1f} l{:.0f},-4 v8 z\"/>", name, x, y, -8 * direction);
  }

  /// Near the end of the arrow, or along it if the label is a word.
  static std::string tag_text(const Route& route) {
    const Relation relation = route.edge.relation;
    const bool is_word = relation == Relation::missed || relation == Relation::unordered;
    const double out = route.track > route.x2 ? 1 : -1;
    const double x = is_word ? route.track : route.x2 + out * 18, y = is_word ? (route.y1 + route.y2) / 2 : route.y2;
    return fmt::format("  <text class=\"tag fill {}\" transform=\"translate({:.1f},{:.1f}){}\" y=\"4\">{}</text>\n",
                       name_of(relation), x, y, is_word ? " rotate(-90)" : "", tag_of(relation));
  }

  std::vector<LegendEntry> legend_entries() const {
    std::set<Relation> used;
    for (const Route& route : layout_.routes) used.insert(route.edge.relation);
    std::vector<LegendEntry> entries;
    for (const Relation relation : used) {
      std::string text = fmt::format("{}: {}", tag_of(relation), meaning_of(relation));
      if (relation == Relation::unordered) text = "nothing orders these accesses";
      if (relation == Relation::missed) text = "missed: a newer write";
      const double width = 28 + 6.2 * static_cast<double>(text.size()) + 16;
      entries.push_back({relation, std::move(text), width});
    }
    return entries;
  }

  std::string legend_text() const {
    std::string text;
    double x = margin;
    const double y = layout_.bottom + 20;
    for (const LegendEntry& entry : legend_) {
      text += fmt::format(
          "  <path class=\"edge {}\" d=\"M{:.0f},{:.0f} h22\"/><text class=\"legend\" x=\"{:.0f}\" "
          "y=\"{:.0f}\">{}</text>\n",
          name_of(entry.relation), x, y - 4, x + 28, y, entry.text);
      x += entry.width;
    }
    return text;
  }

  const Picture& picture_;
  const DrawingOptions& options_;
  double top_;
  SvgLayout layout_;
  std::vector<LegendEntry> legend_;
};

}  // namespace

std::string svg(const Picture& picture, const DrawingOptions& options) { return SvgDrawing(picture, options).draw(); }

}  // namespace heddle::picture
