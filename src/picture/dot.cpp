#include <fmt/format.h>

#include <algorithm>

#include "picture/box_texts.hpp"
#include "picture/drawing.hpp"
#include "report/text.hpp"

namespace heddle::picture {

namespace {

struct Style {
  const char* colour;
  const char* style;
};

Style style_of(Relation relation) {
  switch (relation) {
    case Relation::rf: return {"#1a7f37", "solid"};
    case Relation::mo: return {"#8250df", "dashed"};
    case Relation::fr: return {"#bc4c00", "dashed"};
    case Relation::sw: return {"#0969da", "bold"};
    case Relation::hb: return {"#57606a", "dotted"};
    case Relation::missed: return {"#d1242f", "dashed"};
    case Relation::unordered: return {"#d1242f", "bold"};
  }
  return {"black", "solid"};
}

/// In quotation marks. Graphviz knows escapes such as \n in them, so backslashes are doubled.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : report::printable(text, report::Controls::escape)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' || c == '\t' ? ' ' : c;
  }
  return result + '"';
}

std::string node_label(const Event& event) {
  std::string label = quoted(event.label);
  label.pop_back();
  std::string detail = event.order;
  if (!event.short_place.empty()) detail += (detail.empty() ? "" : ", ") + event.short_place;
  if (!event.missed.empty()) detail += detail.empty() ? "stale" : ", stale";
  if (detail.empty()) return label + '"';
  return label + "\\n" + quoted(detail).substr(1);
}

}  // namespace

std::vector<bool> shown_events(const Picture& picture, const DrawingOptions& options) {
  std::vector<bool> shown(picture.events.size());
  for (EventIndex i = 0; i < shown.size(); ++i) shown[i] = options.all_events || picture.events[i].matters;
  return shown;
}

std::vector<Edge> shown_edges(const Picture& picture, const std::vector<bool>& shown, const DrawingOptions& options) {
  std::vector<Edge> edges;
  const auto& chosen = options.relations;
  for (const Edge& edge : edges_between(picture, shown)) {
    const bool is_marked = edge.relation == Relation::missed || edge.relation == Relation::unordered;
    if (!is_marked && std::find(chosen.begin(), chosen.end(), edge.relation) == chosen.end()) continue;
    // The lanes show the order within a thread.
    if (edge.relation == Relation::hb && picture.events[edge.from].lane == picture.events[edge.to].lane) continue;
    edges.push_back(edge);
  }
  return edges;
}

std::string dot(const Picture& picture, const DrawingOptions& options) {
  const auto shown = shown_events(picture, options);
  std::string text = "digraph execution {\n";
  if (!options.title.empty()) text += fmt::format("  label={}; labelloc=t;\n", quoted(options.title));
  text += "  node [shape=box, fontname=\"monospace\", fontsize=11];\n  edge [fontname=\"sans-serif\", fontsize=10];\n";
  for (std::size_t lane = 0; lane < picture.lanes.size(); ++lane) {
    std::string nodes, order;
    EventIndex previous = picture.events.size();
    for (EventIndex i = 0; i < picture.events.size(); ++i) {
      if (!shown[i] || picture.events[i].lane != lane) continue;
      nodes += fmt::format("    e{} [label={}{}];\n", picture.events[i].number, node_label(picture.events[i]),
                           picture.events[i].missed.empty() ? "" : ", color=\"#d1242f\", penwidth=2");
      if (previous != picture.events.size())
        order += fmt::format("    e{} -> e{} [color=\"#afb8c1\", arrowhead=none, weight=10];\n",
                             picture.events[previous].number, picture.events[i].number);
      previous = i;
    }
    if (nodes.empty()) continue;
    text += fmt::format("  subgraph cluster_{} {{\n    label={}; color=\"#d0d7de\";\n{}{}  }}\n", lane,
                        quoted(picture.lanes[lane].label), nodes, order);
  }
  for (const Edge& edge : shown_edges(picture, shown, options)) {
    const Style style = style_of(edge.relation);
    text +=
        fmt::format("  e{} -> e{} [label=\"{}\", color=\"{}\", fontcolor=\"{}\", style={}, constraint=false{}];\n",
                    picture.events[edge.from].number, picture.events[edge.to].number, name_of(edge.relation),
                    style.colour, style.colour, style.style, edge.relation == Relation::unordered ? ", dir=both" : "");
  }
  return text + "}\n";
}

}  // namespace heddle::picture
