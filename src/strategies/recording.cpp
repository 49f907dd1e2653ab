#include "strategies/recording.hpp"

#include <algorithm>
#include <utility>

namespace heddle::strategies {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;

namespace {
// Whether an access happens before a seq_cst event is looked up for this many events. With more of them, every access
// counts as seen and as following one, which shrinks some cuts.
constexpr std::size_t most_seq_cst_events = 64;

struct PlainSites final : SiteNames {};
constinit const PlainSites as_they_are;

}  // namespace

constinit const SiteNames& plain_sites = as_they_are;

/// Writes the parts of a recording one after another.
class Recording::Writer {
 public:
  Writer(const ExecutionGraph& graph, std::span<const DetailRecord> details, base::Arena& scratch,
         const SiteNames& sites)
      : graph_(graph), details_(details), scratch_(scratch), sites_(sites),
        count_(std::min(graph.events().size(), Recording::most_events)) {}

  bool write(Recording& out, StoreRule stores) {
    number_events();
    if (recorded_ == 0 || !number_threads()) return false;
    Header& header = out.header();
    header = {};
    header.stores = stores;
    header.events = recorded_;
    header.threads = static_cast<std::uint32_t>(threads_.size());
    header.locations = location_count_;
    header.events_at = sizeof(Header) + 8 - sizeof(Header) % 8;
    header.threads_at = header.events_at + recorded_ * static_cast<std::uint32_t>(sizeof(RecordedEvent));
    header.locations_at = header.threads_at + header.threads * 8;
    header.targets_at = header.locations_at + header.locations * static_cast<std::uint32_t>(sizeof(RecordedLocation));
    header.releases_at = header.targets_at + recorded_ * 4;
    std::copy(threads_.begin(), threads_.end(), out.at<std::uint64_t>(header.threads_at));
    is_in_sc_order_ = stores == StoreRule::in_sc_order;
    if (is_in_sc_order_) collect_seq_cst_events();
    if (!write_events(out)) return false;
    header.targets = targets_;
    header.releases = releases_;
    header.size = header.releases_at + releases_ * 4;
    return true;
  }

 private:
  /// Events that belong to no thread have no position: init events, and stores of code that is not instrumented. A
  /// location's first access comes after its init event.
  void number_events() {
    positions_ = scratch_.create_array<std::uint32_t>(count_);
    ids_ = scratch_.create_array<std::uint32_t>(count_);
    locations_ = scratch_.create_array<std::uint32_t>(graph_.locations().size());
    for (std::uint32_t& location : locations_) location = no_position;
    for (std::size_t i = 0; i < count_; ++i) {
      const Event& event = graph_.events()[i];
      positions_[i] = no_position;
      if (event.thread == graph::no_thread) continue;
      ids_[recorded_] = static_cast<std::uint32_t>(i);
      positions_[i] = recorded_++;
      if (!accesses_memory(event.kind)) continue;
      std::uint32_t& location = locations_[number(event.location)];
      if (location == no_position) location = location_count_++;
    }
  }

  bool number_threads() {
    thread_of_ = scratch_.create_array<std::uint16_t>(graph_.threads().size());
    newest_ = scratch_.create_array<std::uint32_t>(graph_.threads().size());
    for (std::size_t i = 0; i < newest_.size(); ++i) {
      newest_[i] = no_position;
      if (!graph_.threads()[i].exists) continue;
      if (threads_.size() == Recording::most_threads) return false;
      thread_of_[i] = static_cast<std::uint16_t>(threads_.size());
      threads_.push_back(scratch_, graph_.threads()[i].name);
    }
    return true;
  }

  void collect_seq_cst_events() {
    for (std::size_t i = 0; i < count_; ++i)
      if (is_seq_cst_event(graph_.events()[i])) seq_cst_.push_back(scratch_, &graph_.events()[i]);
  }

  std::uint32_t position(EventId id) const {
    return id == graph::no_event || number(id) >= count_ ? no_position : positions_[number(id)];
  }

