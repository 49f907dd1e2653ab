#include "story/missing_edges.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace heddle::story {

MemoryOrder joined(MemoryOrder a, MemoryOrder b) {
  if (is_seq_cst(a) || is_seq_cst(b)) return MemoryOrder::seq_cst;
  const bool acquires = is_acquire(a) || is_acquire(b), releases = is_release(a) || is_release(b);
  if (acquires && releases) return MemoryOrder::acq_rel;
  return releases ? MemoryOrder::release : acquires ? MemoryOrder::acquire : MemoryOrder::relaxed;
}

namespace {

/// A step of the search: a passage, what it took to come here, and from where.
struct Reached {
  std::size_t cost = 0;
  std::size_t passage = 0;
  std::optional<std::size_t> before;  ///< in the list of reached ones
};

/// Takes `steps` from what is left. Returns false if nothing is left.
bool take_steps(std::size_t& left, std::size_t steps) {
  left -= std::min(left, steps);
  return left != 0;
}

class PathSearch {
 public:
  PathSearch(const ExecutionLog& log, const Passages& passages, EventNumber from, EventNumber to)
      : log_(log), from_(from), to_(to) {
    for (EventNumber read = from; read <= to && read < log.events.size(); ++read)
      for (const Passage& passage : passages.into(read)) passages_.push_back(passage);
  }

  std::optional<MissingPath> find(std::size_t& steps_left) {
    using Entry = std::tuple<std::size_t, std::size_t, std::optional<std::size_t>>;  // cost, passage, reached before
    const auto is_later = [](const Entry& a, const Entry& b) {
      return std::tie(std::get<0>(a), std::get<1>(a)) > std::tie(std::get<0>(b), std::get<1>(b));
    };
    std::priority_queue<Entry, std::vector<Entry>, decltype(is_later)> open(is_later);
    for (std::size_t i = 0; i < passages_.size(); ++i)
      if (is_at_or_before(from_, passages_[i].write)) open.emplace(cost_of(i, from_), i, std::nullopt);
    std::vector<bool> is_done(passages_.size());
    std::vector<Reached> reached;
    while (!open.empty()) {
      const auto [cost, passage, before] = open.top();
      open.pop();
      if (is_done[passage]) continue;
      is_done[passage] = true;
      reached.push_back({cost, passage, before});
      const EventNumber read = passages_[passage].read;
      if (is_at_or_before(read, to_)) return path_of(reached, reached.size() - 1);
      if (!take_steps(steps_left, passages_.size())) return std::nullopt;
      for (std::size_t next = 0; next < passages_.size(); ++next)
        if (!is_done[next] && is_at_or_before(read, passages_[next].write))
          open.emplace(cost + cost_of(next, read), next, reached.size() - 1);
    }
    return std::nullopt;
  }

 private:
  bool is_at_or_before(EventNumber a, EventNumber b) const { return a == b || log_.happens_before(a, b); }
  /// Whether the passage releases what `source` knows.
  bool releases(const Passage& passage, EventNumber source) const {
    return passage.release && (*passage.release == passage.write || is_at_or_before(source, *passage.release));
  }
  /// Whether what the passage brings is known at `target`.
  bool acquires(const Passage& passage, EventNumber target) const {
    return passage.acquire && (*passage.acquire == passage.read || is_at_or_before(*passage.acquire, target));
  }
  std::size_t cost_of(std::size_t passage, EventNumber source) const {
    const Passage& p = passages_[passage];
    // Of paths that need equally many changes, the one with fewer passages is easier to explain.
    constexpr std::size_t change = 10;
    return 1 + (releases(p, source) ? 0 : change) + (p.acquire ? 0 : change);
  }

  MissingPath path_of(const std::vector<Reached>& reached, std::size_t last) const {
    MissingPath path{from_, to_, {}, {}};
    for (std::optional<std::size_t> at = last; at; at = reached[*at].before)
      path.passages.insert(path.passages.begin(), passages_[reached[*at].passage]);
    for (std::size_t i = 0; i < path.passages.size(); ++i) {
      const Passage& passage = path.passages[i];
      const EventNumber source = i == 0 ? from_ : path.passages[i - 1].read;
      const EventNumber target = i + 1 < path.passages.size() ? path.passages[i + 1].write : to_;
      if (!releases(passage, source))
        add_stronger(path.stronger, {passage.write, joined(log_.events[passage.write].order, MemoryOrder::release)});
      if (!acquires(passage, target))
        add_stronger(path.stronger, {passage.read, joined(log_.events[passage.read].order, MemoryOrder::acquire)});
    }
    return path;
  }

