#include "engine/primitives/program_fibers.hpp"

#include <utility>

#include "engine/reporting/finding_sink.hpp"

namespace heddle::engine {

using graph::EventId;
using graph::EventKind;
using graph::MemoryOrder;

namespace {

/// What belongs to the thread of the system goes from one fiber to the next.
void hand_over(ProgramThread& from, ProgramThread& to) {
  std::swap(from.tls_destructors, to.tls_destructors);
  std::swap(from.keys, to.keys);
  std::swap(from.robust_mutexes, to.robust_mutexes);
  std::swap(from.cleanup_buffers, to.cleanup_buffers);
  std::swap(from.signals, to.signals);
  std::swap(from.cancellation, to.cancellation);
  to.fiber.set_thread_pointer(from.fiber.thread_pointer());
}

}  // namespace

EventId ProgramFibers::release(std::uint64_t site) {
  scheduler_.announce(EventKind::unlock, Operation::annotation_release);
  log_.begin_event(EventKind::unlock, MemoryOrder::plain, Operation::annotation_release, site);
  const EventId released = log_.record();
  scheduler_.mark_progress();
  return released;
}

void ProgramFibers::acquire(EventId released, std::uint64_t site) {
  scheduler_.announce(EventKind::lock, Operation::annotation_acquire);
  graph::Event& event = log_.begin_event(EventKind::lock, MemoryOrder::plain, Operation::annotation_acquire, site);
  log_.record_synchronised(event, {&released, 1});
}

ProgramThread& ProgramFibers::create(std::uint64_t site) {
  if (is_search_)
    end_.unsupported(
        "the exhaustive search does not know fibers (__tsan_create_fiber); use a sampling strategy, such as --strategy "
        "random");
  ProgramThread* fiber = nullptr;
  if (unused_.empty()) {
    fiber = &threads_.child_slot();
    threads_.begin_thread(*fiber, nullptr, nullptr, threads_.current().now);
    graph_.add_thread(fiber->id, fiber->name);
    threads_.set_service(*fiber, true);
    fiber->dormant = true;
    fiber->detached = true;
  } else {
    fiber = unused_.back();
    unused_.pop_back();
    fiber->calls.clear();
  }
  fiber->created = release(site);
  fiber->started = false;
  return *fiber;
}

void ProgramFibers::destroy(ProgramThread& fiber, std::uint64_t site) {
  if (!fiber.dormant) return findings_.report_misuse("a fiber is destroyed while it runs", 0, site);
  unused_.push_back(execution_arena_, &fiber);
}

void ProgramFibers::switch_to(ProgramThread& fiber, bool synchronises, std::uint64_t site) {
  ProgramThread& self = threads_.current();
  if (&fiber == &self) return;
  if (!fiber.dormant) return findings_.report_misuse("a thread switches to a fiber that another thread runs", 0, site);
  const EventId released = synchronises ? release(site) : graph::no_event;
  hand_over(self, fiber);
  self.dormant = true;
  fiber.dormant = false;
  threads_.set_service(self, true);
  threads_.set_service(fiber, false);
  scheduler_.update_enabled(self);
  scheduler_.update_enabled(fiber);
  threads_.set_current(&fiber);
  if (!fiber.started && fiber.created != graph::no_event) acquire(fiber.created, 0);
  fiber.started = true;
  if (synchronises) acquire(released, site);
}

ProgramThread* ProgramFibers::find(const void* address) const {
  for (ProgramThread* thread : threads_.threads())
    if (thread == address) return thread;
  return nullptr;
}

}  // namespace heddle::engine