  bool write_events(Recording& out) {
    const std::size_t room = (Recording::capacity - out.header().releases_at) / sizeof(std::uint32_t);
    auto* events = out.at<RecordedEvent>(out.header().events_at);
    auto* locations = out.at<RecordedLocation>(out.header().locations_at);
    auto* targets = out.at<RecordedTarget>(out.header().targets_at);
    for (std::uint32_t i = 0; i < location_count_; ++i) locations[i] = {no_position, no_position};
    auto* releases = out.at<std::uint32_t>(out.header().releases_at);
    for (std::size_t i = 0; i < count_; ++i) {
      const Event& event = graph_.events()[i];
      if (event.thread == graph::no_thread) continue;
      if (releases_ + event.synchronised.size() > room || event.synchronised.size() > 0xffff) return false;
      RecordedEvent& to = events[positions_[i]];
      to = {};
      to.name = step_name(graph_, event);
      to.site = sites_.name_of(event.site);
      to.kind = event.kind;
      to.order = event.order;
      to.thread = thread_of_[number(event.thread)];
      to.po_previous = newest_[number(event.thread)];
      to.reads_from = position(event.reads_from);
      to.first_release = releases_;
      to.release_count = static_cast<std::uint16_t>(event.synchronised.size());
      for (const EventId release : event.synchronised) releases[releases_++] = position(release);
      if (event.index % 2 != 0) to.flags |= RecordedEvent::imported;
      if (accesses_memory(event.kind)) {
        write_access(event, to);
        const auto& order = graph_.location(event.location).modification_order;
        RecordedLocation& location = locations[to.location];
        to.previous_access = std::exchange(location.last_access, positions_[i]);
        to.updated_by = no_position;
        if (event.kind == EventKind::rmw)
          (to.reads_from == no_position ? location.updated_by : events[to.reads_from].updated_by) = positions_[i];
        // A store has one slot less than there are writes: it is one of them itself.
        const std::size_t options = order.size() - to.floor - (event.kind == EventKind::store ? 1 : 0);
        if (options > 1 && !to.has(RecordedEvent::imported))
          targets[targets_++] = {static_cast<std::uint16_t>(positions_[i]),
                                 static_cast<std::uint16_t>(std::min<std::size_t>(options - 1, 0xffff))};
      }
      write_detail(event, to);
      if (!to.has(RecordedEvent::imported)) newest_[number(event.thread)] = positions_[i];
    }
    return true;
  }

  void write_access(const Event& event, RecordedEvent& to) {
    to.location = locations_[number(event.location)];
    to.mo_position = graph_.mo_position_of(event);
    to.floor = floor_of(event, to);
    if (is_failed_exchange(event)) to.flags |= RecordedEvent::exchange;
    if (is_in_sc_order_) write_seq_cst_flags(event, to);
  }

  void write_seq_cst_flags(const Event& event, RecordedEvent& to) const {
    // A compare-exchange has two memory orders, and the event shows one of them.
    if (is_failed_exchange(event) || event.kind == EventKind::rmw) to.flags |= RecordedEvent::follows_sc;
    if (is_seq_cst(event.order)) to.flags |= RecordedEvent::seen_by_sc | RecordedEvent::follows_sc;
    if (seq_cst_.size() > most_seq_cst_events) {
      to.flags |= RecordedEvent::seen_by_sc | RecordedEvent::follows_sc;
      return;
    }
    for (const Event* other : seq_cst_) {
      if (happens_before(event, *other)) to.flags |= RecordedEvent::seen_by_sc;
      if (happens_before(*other, event)) to.flags |= RecordedEvent::follows_sc;
    }
  }

  /// What the thread knew of the location before the event: the clock of the event itself contains what it acquired.
  std::uint32_t floor_of(const Event& event, const RecordedEvent& to) const {
    const graph::Location& location = graph_.location(event.location);
    std::uint32_t floor = newest_own_access(location, event);
    if (to.po_previous == no_position) return floor;
    const Event& previous = graph_.events()[ids_[to.po_previous]];
    return std::max(floor, graph_.newest_known(location, *previous.clock));
  }

  /// The position that the thread's last access before `event` wrote or read. Coherence makes positions grow with
  /// program order, so no earlier access knew a newer one.
  std::uint32_t newest_own_access(const graph::Location& location, const Event& event) const {
    for (const graph::ThreadAccesses& by : location.accessed_by) {
      if (by.thread != event.thread) continue;
      const auto* first =
          std::lower_bound(by.accesses.begin(), by.accesses.end(), event.index,
                           [](const graph::Access& access, std::uint32_t index) { return access.index < index; });
      if (first != by.accesses.begin()) return graph_.mo_position_of(graph_.event(first[-1].event));
    }
    return 0;
  }