  const ExecutionLog& log_;
  EventNumber from_;
  EventNumber to_;
  std::vector<Passage> passages_;
};

bool is_atomic(const Event& event) {
  return event.location && (event.reads_memory() || event.kind == EventKind::store);
}

class CycleSearch {
 public:
  CycleSearch(const ExecutionLog& log, const std::vector<EventNumber>& accesses, EventNumber start, EventNumber end)
      : log_(log), accesses_(accesses), start_(start), end_(end) {}

  std::optional<OrderCycle> find(std::size_t& steps_left) {
    std::map<EventNumber, EventNumber> before;  // on the shortest way from start_
    std::queue<EventNumber> open;
    open.push(start_);
    before[start_] = start_;
    while (!open.empty() && !before.contains(end_)) {
      const EventNumber at = open.front();
      open.pop();
      if (!take_steps(steps_left, accesses_.size())) return std::nullopt;
      for (const EventNumber next : accesses_)
        if (!before.contains(next) && is_ordered(at, next)) {
          before[next] = at;
          open.push(next);
        }
    }
    if (!before.contains(end_)) return std::nullopt;
    OrderCycle cycle;
    for (EventNumber at = end_; at != start_; at = before[at]) cycle.events.insert(cycle.events.begin(), at);
    cycle.events.insert(cycle.events.begin(), start_);
    for (const EventNumber event : cycle.events)
      if (!is_seq_cst(log_.events[event].order)) cycle.stronger.push_back({event, MemoryOrder::seq_cst});
    return cycle;
  }

 private:
  std::size_t position_of(const Event& event) const {
    return event.reads_from && event.kind != EventKind::rmw ? log_.events[*event.reads_from].mo_position
                                                            : event.mo_position;
  }
  /// Program order, reads-from, modification order or from-read.
  bool is_ordered(EventNumber first, EventNumber second) const {
    const Event& a = log_.events[first];
    const Event& b = log_.events[second];
    if (a.thread == b.thread) return first < second;
    if (a.location != b.location) return false;
    const bool a_writes = a.written.has_value(), b_writes = b.written.has_value();
    if (a_writes && !b_writes) return position_of(a) <= position_of(b);
    if (b_writes) return position_of(a) < position_of(b);
    return false;
  }

  const ExecutionLog& log_;
  const std::vector<EventNumber>& accesses_;
  EventNumber start_;
  EventNumber end_;
};

}  // namespace

void add_stronger(std::vector<StrongerOrder>& orders, const StrongerOrder& added) {
  for (StrongerOrder& known : orders) {
    if (known.event != added.event) continue;
    known.order = joined(known.order, added.order);
    return;
  }
  orders.push_back(added);
}

MissingEdges::MissingEdges(const ExecutionLog& log) : log_(log), passages_(log) {
  passages_before_.reserve(log.events.size() + 1);
  passages_before_.push_back(0);
  for (EventNumber i = 0; i < log.events.size(); ++i) {
    passages_before_.push_back(passages_before_.back() + passages_.count_into(i));
    if (is_atomic(log.events[i])) accesses_.push_back(i);
  }
}

std::optional<MissingPath> MissingEdges::find_path(EventNumber from, EventNumber to) {
  // A log of thousands of reads has too many pairs of them.
  constexpr std::size_t most_passages = 3000;
  const EventNumber end = std::min(to + 1, log_.events.size());
  if (from >= end || log_.happens_before(from, to)) return std::nullopt;
  const std::size_t passages = passages_before_[end] - passages_before_[from];
  if (passages > most_passages || !take_steps(steps_left_, end - from + passages)) return std::nullopt;
  return PathSearch(log_, passages_, from, to).find(steps_left_);
}

std::optional<OrderCycle> MissingEdges::find_cycle(EventNumber newer, EventNumber later) {
  // Every access is compared with every other one.
  constexpr std::size_t most_accesses = 2000;
  if (accesses_.size() > most_accesses) return std::nullopt;
  return CycleSearch(log_, accesses_, newer, later).find(steps_left_);
}

}  // namespace heddle::story
