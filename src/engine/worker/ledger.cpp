#include "engine/worker/ledger.hpp"

#include <cstdio>

#include "engine/isolation/child_process.hpp"
#include "engine/isolation/real.hpp"

#if defined(HEDDLE_RECORDS_PROFILE)
extern "C" void __gcov_dump();
#endif

namespace heddle::engine {

using channel::Failure;
using strategies::Outcome;

void Ledger::fail(Failure failure, const char* text) {
  std::snprintf(progress_.failure_text, sizeof progress_.failure_text, "%s", text);
  progress_.failure.store(failure, std::memory_order_release);
  if (request_.in_process == 0) exit_process(3);
}

void Ledger::fail_search(channel::SearchAssumption broken, const char* text) {
  progress_.broken_assumption.store(broken, std::memory_order_relaxed);
  fail(Failure::other_search, text);
}

void Ledger::forgive_failure() {
  progress_.failure.store(Failure::none, std::memory_order_relaxed);
  progress_.failure_text[0] = '\0';
}

void Ledger::finish() {
#if defined(HEDDLE_RECORDS_PROFILE)
  __gcov_dump();  // no functions of atexit() run, which would do so
#endif
  progress_.state.store(channel::State::done, std::memory_order_release);
  exit_process(0);
}

bool Ledger::is_cancelled(std::uint64_t number) const {
  return number >= *const_cast<const volatile std::uint64_t*>(&request_.end_execution) ||
         progress_.stop.load(std::memory_order_relaxed) != 0;
}

bool Ledger::is_late() const { return request_.deadline != 0 && monotonic_now() >= request_.deadline; }

bool Ledger::should_stop(std::uint64_t number) const {
  const bool has_begun = executions() != 0 || progress_.abandoned.load(std::memory_order_relaxed) != 0;
  return is_cancelled(number) || (has_begun && is_late());
}

void Ledger::count_execution(Outcome outcome, bool is_buggy, std::uint64_t events) {
  add(progress_.events, events);
  if (is_buggy) add(progress_.buggy, 1);
  if (outcome == Outcome::blocked) add(progress_.blocked, 1);
  if (outcome == Outcome::cut_off) add(progress_.cut_off, 1);
  add(progress_.executions, 1);
}

void Ledger::forget_counts() {
  progress_.proof_gaps.store(0, std::memory_order_relaxed);
  for (std::atomic<std::uint64_t>* count : {&progress_.executions, &progress_.buggy, &progress_.blocked,
                                            &progress_.cut_off, &progress_.events, &progress_.abandoned})
    count->store(0, std::memory_order_relaxed);
}

bool Ledger::has_room_for_record() const {
  const std::uint64_t count = progress_.graphs.load(std::memory_order_relaxed);
  return (count + 1) * sizeof(channel::GraphRecord) <= channel::graphs_capacity;
}

void Ledger::add_record(std::uint64_t hash, std::uint64_t execution, bool is_buggy) {
  const std::uint64_t count = progress_.graphs.load(std::memory_order_relaxed);
  auto* records = reinterpret_cast<channel::GraphRecord*>(channel_.at(channel::graphs_offset));
  records[count] = {hash, execution, 1, is_buggy ? 1U : 0U};
  progress_.graphs.store(count + 1, std::memory_order_release);
}

bool Ledger::add_graph(std::uint64_t hash, std::uint64_t execution, bool is_buggy) {
  const bool gets_record = has_room_for_record() && (searched_graphs_.is_empty() || !searched_graphs_.contains(hash));
  const std::uint64_t count = progress_.graphs.load(std::memory_order_relaxed);
  const GraphSet::Added added = graphs_.add(hash, gets_record ? count : GraphSet::no_record);
  if (added.is_new) {
    if (gets_record) add_record(hash, execution, is_buggy);
    return true;
  }
  if (added.record != GraphSet::no_record)
    ++reinterpret_cast<channel::GraphRecord*>(channel_.at(channel::graphs_offset))[added.record].count;
  return false;
}

void Ledger::add_searched_graph(std::uint64_t hash, std::uint64_t execution, bool is_buggy) {
  if (!graphs_.contains(hash) && searched_graphs_.add(hash) && has_room_for_record())
    add_record(hash, execution, is_buggy);
}

}  // namespace heddle::engine
