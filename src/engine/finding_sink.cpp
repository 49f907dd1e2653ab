#include "engine/finding_sink.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "base/hash.hpp"
#include "engine/operation.hpp"
#include "engine/sync_object.hpp"
#include "strategies/portfolio.hpp"

namespace heddle::engine {

using channel::FindingRecord;
using races::AccessCause;
using races::AccessRecord;
using races::AccessType;

namespace {

constexpr std::size_t deepest_stack = 64;

const char* order_name(graph::MemoryOrder order) {
  constexpr const char* names[] = {"plain", "relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
  return names[static_cast<std::size_t>(order)];
}

const char* access_name(AccessType type, AccessCause cause) {
  if (cause == AccessCause::allocation) return "allocation";
  if (cause == AccessCause::deallocation) return "free";
  switch (type) {
    case AccessType::plain_read: return "read";
    case AccessType::plain_write: return "write";
    case AccessType::atomic_read: return "atomic read";
    case AccessType::atomic_write: return "atomic write";
  }
  return "access";
}

const char* object_name(SyncKind kind) {
  switch (kind) {
    case SyncKind::mutex: return "mutex";
    case SyncKind::rwlock: return "rwlock";
    case SyncKind::condition: return "condition variable";
    case SyncKind::barrier: return "barrier";
    case SyncKind::semaphore: return "semaphore";
    case SyncKind::once: return "one-time initialisation";
    case SyncKind::futex: return "futex";
    case SyncKind::thread: return "end of a thread";
    case SyncKind::annotation: return "annotation";
  }
  return "object";
}

char json_buffer[256 * 1024];

}  // namespace

/// Describes one finding and adds it to the sink.
struct FindingSink::Report {
  Report(FindingSink& owner, FindingKind kind, std::string_view message, std::uint64_t key_part)
      : sink(owner), json(json_buffer), key(base::hash_words(base::hash_text(channel::name_of(kind)), key_part)) {
    json.begin_object().key("kind").text(channel::name_of(kind)).key("message");
    if (sink.found_race_ && channel::may_follow_from_race(kind)) {
      char text[640];
      std::snprintf(text, sizeof text, "%.*s (after a data race in the same execution)",
                    static_cast<int>(message.size()), message.data());
      json.text(text);
    } else {
      json.text(message);
    }
    if (const ProgramThread* thread = sink.context_.current_thread()) json.key("thread").text(thread->label);
  }

  Report& stack(std::uint64_t site, std::uint32_t stack) {
    std::uint64_t frames[deepest_stack];
    const std::size_t count = sink.stacks_.unwind(stack, frames);
    json.key("stack").begin_array();
    if (site != 0) json.address(site);
    for (std::size_t i = 0; i < count; ++i) json.address(frames[i]);
    json.end_array();
    return *this;
  }
  /// The stack of a thread as it is now, from its frames: uninstrumented code shows too. Where the frames cannot be
  /// walked, the calls that the instrumentation announced have to do.
  Report& stack_of(ProgramThread& thread, std::uint64_t site) {
    std::uint64_t frames[deepest_stack];
    const std::size_t count = sink.context_.walk_stack(thread, frames);
    std::size_t first = 0;
    while (first < count && !sink.modules_.is_instrumented_code(frames[first])) ++first;
    if (first == count) return stack(site, thread.calls.intern(sink.stacks_));
    json.key("stack").begin_array();
    for (std::size_t i = first; i < count && sink.modules_.is_foreign_code(frames[i]); ++i)
      json.address(i == first ? frames[i] - 1 : frames[i]);
    json.end_array();
    return *this;
  }

  void access(AccessType type, AccessCause cause, std::size_t size, graph::MemoryOrder order, std::uint32_t thread,
              std::uintptr_t address, std::uint64_t site, std::uint32_t stack_number) {
    json.begin_object().key("what").text(access_name(type, cause)).key("size").number(size);
    json.key("order").text(order_name(order)).key("thread").text(sink.label_of(thread));
    json.key("address").address(address);
    stack(site, stack_number);
    json.end_object();
  }

