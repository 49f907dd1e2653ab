// What each kind of finding says, and which of its parts distinguish findings.
#include <algorithm>
#include <cstdio>

#include "base/hash.hpp"
#include "engine/operations/access_note.hpp"
#include "engine/reporting/finding_description.hpp"
#include "engine/reporting/finding_sink.hpp"
#include "engine/threads/held_lock.hpp"

namespace heddle::engine {

using channel::AccessKind;
using channel::FindingHead;
using channel::Words;
using races::AccessCause;
using races::AccessType;

namespace {

AccessKind kind_of(AccessType type, AccessCause cause) {
  if (cause == AccessCause::allocation) return AccessKind::allocation;
  if (cause == AccessCause::deallocation) return AccessKind::deallocation;
  if (cause == AccessCause::synchronisation) return AccessKind::synchronisation;
  switch (type) {
    case AccessType::plain_read: return AccessKind::read;
    case AccessType::plain_write: return AccessKind::write;
    case AccessType::atomic_read: return AccessKind::atomic_read;
    case AccessType::atomic_write: return AccessKind::atomic_write;
  }
  return AccessKind::read;
}

}  // namespace

/// One finding: its description, and what the sink keeps with it.
struct FindingSink::Report : FindingDescription {
  Report(FindingSink& owner, const FindingHead& head, std::uint64_t key_part)
      : FindingDescription({owner.heap_, owner.modules_, owner.stacks_, owner.context_}, owner.completed(head)),
        sink(owner), kind(head.kind), is_bug(channel::is_bug(head.kind) && !head.is_warning),
        key(base::hash_words(base::hash_text(channel::name_of(head.kind)), key_part)),
        is_timely(owner.context_.early_end().nanoseconds == 0) {
    if (sink.muted_) summarise(head);
  }

  void summarise(const FindingHead& head) const {
    ReportedFindings& all = sink.reported_;
    all.keys += key;
    if (all.first[0] != '\0') return;
    const ProgramThread* thread = sink.context_.current_thread();
    all.first_site = thread == nullptr ? 0 : thread->site;
    const std::string_view name = channel::name_of(head.kind);
    std::snprintf(all.first, sizeof all.first, "%.*s (%.*s)", static_cast<int>(name.size()), name.data(),
                  static_cast<int>(head.message.size()), head.message.data());
  }

  void finish() {
    // A loop that polls memory which is an event only here need not be one that waits.
    if (!sink.racy_sites_.empty() && kind == FindingKind::livelock) return;
    if (is_bug) sink.found_bug_ = true;
    if (!sink.races_.empty() || !sink.racy_sites_.empty())
      add_race_context(channel::may_follow_from_race(kind) ? sink.races_before() : Words(), sink.racy_sites_);
    if (!sink.muted_ && sink.channel_ != nullptr) sink.add(key, kind, words(), is_bug, is_timely);
  }

