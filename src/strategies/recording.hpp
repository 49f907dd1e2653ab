// A recording: the events of one execution in a form that outlives it, for strategies that continue earlier executions
// (strategies/fuzz.hpp). Events refer to each other by their positions in the order of execution, and have canonical
// names, so a recording means the same in every process. It is one block of memory without pointers: it travels
// through the channel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/hash.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::strategies {

/// As a position: no event, or the initial value of the location.
inline constexpr std::uint32_t no_position = 0xffffffffU;

struct RecordedEvent {
  enum Flag : std::uint8_t {
    imported = 1,     ///< a plain store that an atomic access found in memory: no thread was scheduled for it
    exchange = 2,     ///< a compare-exchange that failed: it may succeed if it reads another write
    seen_by_sc = 4,   ///< StoreRule::in_sc_order: an access that is seq_cst or happens before a seq_cst event
    follows_sc = 8,   ///< in_sc_order: an access that is seq_cst, may be so, or that a seq_cst event happens before
    has_detail = 16,  ///< `detail` is the option that a choice of another kind took
  };

  std::uint64_t name;             ///< step_name()
  std::uint64_t site;             ///< SiteNames
  std::uint32_t po_previous;      ///< position
  std::uint32_t reads_from;       ///< position
  std::uint32_t mo_position;      ///< of the write that it made or read, in the whole execution
  std::uint32_t floor;            ///< an access: it cannot read, or be inserted before, older positions than this
  std::uint32_t location;         ///< accesses: index of Recording::locations()
  std::uint32_t previous_access;  ///< accesses: position of the access to the location before it
  std::uint32_t updated_by;       ///< writes: position of the rmw that reads from it
  std::uint32_t first_release;    ///< index of Recording::releases()
  std::uint16_t release_count;    ///< how many releasing events it synchronises with
  std::uint16_t thread;           ///< index of Recording::threads()
  graph::EventKind kind;
  graph::MemoryOrder order;
  std::uint8_t flags;
  std::uint8_t detail;

  bool has(Flag flag) const { return (flags & flag) != 0; }
};

/// The name of an event among the events of its execution: its thread, and which event of the thread it is. It does not
/// contain the location, so it means the same in another build of the program.
inline constexpr std::uint64_t initial_write = 1;
inline std::uint64_t step_name(const graph::ExecutionGraph& graph, const graph::Event& event) {
  if (event.thread == graph::no_thread) return initial_write;
  return base::hash_words(graph.thread(event.thread).name, event.index);
}

struct RecordedLocation {
  std::uint32_t last_access;  ///< position
  std::uint32_t updated_by;   ///< position of the rmw that reads the initial write
};

/// An access that could read another write, or go elsewhere in modification order.
struct RecordedTarget {
  std::uint16_t position;
  std::uint16_t writes;  ///< how many others there are
};

/// An option of a choice that the graph does not show: spurious, timeout, value.
struct DetailRecord {
  graph::ThreadId thread;
  std::uint32_t index;  ///< of the event that the choice belongs to
  std::uint32_t option;
};

/// What the model that ran the execution lets reads see.
enum class StoreRule : std::uint32_t {
  free,         ///< any write that is not older than what the thread knows
  in_sc_order,  ///< the same, and a seq_cst event knows what seq_cst events executed before it know
  immediate,    ///< the newest write in the order of execution
  buffered,     ///< the newest write that has left its store buffer
};

/// Names for the places in the program where events are made, the same in every process.
class SiteNames {
 public:
  virtual std::uint64_t name_of(std::uint64_t site) const { return site; }

 protected:
  ~SiteNames() = default;
};
/// Where sites are names already.
extern const SiteNames& plain_sites;

class Recording {
 public:
  /// Executions are recorded up to this many events.
  static constexpr std::size_t most_events = 4096;
  static_assert(most_events <= 0x10000, "RecordedTarget::position");
  static constexpr std::size_t most_threads = 256;
  static constexpr std::size_t capacity = std::size_t{256} << 10;

  /// `memory` has room for `capacity` bytes, or holds a whole recording.
  explicit Recording(std::byte* memory) : memory_(memory) {}

  std::span<const RecordedEvent> events() const { return {at<RecordedEvent>(header().events_at), header().events}; }
  std::span<RecordedEvent> events() { return {at<RecordedEvent>(header().events_at), header().events}; }
  /// Canonical names.
  std::span<const std::uint64_t> threads() const { return {at<std::uint64_t>(header().threads_at), header().threads}; }
  std::span<const RecordedLocation> locations() const {
    return {at<RecordedLocation>(header().locations_at), header().locations};
  }
  std::span<const RecordedTarget> targets() const {
    return {at<RecordedTarget>(header().targets_at), header().targets};
  }
  /// Counts the writes of all targets anew, and removes the targets that have none.
  template <typename Count>
  void count_targets(Count count) {
    auto* first = at<RecordedTarget>(header().targets_at);
    auto* end = std::remove_if(first, first + header().targets, [&](RecordedTarget& target) {
      target.writes = static_cast<std::uint16_t>(std::min<std::size_t>(count(target), 0xffff));
      return target.writes == 0;
    });
    header().targets = static_cast<std::uint32_t>(end - first);
  }
  /// Positions of releasing events.
  std::span<const std::uint32_t> releases() const {
    return {at<std::uint32_t>(header().releases_at), header().releases};
  }
  std::span<const std::uint32_t> releases_of(const RecordedEvent& event) const {
    return releases().subspan(event.first_release, event.release_count);
  }
  StoreRule stores() const { return header().stores; }
  /// So many events, not counting imported ones, are those of the execution that this one continued, in the same order.
  /// A decision before them can be changed there.
  std::uint32_t inherited() const { return header().inherited; }
  void set_inherited(std::uint32_t events) { header().inherited = events; }
  std::size_t size() const { return header().size; }
  const std::byte* bytes() const { return memory_; }

  /// Writes the recording of the execution that the graph holds. Returns false if there is nothing to record: the graph
  /// has forgotten events, or has too many threads. `scratch` is rewound.
  bool write(const graph::ExecutionGraph& graph, StoreRule stores, std::span<const DetailRecord> details,
             base::Arena& scratch, const SiteNames& sites = plain_sites);
  /// Is the block, of `size` bytes, a recording whose positions are all valid? For blocks from outside.
  bool is_valid(std::size_t size) const;

 private:
  struct Header {
    std::uint32_t size, events, threads, locations, targets, releases;
    std::uint32_t events_at, threads_at, locations_at, targets_at, releases_at;
    StoreRule stores;
    std::uint32_t inherited;
  };
  template <typename T>
  T* at(std::uint32_t offset) const {
    return reinterpret_cast<T*>(memory_ + offset);
  }
  const Header& header() const { return *reinterpret_cast<const Header*>(memory_); }
  Header& header() { return *reinterpret_cast<Header*>(memory_); }
  bool is_access_to(std::uint32_t location, std::uint32_t position) const;
  bool is_valid(const RecordedEvent& event, std::size_t position) const;
  class Writer;

  std::byte* memory_;
};

}  // namespace heddle::strategies