  void write_detail(const Event& event, RecordedEvent& to) const {
    if (event.failed_spuriously) {
      to.flags |= RecordedEvent::has_detail;
      to.detail = 1;
    }
    for (const DetailRecord& detail : details_) {
      if (detail.thread != event.thread || detail.index != event.index) continue;
      to.flags |= RecordedEvent::has_detail;
      to.detail = static_cast<std::uint8_t>(std::min<std::uint32_t>(detail.option, 0xff));
    }
  }

  const ExecutionGraph& graph_;
  std::span<const DetailRecord> details_;
  base::Arena& scratch_;
  const SiteNames& sites_;
  std::size_t count_;  ///< events of the graph that are looked at
  std::uint32_t recorded_ = 0;
  std::uint32_t location_count_ = 0;
  std::uint32_t targets_ = 0;
  std::uint32_t releases_ = 0;
  std::span<std::uint32_t> positions_;        ///< by event id
  std::span<std::uint32_t> ids_;              ///< event ids, by position
  std::span<std::uint32_t> locations_;        ///< by location id
  std::span<std::uint16_t> thread_of_;        ///< by thread id
  std::span<std::uint32_t> newest_;           ///< by thread id: the position of its newest event so far
  base::ArenaVector<std::uint64_t> threads_;  ///< names
  bool is_in_sc_order_ = false;
  base::ArenaVector<const Event*> seq_cst_;  ///< is_in_sc_order_: the seq_cst events
};

bool Recording::write(const ExecutionGraph& graph, StoreRule stores, std::span<const DetailRecord> details,
                      base::Arena& scratch, const SiteNames& sites) {
  if (graph.has_forgotten()) return false;
  const std::size_t used = scratch.used();
  const bool written = Writer(graph, details, scratch, sites).write(*this, stores);
  scratch.rewind(used);
  return written;
}

/// Is there no event at this position, or an access to the location?
bool Recording::is_access_to(std::uint32_t location, std::uint32_t position) const {
  if (position == no_position) return true;
  return position < header().events && accesses_memory(events()[position].kind) &&
         events()[position].location == location;
}

bool Recording::is_valid(const RecordedEvent& event, std::size_t position) const {
  const auto is_earlier = [&](std::uint32_t other) { return other == no_position || other < position; };
  if (!is_earlier(event.po_previous) || !is_earlier(event.reads_from) || event.thread >= header().threads) return false;
  if (event.kind > EventKind::finish || event.order > graph::MemoryOrder::seq_cst) return false;
  if (accesses_memory(event.kind) &&
      (event.location >= header().locations || !is_earlier(event.previous_access) ||
       !is_access_to(event.location, event.previous_access) || !is_access_to(event.location, event.updated_by)))
    return false;
  if (event.first_release > header().releases || event.release_count > header().releases - event.first_release)
    return false;
  const auto releases = releases_of(event);
  return std::all_of(releases.begin(), releases.end(), is_earlier);
}

bool Recording::is_valid(std::size_t size) const {
  if (size < sizeof(Header) || size > capacity || header().size != size) return false;
  const Header& h = header();
  const auto fits = [&](std::uint32_t offset, std::uint64_t count, std::uint64_t each) {
    return offset % 4 == 0 && offset >= sizeof(Header) && offset <= size && count * each <= size - offset;
  };
  if (h.events_at % 8 != 0 || h.threads_at % 8 != 0 || h.locations_at % 8 != 0 || h.events == 0 ||
      h.events > most_events || h.threads > most_threads || h.stores > StoreRule::buffered ||
      !fits(h.events_at, h.events, sizeof(RecordedEvent)) || !fits(h.threads_at, h.threads, 8) ||
      !fits(h.locations_at, h.locations, sizeof(RecordedLocation)) || !fits(h.targets_at, h.targets, 4) ||
      !fits(h.releases_at, h.releases, 4))
    return false;
  for (std::uint32_t i = 0; i < h.locations; ++i)
    if (!is_access_to(i, locations()[i].last_access) || !is_access_to(i, locations()[i].updated_by)) return false;
  for (const auto& [target, others] : targets())
    if (target >= h.events || others == 0 || !accesses_memory(events()[target].kind) ||
        events()[target].has(RecordedEvent::imported))
      return false;
  for (std::size_t i = 0; i < h.events; ++i)
    if (!is_valid(events()[i], i)) return false;
  return true;
}

}  // namespace heddle::strategies
