#include "picture/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "findings/source_lines.hpp"
#include "picture/box_texts.hpp"
#include "story/racing_events.hpp"
#include "story/words.hpp"

namespace heddle::picture {

namespace {

using story::EventKind;
using story::EventNumber;

// Without a story, the end of the execution is what matters.
constexpr std::size_t events_without_story = 30;

std::vector<EventNumber> story_events(const findings::Finding& finding, const story::ExecutionLog& log) {
  std::vector<EventNumber> numbers;
  if (finding.explanation)
    for (const findings::StoryStep& step : finding.explanation->steps)
      if (step.event < log.events.size()) numbers.push_back(step.event);
  return numbers;
}

/// The events of the story, the writes that these read, and the newest writes that they missed.
std::vector<bool> events_that_matter(const findings::Finding& finding, const story::ExecutionLog& log) {
  std::vector<bool> matters(log.events.size());
  const auto steps = story_events(finding, log);
  for (const EventNumber number : steps) {
    const story::Event& event = log.events[number];
    matters[number] = true;
    if (event.reads_from) matters[*event.reads_from] = true;
    if (!event.missed.empty()) matters[event.missed.back()] = true;
  }
  if (!steps.empty()) return matters;
  std::size_t left = events_without_story;
  for (std::size_t i = log.events.size(); i > 0 && left > 0; --i)
    if (log.events[i - 1].thread) matters[i - 1] = true, --left;
  return matters;
}

/// Which events to keep if there are more than `most`: those nearest to the ones that matter, in the order of
/// execution.
std::vector<EventNumber> events_to_keep(const std::vector<bool>& matters, std::size_t most) {
  const std::size_t count = matters.size();
  std::vector<EventNumber> kept(count);
  for (std::size_t i = 0; i < count; ++i) kept[i] = i;
  if (count <= most) return kept;
  std::vector<std::size_t> distance(count, count);
  for (std::size_t i = 0; i < count; ++i)
    distance[i] = matters[i] ? 0 : i > 0 ? std::min(distance[i], distance[i - 1] + 1) : distance[i];
  for (std::size_t i = count - 1; i > 0; --i) distance[i - 1] = std::min(distance[i - 1], distance[i] + 1);
  std::stable_sort(kept.begin(), kept.end(), [&](EventNumber a, EventNumber b) { return distance[a] < distance[b]; });
  kept.resize(most);
  std::sort(kept.begin(), kept.end());
  return kept;
}

class PictureMaker {
 public:
  PictureMaker(const findings::Finding& finding, const story::ExecutionLog& log) : finding_(finding), log_(log) {}

