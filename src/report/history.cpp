#include "report/history.hpp"

#include <algorithm>

#include "report/text.hpp"

namespace heddle::report {

namespace {

struct Lane {
  std::string thread;
  std::size_t width = 0;
};

std::vector<Lane> lanes_of(const findings::Finding& finding) {
  std::vector<Lane> lanes;
  for (const findings::HistoryCall& call : finding.calls) {
    const auto is_its = [&](const Lane& lane) { return lane.thread == call.thread; };
    auto lane = std::find_if(lanes.begin(), lanes.end(), is_its);
    if (lane == lanes.end()) lane = lanes.insert(lane, {call.thread, call.thread.size()});
    lane->width = std::max(lane->width, call.text.size());
  }
  std::sort(lanes.begin(), lanes.end(), [](const Lane& a, const Lane& b) { return a.thread < b.thread; });
  return lanes;
}

/// Appends the text, and blanks up to the next lane.
void pad(std::string& line, const std::string& text, std::size_t width) {
  line += text;
  line.append(width + 2 - std::min(width + 2, text.size()), ' ');
}

void trim(std::string& line) {
  while (line.ends_with(' ')) line.pop_back();
}

}  // namespace

std::vector<std::string> history_lines(const findings::Finding& finding) {
  const std::vector<Lane> lanes = lanes_of(finding);
  const auto unexplained = std::count_if(finding.calls.begin(), finding.calls.end(),
                                         [](const findings::HistoryCall& call) { return call.is_unexplained; });
  std::vector<std::string> lines(1);
  for (const Lane& lane : lanes) pad(lines[0], lane.thread, lane.width);
  trim(lines[0]);
  for (const findings::HistoryCall& call : finding.calls) {
    std::string line;
    for (const Lane& lane : lanes) pad(line, lane.thread == call.thread ? call.text : "", lane.width);
    trim(line);
    if (call.is_unexplained)
      line += unexplained == 1 ? "    <- no order explains this" : "    <- no order explains these";
    lines.push_back(line);
  }
  return lines;
}

}  // namespace heddle::report