  /// Where the memory is, and for the heap who allocated it.
  void object(std::uintptr_t address) {
    json.key("object").begin_object().key("address").address(address);
    const Block block = sink.heap_.find_block(address);
    if (block.size != 0) {
      json.key("place").text("heap").key("block").address(block.address).key("block_size").number(block.size);
      const std::uint32_t slot = sink.heap_.slot_of(address);
      if (slot < sink.context_.slot_count()) json.key("thread").text(sink.label_of(slot));
      stack(0, sink.heap_.allocation_stack(reinterpret_cast<void*>(block.address)));
    } else {
      const ProgramThread* owner = nullptr;
      for (const ProgramThread* thread : sink.context_.threads_of_execution())
        if (thread->fiber.stack().contains(address)) owner = thread;
      const bool on_stack = owner != nullptr || sink.context_.is_on_callers_stack(address);
      json.key("place").text(on_stack ? "stack" : "global");
      if (owner != nullptr) json.key("thread").text(owner->label);
    }
    json.end_object();
  }

  void thread_state(ProgramThread& thread) {
    json.begin_object().key("thread").text(thread.label);
    const SyncObject* object = thread.waits_for;
    char state[96];
    if (thread.parked) {
      std::snprintf(state, sizeof state, "spins, and nothing it reads changes");
    } else if (object != nullptr) {
      std::snprintf(state, sizeof state, "waits for %s", object_name(object->kind));
    } else {
      std::snprintf(state, sizeof state, "is before %s", describe(static_cast<Operation>(thread.pending.operation)));
    }
    json.key("state").text(state);
    if (object != nullptr && object->address != 0) json.key("object").address(object->address);
    if (const ProgramThread* holder = sink.holder_of(thread)) json.key("held_by").text(holder->label);
    stack_of(thread, thread.site);
    json.end_object();
  }

  void send() {
    if (sink.muted_ || sink.channel_ == nullptr) return;
    json.key("events").number(sink.context_.events_executed()).end_object();
    sink.add(key, json.result());
  }
  void send_bug() {
    sink.found_bug_ = true;
    send();
  }

