// The accesses of an execution for heddle predict, as channel/access_trace.hpp describes them.
#include <atomic>

#include "channel/access_trace.hpp"
#include "engine/operations/operation.hpp"
#include "engine/recording/cycle_watch.hpp"

namespace heddle::engine {

namespace {

using channel::TracedStep;
using graph::Event;
using graph::EventKind;
using Kind = TracedStep::Kind;

constexpr std::uint32_t no_step = 0xffffffffU;

/// Whether the event is a lock or unlock of a mutex, spinlock or rwlock, and which.
bool is_lock_step(const Event& event, Kind& kind) {
  switch (static_cast<Operation>(event.operation)) {
    case Operation::mutex_lock:
    case Operation::mutex_timed_lock:
    case Operation::mutex_try_lock:
    case Operation::write_lock: kind = Kind::lock; break;
    case Operation::read_lock: kind = Kind::shared_lock; break;
    case Operation::mutex_unlock:
    case Operation::spinlock_unlock:
    case Operation::rwlock_unlock: kind = Kind::unlock; break;
    default: return false;
  }
  return event.kind == (kind == Kind::unlock ? EventKind::unlock : EventKind::lock);
}

Kind kind_of(const Event& event) {
  if (event.kind == EventKind::store) return Kind::store;
  if (event.kind == EventKind::rmw) return Kind::rmw;
  return is_failed_exchange(event) ? Kind::failed_exchange : Kind::load;
}

class TraceWriter {
 public:
  TraceWriter(const WatchedExecution& execution, std::span<TracedStep> room, base::Arena& scratch)
      : in_(execution), room_(room), step_of_(scratch.create_array<std::uint32_t>(execution.graph.events().size())) {
    for (std::uint32_t& step : step_of_) step = no_step;
  }

  void write() {
    const auto accesses = in_.atomics.accesses();
    const auto events = in_.graph.events();
    std::size_t access = 0;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      const bool is_access = access < accesses.size() && number(accesses[access].event) == i;
      const bool is_written = is_access ? add_access(events[i], accesses[access++]) : add_other(events[i], i);
      if (!is_written) ++left_out_;
    }
  }
  std::size_t size() const { return size_; }
  std::size_t left_out() const { return left_out_; }

 private:
  bool add(const TracedStep& step) {
    // What follows a step that was left out would be without its locks.
    if (size_ == room_.size() || left_out_ != 0) return false;
    room_[size_++] = step;
    return true;
  }

  bool add_access(const Event& event, const AccessNote& note) {
    const SiteNamesByDepth place(event.site, note.stack, in_.stacks, in_.modules);
    TracedStep step = step_of(event, kind_of(event));
    for (std::uint32_t i = 0; i < TracedStep::depth; ++i) {
      step.pcs[i] = place.pcs[i];
      step.names[i] = place.names[i];
    }
    step.object = number(event.location);
    step.address = note.address;
    return add(step);
  }

  bool add_other(const Event& event, std::uint32_t id) {
    Kind kind = Kind::load;
    if (event.kind == EventKind::create || event.kind == EventKind::finish) {
      step_of_[id] = static_cast<std::uint32_t>(size_);
      return add(step_of(event, Kind::release));
    }
    if (event.kind == EventKind::start || event.kind == EventKind::join) {
      TracedStep step = step_of(event, Kind::order);
      for (const graph::EventId release : event.synchronised) {
        step.object = step_of_[number(release)];
        if (step.object != no_step && !add(step)) return false;
      }
      return true;
    }
    if (!is_lock_step(event, kind)) return true;
    TracedStep step = step_of(event, kind);
    step.object = number(event.location);
    return add(step);
  }

  static TracedStep step_of(const Event& event, Kind kind) {
    TracedStep step{};
    step.thread = number(event.thread);
    step.kind = kind;
    step.order = event.order;
    return step;
  }

  const WatchedExecution& in_;
  std::span<TracedStep> room_;
  std::span<std::uint32_t> step_of_;  ///< by event: the position of the `release` that it is
  std::size_t size_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

void trace_accesses(const WatchedExecution& execution, channel::Channel& channel, std::uint64_t number,
                    base::Arena& scratch) {
  static_assert(TracedStep::depth == strategies::deepest_site);
  std::atomic<std::uint64_t>& size = channel.progress.recordings_size;
  const std::uint64_t begin = size.load(std::memory_order_relaxed);
  if (begin + sizeof(channel::AccessTrace) > channel::recordings_capacity) return;
  std::byte* at = channel.at(channel::recordings_offset + begin);
  const std::uint64_t fit = (channel::recordings_capacity - begin - sizeof(channel::AccessTrace)) / sizeof(TracedStep);
  const std::uint64_t most = channel::AccessTrace::most_steps;
  const std::size_t used = scratch.used();
  TraceWriter writer(
      execution, {reinterpret_cast<TracedStep*>(at + sizeof(channel::AccessTrace)), fit < most ? fit : most}, scratch);
  writer.write();
  scratch.rewind(used);
  auto& head = *reinterpret_cast<channel::AccessTrace*>(at);
  head = {number, writer.size(), writer.left_out()};
  size.store(begin + sizeof head + writer.size() * sizeof(TracedStep), std::memory_order_release);
}

}  // namespace heddle::engine