  FindingSink& sink;
  FindingKind kind;
  bool is_bug;
  std::uint64_t key;
  bool is_timely;
};

void FindingSink::report_race(const races::Access& access, const races::Conflict& conflict) {
  const races::AccessRecord& previous = conflict.previous;
  const AccessKind kind = kind_of(access.type, access.cause), previous_kind = kind_of(previous.type, previous.cause);
  // The key holds both places in a fixed order: the accesses of one race may happen in either order.
  const std::uint64_t a = modules_.canonical(access.site), b = modules_.canonical(previous.site());
  const std::uint64_t key = a < b ? base::hash_words(a, b) : base::hash_words(b, a);
  char message[200];
  std::snprintf(message, sizeof message, "%s by %s %s %s by %s", channel::name_of(kind),
                label_of(number(access.thread)),
                conflict.ordered ? "comes after the" : "is not ordered with the earlier",
                channel::name_of(previous_kind), label_of(previous.thread));
  const bool use_after_free = previous.cause == AccessCause::deallocation;
  const bool may_be_locked = !use_after_free && unseen_locks_.are_around(access.site, access.stack) &&
                             unseen_locks_.are_around(previous.site(), previous.stack);
  Report report(*this,
                {.kind = use_after_free ? FindingKind::use_after_free : FindingKind::race,
                 .is_warning = may_be_locked,
                 .message = message},
                key);
  report.add_access(kind, access.order, access.size, conflict.address, number(access.thread), access.site,
                    access.stack);
  // A record's size is limited. That of an allocation or a free is the block's.
  const std::size_t previous_size =
      previous.cause == AccessCause::access ? previous.size : heap_.find_block(conflict.address).size;
  report.add_access(previous_kind, previous.order, previous_size, conflict.address, previous.thread, previous.site(),
                    previous.stack);
  report.add_object(conflict.address);
  report.finish();
  withhold_proof(channel::ProofGap::race);
  if (may_be_locked) return;  // what follows such a race need not be possible
  found_race_ = true;
  constexpr std::size_t most_races = 8;  // more do not help to understand a finding
  if (!use_after_free && races_.size() < most_races &&
      std::find(races_.begin(), races_.end(), report.key) == races_.end())
    races_.push_back(arena_, report.key);
  if (access.cause == AccessCause::access && !races::is_atomic(access.type)) remember_site(access.site);
  if (previous.cause == AccessCause::access && !races::is_atomic(previous.type)) remember_site(previous.site());
}

void FindingSink::report_about(FindingKind kind, std::string_view message, std::uintptr_t address, std::uint64_t site) {
  Report report(*this, {.kind = kind, .message = message}, modules_.canonical(site));
  report.add_stack_of(*context_.current_thread(), site);
  report.add_object(address);
  report.finish();
}

void FindingSink::report_double_free(void* pointer, std::uint64_t site) {
  report_about(FindingKind::double_free, "a block is freed that was freed before",
               reinterpret_cast<std::uintptr_t>(pointer), site);
}

void FindingSink::report_invalid_free(void* pointer, std::uint64_t site) {
  report_about(FindingKind::crash, "free of an address that no allocation returned",
               reinterpret_cast<std::uintptr_t>(pointer), site);
}

void FindingSink::report_dead_stack(std::string_view message, std::uintptr_t address, std::uint64_t site) {
  report_about(FindingKind::use_after_free, message, address, site);
}

void FindingSink::report_misuse(std::string_view message, std::uintptr_t object, std::uint64_t site) {
  report_about(FindingKind::misuse, message, object, site);
}

void FindingSink::report_misuse(std::string_view message, std::uintptr_t object, std::uint64_t site,
                                std::uint32_t stack) {
  Report report(*this, {.kind = FindingKind::misuse, .message = message},
                base::hash_words(modules_.canonical(site), base::hash_text(message)));
  report.add_stack(stacks_.child(stack, site));
  report.add_object(object);
  report.finish();
}

/// The key has the places of the cycle, in any order: the edges of one cycle are found in any order.
void FindingSink::report_lock_order(std::span<const LockEdge* const> cycle, bool is_warning) {
  std::uint64_t key = 0;
  char message[400] = "";
  std::size_t length = 0;
  for (const LockEdge* edge : cycle) {
    key += base::hash_words(modules_.canonical(edge->from.site), modules_.canonical(edge->to.site));
    const int written =
        std::snprintf(message + length, sizeof message - length, "%s%s", length == 0 ? "" : ", ", edge->thread->label);
    if (written > 0 && length + static_cast<std::size_t>(written) < sizeof message - 100)
      length += static_cast<std::size_t>(written);
  }
  std::snprintf(message + length, sizeof message - length,
                " take the same locks in different orders, and may deadlock");
  Report report(*this, {.kind = FindingKind::lock_order, .is_warning = is_warning, .message = message}, key);
  for (const LockEdge* edge : cycle) {
    const std::uint32_t thread = number(edge->thread->id);
    report.add_access(AccessKind::lock, graph::MemoryOrder::plain, 0, edge->to.lock->address, thread, edge->to.site,
                      edge->to.stack);
    report.add_access(AccessKind::held_lock, graph::MemoryOrder::plain, 0, edge->from.lock->address, thread,
                      edge->from.site, edge->from.stack);
  }
  for (const LockEdge* edge : cycle) report.add_local(edge->to.lock->address);
  report.finish();
}

void FindingSink::report_descriptor_race(const races::Access& access, const races::Conflict& conflict) {
  const races::AccessRecord& previous = conflict.previous;
  const auto kind = [](AccessType type) {
    return is_write(type) ? AccessKind::descriptor_close : AccessKind::descriptor_use;
  };
  const std::uint64_t a = modules_.canonical(access.site), b = modules_.canonical(previous.site());
  char message[200];
  std::snprintf(message, sizeof message, "%s by %s is not ordered with the earlier %s by %s",
                channel::name_of(kind(access.type)), label_of(number(access.thread)),
                is_write(previous.type) ? "close" : "use", label_of(previous.thread));
  Report report(*this, {.kind = FindingKind::descriptor_race, .message = message},
                a < b ? base::hash_words(a, b) : base::hash_words(b, a));
  report.add_access(kind(access.type), graph::MemoryOrder::plain, 0, 0, number(access.thread), access.site,
                    access.stack);
  report.add_access(kind(previous.type), graph::MemoryOrder::plain, 0, 0, previous.thread, previous.site(),
                    previous.stack);
  report.finish();
}

void FindingSink::report_thread_leak(const ProgramThread& thread) {
  std::uint64_t frames[2] = {};
  stacks_.unwind(thread.creation_stack, frames);
  Report report(*this,
                {.kind = FindingKind::thread_leak, .message = "a thread is neither joined nor detached at the end"},
                base::hash_words(modules_.canonical(frames[0]), modules_.canonical(frames[1])));
  report.add_stack(thread.creation_stack);
  report.finish();
}

void FindingSink::report_spoilt_errno(std::string_view message, std::uint64_t handler) {
  Report report(*this, {.kind = FindingKind::signal_errno, .message = message}, modules_.canonical(handler));
  report.add_stack(stack_now(handler));
  report.finish();
}

std::uint32_t FindingSink::stack_now(std::uint64_t site) {
  return stacks_.child(context_.current_thread()->calls.intern(stacks_), site);
}

void FindingSink::report_here(const FindingHead& head, std::uint64_t site, std::uint64_t key_extra) {
  Report report(*this, head, base::hash_words(modules_.canonical(site), key_extra));
  if (ProgramThread* thread = context_.current_thread()) report.add_stack_of(*thread, site);
  report.finish();
}

void FindingSink::report_at(FindingKind kind, std::string_view message, std::uint64_t site, std::uint64_t key_extra) {
  report_here({.kind = kind, .message = message}, site, key_extra);
}

void FindingSink::report_history(std::string_view message, std::span<const channel::CallRecord> calls,
                                 std::string_view name, std::uint64_t site) {
  Report report(*this, {.kind = FindingKind::linearizability, .message = message},
                base::hash_words(modules_.canonical(site), base::hash_text(name)));
  report.add_stack_of(*context_.current_thread(), site);
  for (const channel::CallRecord& call : calls) report.add_call(call);
  report.finish();
}

void FindingSink::report_fatal_signal(std::string_view message, int number, std::uint64_t site) {
  Report report(*this, {.kind = FindingKind::crash, .message = message},
                base::hash_words(static_cast<std::uint64_t>(number)));
  if (ProgramThread* thread = context_.current_thread()) report.add_stack_of(*thread, site);
  report.finish();
}

void FindingSink::report_failed_assertion(const char* expression, std::uint64_t site, std::uint64_t key_extra) {
  char message[512];
  std::snprintf(message, sizeof message, "assertion failed: %s", expression);
  report_here({.kind = FindingKind::assertion, .message_names_kind = true, .message = message}, site, key_extra);
}

void FindingSink::report_exit_status(std::uint8_t status, std::uint64_t site) {
  char message[64];
  std::snprintf(message, sizeof message, "the program ended with exit status %u", unsigned{status});
  report_here({.kind = FindingKind::exit_status, .message_names_kind = true, .exit_status = status, .message = message},
              site, status);
}

void FindingSink::report_limit(LimitKind limit, std::string_view message, std::uint64_t site) {
  report_here({.kind = FindingKind::limit, .limit = limit, .message = message}, site, 0);
}

/// The clock interrupts any instruction of the loop, so the place is not part of the key: otherwise the same hang would
/// be several findings.
void FindingSink::report_timeout(LimitKind limit, std::string_view message, std::uint64_t site) {
  ProgramThread& thread = *context_.current_thread();
  Report report(*this, {.kind = FindingKind::limit, .limit = limit, .message = message},
                base::hash_words(static_cast<std::uint64_t>(limit), base::hash_text(thread.label)));
  report.add_stack_of(thread, site);
  report.finish();
}

/// The place at which the limit was reached is any place of a loop, so it is not part of the key. Threads that wait
/// without a time limit are shown, too: the loop often waits for one of them, which is deadlocked.
void FindingSink::report_cut_off(LimitKind limit, std::string_view message, ProgramThread& busiest,
                                 ProgramThread* starved) {
  Report report(*this, {.kind = FindingKind::limit, .limit = limit, .message = message},
                base::hash_words(static_cast<std::uint64_t>(limit), base::hash_text(busiest.label)));
  report.add_thread(busiest);
  if (starved != nullptr) report.add_thread(*starved);
  for (ProgramThread* thread : context_.threads_of_execution())
    if (thread->waits_for != nullptr && !thread->deadline && !thread->enabled && !thread->is_service &&
        thread->state == ProgramThread::State::alive)
      report.add_thread(*thread);
  report.finish();
}

std::uint64_t FindingSink::waiting_site(ProgramThread& thread) {
  if (modules_.is_foreign_code(thread.site)) return thread.site;
  std::uint64_t frames[16];
  const std::size_t count = context_.walk_stack(thread, frames);
  for (std::size_t i = 0; i < count; ++i)
    if (modules_.is_instrumented_code(frames[i])) return frames[i] - 1;
  return thread.site;
}

void FindingSink::report_stuck(bool livelock) {
  const auto threads = context_.threads_of_execution();
  std::uint64_t key = 0;
  const auto is_left = [](const ProgramThread* thread) {
    return thread->state == ProgramThread::State::alive && !thread->is_service;
  };
  for (ProgramThread* thread : threads)
    if (is_left(thread)) key += base::hash_words(modules_.canonical(waiting_site(*thread)));
  FindingHead head{.kind = FindingKind::deadlock, .message = "every thread waits for another"};
  if (livelock) head = {.kind = FindingKind::livelock, .message = "the threads that are left spin for ever"};
  Report report(*this, head, key);
  for (ProgramThread* thread : threads)
    if (is_left(thread)) report.add_thread(*thread);
  report.add_cycle();
  report.finish();
}

void FindingSink::report_leaks() {
  heap_.for_each_live([this](Block block, std::uint32_t stack_number) {
    std::uint64_t frames[2] = {};
    stacks_.unwind(stack_number, frames);
    char message[96];
    std::snprintf(message, sizeof message, "%zu bytes are never freed", block.size);
    Report report(*this, {.kind = FindingKind::leak, .message = message},
                  base::hash_words(modules_.canonical(frames[0]), modules_.canonical(frames[1])));
    report.add_stack(stack_number);
    report.add_object(block.address);
    report.finish();
  });
}

void FindingSink::report_cycle(const graph::ExecutionGraph& graph, std::span<const AccessNote> accesses,
                               std::uint64_t key_part) {
  Report report(*this,
                {.kind = FindingKind::sc_violation,
                 .message_names_kind = true,
                 .message = "no interleaving of the threads explains this execution: these accesses form a cycle"},
                key_part);
  for (const AccessNote& access : accesses) {
    const graph::Event& event = graph.event(access.event);
    report.add_access(writes(event.kind) ? AccessKind::atomic_write : AccessKind::atomic_read, event.order, event.size,
                      access.address, number(event.thread), event.site, access.stack);
  }
  report.finish();
}

}  // namespace heddle::engine
