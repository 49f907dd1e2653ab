// Pictures for papers and other documents.
#pragma once

#include <string>
#include <vector>

#include "picture/edges.hpp"
#include "picture/picture.hpp"

namespace heddle::picture {

struct DrawingOptions {
  std::string title;                ///< a line above the picture; empty: none
  std::vector<Relation> relations;  ///< of chosen_relations
  bool all_events = false;          ///< also events that do not matter
};

/// A picture in SVG: a lane for each thread, time downwards. It follows the colour scheme of its reader.
std::string svg(const Picture& picture, const DrawingOptions& options);

/// A graph in the language of Graphviz: a cluster for each thread.
std::string dot(const Picture& picture, const DrawingOptions& options);

/// The graph as text: the events of each thread, what they read, and the modification order of each location.
std::string listing(const Picture& picture, const std::string& title);

/// The events and edges that the options choose.
std::vector<bool> shown_events(const Picture& picture, const DrawingOptions& options);
std::vector<Edge> shown_edges(const Picture& picture, const std::vector<bool>& shown, const DrawingOptions& options);

}  // namespace heddle::picture