  FindingSink& sink;
  JsonWriter json;
  std::uint64_t key;
};

void FindingSink::begin_execution(std::uint64_t number) {
  pending_.forget();
  execution_ = number;
  found_bug_ = found_race_ = false;
}

const ProgramThread* FindingSink::holder_of(const ProgramThread& thread) const {
  const SyncObject* object = thread.waits_for;
  if (object == nullptr) return nullptr;
  if (object->kind == SyncKind::thread)
    for (const ProgramThread* other : context_.threads_of_execution())
      if (other->done == object) return other;
  if (object->owner != nullptr) return object->owner;
  if (object->kind == SyncKind::rwlock && !object->readers.empty()) return object->readers[0];
  return nullptr;
}

std::uint64_t FindingSink::publish(std::span<const char> output, trace::Recorder* recorder,
                                   const strategies::Portfolio* portfolio) {
  std::uint64_t added = 0;
  for (const PendingFinding& finding : pending_) {
    if (FindingRecord* known = find_record(finding.key)) {
      known->count.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    if (add_record(finding, output, recorder, portfolio)) ++added;
  }
  return added;
}

bool FindingSink::has_new_findings() {
  for (const PendingFinding& finding : pending_)
    if (find_record(finding.key) == nullptr) return true;
  return false;
}

FindingRecord* FindingSink::find_record(std::uint64_t key) {
  const std::uint64_t end = channel_->progress.findings_size.load(std::memory_order_relaxed);
  for (std::uint64_t at = 0; at < end;) {
    auto* record = reinterpret_cast<FindingRecord*>(channel_->at(channel::findings_offset + at));
    if (record->key == key) return record;
    const std::uint64_t size = sizeof *record + record->json_size + record->output_size + record->decisions_size;
    at += (size + 7) & ~std::uint64_t{7};
  }
  return nullptr;
}

bool FindingSink::add_record(const PendingFinding& finding, std::span<const char> output, trace::Recorder* recorder,
                             const strategies::Portfolio* portfolio) {
  auto& progress = channel_->progress;
  const std::uint64_t end = progress.findings_size.load(std::memory_order_relaxed);
  const std::size_t decisions = recorder == nullptr ? 0 : recorder->size();
  const std::uint64_t size = sizeof(FindingRecord) + finding.json.size() + output.size() + decisions;
  if (end + size + 8 > channel::findings_capacity) {
    progress.findings_dropped.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  auto* record = new (channel_->at(channel::findings_offset + end)) FindingRecord{};
  record->key = finding.key;
  record->execution = execution_;
  record->count.store(1, std::memory_order_relaxed);
  record->json_size = finding.json.size();
  record->output_size = output.size();
  record->decisions_size = decisions;
  record->unrecorded = recorder == nullptr ? 1 : 0;
  if (portfolio != nullptr) {
    const strategies::SpecificationText used = portfolio->specification_of(execution_).to_text();
    std::memcpy(record->strategy, used.text, sizeof record->strategy - 1);
  }
  auto* at = reinterpret_cast<char*>(record + 1);
  std::memcpy(at, finding.json.data(), finding.json.size());
  if (!output.empty()) std::memcpy(at + finding.json.size(), output.data(), output.size());
  if (decisions != 0) recorder->copy_to(reinterpret_cast<std::uint8_t*>(at) + finding.json.size() + output.size());
  progress.findings_size.store(end + ((size + 7) & ~std::uint64_t{7}), std::memory_order_release);
  return true;
}

void FindingSink::add(std::uint64_t key, std::string_view json) {
  for (const PendingFinding& other : pending_)
    if (other.key == key) return;
  auto copy = arena_.create_array<char>(json.size());
  std::memcpy(copy.data(), json.data(), json.size());
  pending_.push_back(arena_, {key, {copy.data(), copy.size()}});
}

void FindingSink::report_race(const races::Access& access, const races::Conflict& conflict) {
  const AccessRecord& previous = conflict.previous;
  const bool use_after_free = previous.cause == AccessCause::deallocation;
  // Both places, whichever came first: the same race is met in either order.
  const std::uint64_t a = modules_.canonical(access.site), b = modules_.canonical(previous.site());
  const std::uint64_t key = a < b ? base::hash_words(a, b) : base::hash_words(b, a);
  const FindingKind kind = use_after_free ? FindingKind::use_after_free : FindingKind::race;
  char message[200];
  std::snprintf(message, sizeof message, "%s by %s %s %s by %s", access_name(access.type, access.cause),
                label_of(number(access.thread)),
                conflict.ordered ? "comes after the" : "is not ordered with the earlier",
                access_name(previous.type, previous.cause), label_of(previous.thread));
  Report report(*this, kind, message, key);
  report.json.key("accesses").begin_array();
  report.access(access.type, access.cause, access.size, access.order, number(access.thread), conflict.address,
                access.site, access.stack);
  report.access(previous.type, previous.cause, previous.size, previous.order, previous.thread, conflict.address,
                previous.site(), previous.stack);
  report.json.end_array();
  report.object(conflict.address);
  report.send_bug();
  found_race_ = true;
}

void FindingSink::report_double_free(void* pointer, std::uint64_t site) {
  Report report(*this, FindingKind::double_free, "a block is freed that was freed before", modules_.canonical(site));
  report.stack_of(*context_.current_thread(), site);
  report.object(reinterpret_cast<std::uintptr_t>(pointer));
  report.send_bug();
}

void FindingSink::report_invalid_free(void* pointer, std::uint64_t site) {
  Report report(*this, FindingKind::crash, "free of an address that no allocation returned", modules_.canonical(site));
  report.stack_of(*context_.current_thread(), site);
  report.object(reinterpret_cast<std::uintptr_t>(pointer));
  report.send_bug();
}

void FindingSink::report_at(FindingKind kind, std::string_view message, std::uint64_t site, std::uint64_t key_extra) {
  Report report(*this, kind, message, base::hash_words(modules_.canonical(site), key_extra));
  if (ProgramThread* thread = context_.current_thread()) report.stack_of(*thread, site);
  report.send_bug();
}

void FindingSink::report_limit(LimitKind, std::string_view message, std::uint64_t site, std::uint64_t key_extra) {
  Report report(*this, FindingKind::limit, message, base::hash_words(modules_.canonical(site), key_extra));
  if (ProgramThread* thread = context_.current_thread()) report.stack_of(*thread, site);
  report.send();
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
  for (ProgramThread* thread : threads)
    if (thread->state == ProgramThread::State::alive)
      key += base::hash_words(modules_.canonical(waiting_site(*thread)));
  Report report(*this, livelock ? FindingKind::livelock : FindingKind::deadlock,
                livelock ? "the threads that are left spin for ever" : "every thread waits for another", key);
  report.json.key("threads").begin_array();
  for (ProgramThread* thread : threads)
    if (thread->state == ProgramThread::State::alive) report.thread_state(*thread);
  report.json.end_array();
  add_cycle(report.json);
  report.send_bug();
}

void FindingSink::add_cycle(JsonWriter& json) const {
  const auto threads = context_.threads_of_execution();
  for (const ProgramThread* start : threads) {
    const ProgramThread* at = start;
    for (std::size_t steps = 0; at != nullptr && steps < threads.size(); ++steps) {
      at = at->state == ProgramThread::State::alive ? holder_of(*at) : nullptr;
      if (at != start) continue;
      json.key("cycle").begin_array();
      do {
        json.text(at->label);
        at = holder_of(*at);
      } while (at != start);
      json.end_array();
      return;
    }
  }
}

void FindingSink::report_leaks() {
  heap_.for_each_live([this](Block block, std::uint32_t stack) {
    std::uint64_t frames[2] = {};
    stacks_.unwind(stack, frames);
    char message[96];
    std::snprintf(message, sizeof message, "%zu bytes are never freed", block.size);
    Report report(*this, FindingKind::leak, message,
                  base::hash_words(modules_.canonical(frames[0]), modules_.canonical(frames[1])));
    report.stack(0, stack);
    report.object(block.address);
    report.send_bug();
  });
}

void FindingSink::report_output(std::span<const char> output) {
  if (output.empty()) return;
  JsonWriter json(json_buffer);
  json.begin_object().key("kind").text("output").key("message").text("output").end_object();
  add(base::hash_words(base::hash_text("output"), execution_), json.result());
}

// The driver reports the death of a worker with the same message and key (campaign/campaign.cpp): under isolation fork
// this process notices the death, under reset the driver does, and workers may differ in their isolation.
void FindingSink::publish_dead_child(std::uint64_t number, int status, const strategies::Portfolio* portfolio) {
  char cause[96], message[224];
  const auto execution = static_cast<unsigned long long>(number);
  if (WIFSIGNALED(status)) {
    std::snprintf(cause, sizeof cause, "killed by signal %d (%s)", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    std::snprintf(message, sizeof message, "the program was %s in execution %llu%s", cause, execution,
                  WTERMSIG(status) == SIGKILL ? ", perhaps since the machine ran out of memory" : "");
  } else {
    std::snprintf(cause, sizeof cause, "ended with exit status %d", WEXITSTATUS(status));
    std::snprintf(message, sizeof message, "the program %s in the middle of execution %llu, past all exit handlers",
                  cause, execution);
  }
  arena_.reset();
  begin_execution(number);
  JsonWriter json(json_buffer);
  json.begin_object().key("kind").text("crash").key("message").text(message).end_object();
  add(base::hash_text(cause, base::hash_text("crash")), json.result());
  publish({}, nullptr, portfolio);
}

}  // namespace heddle::engine
