// A drawing of one execution as data: lanes, events, and the relations between them. Pages, SVG and DOT are made from
// it. It holds texts, and refers to no log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "findings/explanation.hpp"
#include "findings/finding.hpp"
#include "story/execution_log.hpp"

namespace heddle::picture {

using EventIndex = std::size_t;  ///< a position in Picture::events

/// A column: a thread, the initial values, or code that heddle does not see.
struct Lane {
  enum class Kind : std::uint8_t { initial_values, thread, outside };
  Kind kind = Kind::thread;
  std::string label;
};

struct Location {
  std::string name;
  std::string type;                      ///< empty: not known
  std::vector<EventIndex> modification;  ///< the writes in modification order, as far as they are in the picture
};

struct Event {
  std::size_t number = 0;  ///< in the log of the execution
  std::size_t lane = 0;
  story::EventKind kind = story::EventKind::load;
  std::string label;   ///< "store ready = 1"
  std::string action;  ///< "stores 1 to `ready` (relaxed)"
  std::string order;   ///< "relaxed"; empty: not atomic
  std::string read;    ///< the value; empty: none
  std::string written;
  std::optional<std::size_t> location;
  findings::SourcePlace place;
  std::string short_place;         ///< "line 14"
  std::vector<std::size_t> steps;  ///< the numbers of the story's steps that are this event, from 1
  bool matters = false;            ///< a step of the story, or what one of them reads or misses

  std::optional<EventIndex> reads_from;
  std::vector<EventIndex> missed;             ///< see story::Event
  std::vector<EventIndex> synchronises_with;  ///< see story::Event
  bool is_switch = false;
  std::size_t options = 0;  ///< among how many writes a read was chosen; 0: there was no choice

  std::uint32_t index = 0;           ///< in its thread
  std::vector<std::uint32_t> clock;  ///< by lane
};

/// A file of the program's source: the lines around the events' places.
struct SourceFile {
  std::string path;
  std::map<unsigned, std::string> lines;
};

struct Picture {
  std::vector<Lane> lanes;
  std::vector<Location> locations;
  std::vector<Event> events;  ///< in the order of execution
  std::vector<SourceFile> files;
  std::size_t events_of_execution = 0;  ///< more than `events` has if the execution is long
  /// A data race, or a use of freed memory: the two accesses that nothing orders, the earlier one first.
  std::optional<std::pair<EventIndex, EventIndex>> unordered;

  bool happens_before(EventIndex a, EventIndex b) const;
};

/// Executions with more events are drawn in part: what is nearest to the events that matter is kept.
inline constexpr std::size_t most_events = 20'000;

/// The picture of the execution of `log`, which showed `finding`. The story is that of the finding's explanation.
Picture make_picture(const findings::Finding& finding, const story::ExecutionLog& log, std::size_t most = most_events);

}  // namespace heddle::picture