  Picture make(std::size_t most) {
    picture_.events_of_execution = log_.events.size();
    const auto matters = events_that_matter(finding_, log_);
    const auto kept = events_to_keep(matters, most);
    index_of_.assign(log_.events.size(), none);
    for (std::size_t i = 0; i < kept.size(); ++i) index_of_[kept[i]] = i;
    make_lanes(kept);
    for (const EventNumber number : kept) {
      add(number);
      picture_.events.back().matters = matters[number];
    }
    add_locations();
    const auto steps = story_events(finding_, log_);
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (index_of_[steps[i]] != none) picture_.events[index_of_[steps[i]]].steps.push_back(i + 1);
    find_unordered();
    add_source();
    return std::move(picture_);
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// Initial values and outside code have a lane only if it is not empty. Threads without events have none.
  void make_lanes(const std::vector<EventNumber>& kept) {
    std::set<std::size_t> used;
    bool has_initial = false, has_outside = false;
    for (const EventNumber number : kept) {
      const story::Event& event = log_.events[number];
      if (event.thread)
        used.insert(*event.thread);
      else
        (event.kind == EventKind::init ? has_initial : has_outside) = true;
    }
    if (has_initial) initial_lane_ = add_lane({Lane::Kind::initial_values, "initial values"});
    lane_of_.assign(log_.threads.size(), none);
    for (const std::size_t thread : used) {
      const std::string& label = log_.threads[thread].label;
      lane_of_[thread] = add_lane({Lane::Kind::thread, label == "T0" ? "T0 (main)" : label});
      threads_.push_back(thread);
    }
    if (has_outside) outside_lane_ = add_lane({Lane::Kind::outside, "not instrumented"});
  }

  std::size_t add_lane(Lane lane) {
    picture_.lanes.push_back(std::move(lane));
    return picture_.lanes.size() - 1;
  }

  std::size_t lane_of(const story::Event& event) const {
    if (event.thread) return lane_of_[*event.thread];
    return event.kind == EventKind::init ? initial_lane_ : outside_lane_;
  }

  std::vector<EventIndex> indices_of(const std::vector<EventNumber>& numbers) const {
    std::vector<EventIndex> indices;
    for (const EventNumber number : numbers)
      if (index_of_[number] != none) indices.push_back(index_of_[number]);
    return indices;
  }

  void add(EventNumber number) {
    const story::Event& from = log_.events[number];
    Event event;
    event.number = number;
    event.lane = lane_of(from);
    event.kind = from.kind;
    event.label = label_of(log_, number);
    event.action = story::action_text(log_, number);
    event.order = story::order_text(from);
    if (from.read) event.read = story::value_text(log_, *from.read, from.size);
    if (from.written) event.written = story::value_text(log_, *from.written, from.size);
    event.location = from.location;
    event.place = story::place_of(from);
    event.short_place = story::short_place(log_, event.place);
    if (from.reads_from && index_of_[*from.reads_from] != none) event.reads_from = index_of_[*from.reads_from];
    event.missed = indices_of(from.missed);
    event.synchronises_with = indices_of(from.synchronises_with);
    event.is_switch = from.is_switch;
    event.options = from.options;
    event.index = from.index;
    event.clock.assign(picture_.lanes.size(), 0);
    for (const std::size_t thread : threads_) {
      const std::uint32_t graph_thread = log_.graph_threads[thread];
      if (graph_thread < from.clock.size()) event.clock[lane_of_[thread]] = from.clock[graph_thread];
    }
    picture_.events.push_back(std::move(event));
  }

  /// Locations that no event of the picture accesses are left out.
  void add_locations() {
    std::vector<std::size_t> number_of(log_.locations.size(), none);
    for (Event& event : picture_.events) {
      if (!event.location) continue;
      std::size_t& number = number_of[*event.location];
      if (number == none) {
        const story::Location& from = log_.locations[*event.location];
        number = picture_.locations.size();
        picture_.locations.push_back({from.name, from.type, indices_of(from.modification_order)});
      }
      event.location = number;
    }
  }

  void find_unordered() {
    const auto [first, second] =
        story::find_racing_events(finding_, log_, std::min(story::end_of_story(finding_, log_), log_.events.size()));
    if (!first || !second || log_.happens_before(*first, *second)) return;
    if (index_of_[*first] != none && index_of_[*second] != none)
      picture_.unordered = {index_of_[*first], index_of_[*second]};
  }

  /// The line before, the line itself and the line after each place.
  void add_source() {
    std::map<std::string, std::set<unsigned>> wanted;
    for (const Event& event : picture_.events)
      if (!event.place.file.empty() && event.place.line != 0)
        for (const unsigned line : {event.place.line - 1, event.place.line, event.place.line + 1})
          wanted[event.place.file].insert(line);
    for (const auto& [path, numbers] : wanted) {
      const auto lines = findings::source_lines(path);
      SourceFile file{path, {}};
      for (const unsigned number : numbers)
        if (number >= 1 && number <= lines.size()) file.lines[number] = lines[number - 1];
      if (!file.lines.empty()) picture_.files.push_back(std::move(file));
    }
  }

  const findings::Finding& finding_;
  const story::ExecutionLog& log_;
  Picture picture_;
  std::vector<std::size_t> index_of_;  ///< by EventNumber
  std::vector<std::size_t> lane_of_;   ///< by thread of the log
  std::vector<std::size_t> threads_;   ///< of the log, that have a lane
  std::size_t initial_lane_ = 0;
  std::size_t outside_lane_ = 0;
};

}  // namespace

bool Picture::happens_before(EventIndex a, EventIndex b) const {
  const Event& first = events[a];
  const Event& second = events[b];
  const auto is_thread = [&](const Event& event) { return lanes[event.lane].kind == Lane::Kind::thread; };
  if (!is_thread(first)) return is_thread(second);
  if (!is_thread(second)) return false;
  if (first.lane == second.lane) return a < b;
  return second.clock[first.lane] >= first.index;
}

Picture make_picture(const findings::Finding& finding, const story::ExecutionLog& log, std::size_t most) {
  return PictureMaker(finding, log).make(most);
}

}  // namespace heddle::picture
