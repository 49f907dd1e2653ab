// Collects the findings of one execution and publishes them in the channel.
//
// During an execution, report_*() describes a finding (threads, stacks, memory) and keeps it, once per key; it never
// ends the execution. After the execution, publish() adds the findings to the channel together with the execution's
// output and decisions, or counts them there if the channel has them already.
//
// A key identifies a bug across executions, workers and processes. It depends on the kind and on canonical code
// addresses, never on the interleaving or on where the system loaded the program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/arena.hpp"
#include "channel/channel.hpp"
#include "channel/finding_kind.hpp"
#include "channel/record.hpp"
#include "engine/isolation/heap.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/reporting/finding_context.hpp"
#include "engine/reporting/unseen_locks.hpp"
#include "engine/threads/call_stacks.hpp"
#include "races/detector.hpp"
#include "trace/decisions.hpp"

namespace heddle::channel {
struct InChannel;
template <typename In>
struct FindingHeadOf;
using FindingHead = FindingHeadOf<InChannel>;
template <typename In>
struct CallOf;
using CallRecord = CallOf<InChannel>;
struct ProcessEndFinding;
}  // namespace heddle::channel
namespace heddle::graph {
class ExecutionGraph;
}
namespace heddle::strategies {
class Portfolio;
}

namespace heddle::engine {

using channel::FindingKind;
using channel::LimitKind;
struct AccessNote;
struct LockEdge;

/// The findings of an execution, in short.
struct ReportedFindings {
  std::uint64_t keys = 0;        ///< the sum of their keys
  char first[160] = {};          ///< the first one for people; empty: there is none
  std::uint64_t first_site = 0;  ///< where it was found; 0: not known
};

/// Many methods: one for each kind of finding.
class FindingSink {
 public:
  /// Findings live in `execution_arena` until the next begin_execution(). `channel` may be null: then nothing is kept.
  FindingSink(base::Arena& execution_arena, const Heap& heap, const Modules& modules, CallStackTree& stacks,
              FindingContext& context, channel::Channel* channel)
      : arena_(execution_arena), heap_(heap), modules_(modules), stacks_(stacks), context_(context), channel_(channel),
        unseen_locks_(modules, stacks) {}

  /// Forgets the findings of the execution before. The owner of the execution arena has reset it.
  void begin_execution(std::uint64_t number);

  // ---- during an execution ----------------------------------------------------------------------------------
  /// A race, or a use after free if the earlier access freed the memory.
  [[gnu::cold, gnu::noinline]] void report_race(const races::Access& access, const races::Conflict& conflict);
  [[gnu::cold, gnu::noinline]] void report_double_free(void* pointer, std::uint64_t site);
  [[gnu::cold, gnu::noinline]] void report_invalid_free(void* pointer, std::uint64_t site);
  /// The current thread accesses memory on the stack of another thread that is in no frame any more.
  [[gnu::cold, gnu::noinline]] void report_dead_stack(std::string_view message, std::uintptr_t address,
                                                      std::uint64_t site);
  /// The program uses the synchronisation object at the address in a way that POSIX leaves undefined.
  [[gnu::cold, gnu::noinline]] void report_misuse(std::string_view message, std::uintptr_t object, std::uint64_t site);
  /// Reports a misuse together with the stack of the call that made it one, such as the one that destroyed the object.
  [[gnu::cold, gnu::noinline]] void report_misuse(std::string_view message, std::uintptr_t object, std::uint64_t site,
                                                  std::uint32_t stack);
  /// Threads take locks in different orders: these edges form a cycle. A warning does not make the run fail.
  [[gnu::cold, gnu::noinline]] void report_lock_order(std::span<const LockEdge* const> cycle, bool is_warning);
  /// A close of a descriptor races with a use or with another close.
  [[gnu::cold, gnu::noinline]] void report_descriptor_race(const races::Access& access,
                                                           const races::Conflict& conflict);
  /// --leaks: the thread was neither joined nor detached.
  [[gnu::cold, gnu::noinline]] void report_thread_leak(const ProgramThread& thread);
  /// The handler of a signal, at this address, has changed errno.
  [[gnu::cold, gnu::noinline]] void report_spoilt_errno(std::string_view message, std::uint64_t handler);
  /// A finding of the current thread at one place. `key_extra` distinguishes findings of one kind and place.
  [[gnu::cold, gnu::noinline]] void report_at(FindingKind kind, std::string_view message, std::uint64_t site,
                                              std::uint64_t key_extra = 0);
  /// No order of these calls explains what they returned. `name` is that of the data structure.
  [[gnu::cold, gnu::noinline]] void report_history(std::string_view message, std::span<const channel::CallRecord> calls,
                                                   std::string_view name, std::uint64_t site);
  /// A signal ended the program, which does not handle it. Where the current thread was does not distinguish findings.
  [[gnu::cold, gnu::noinline]] void report_fatal_signal(std::string_view message, int number, std::uint64_t site);
  /// A failed assert() or its like. `expression` is what does not hold.
  [[gnu::cold, gnu::noinline]] void report_failed_assertion(const char* expression, std::uint64_t site,
                                                            std::uint64_t key_extra = 0);
  /// The program ended with this status, which is not 0. `site` is the call that ended it; 0: main returned.
  [[gnu::cold, gnu::noinline]] void report_exit_status(std::uint8_t status, std::uint64_t site);
  /// A limit was reached at `site`. This is no bug: found_bug() does not change.
  [[gnu::cold, gnu::noinline]] void report_limit(LimitKind limit, std::string_view message, std::uint64_t site);
  /// The running thread makes no visible operation for too long; `site` is where the clock interrupted it.
  [[gnu::cold, gnu::noinline]] void report_timeout(LimitKind limit, std::string_view message, std::uint64_t site);
  /// An execution that does not end was cut off. `busiest` is the thread that made most of the last events, and
  /// `starved`, if it is not null, one that could run and made none.
  [[gnu::cold, gnu::noinline]] void report_cut_off(LimitKind limit, std::string_view message, ProgramThread& busiest,
                                                   ProgramThread* starved);
  /// No thread can run: a deadlock, or a livelock if threads spin.
  [[gnu::cold, gnu::noinline]] void report_stuck(bool livelock);
  /// One finding for each block that is allocated and not part of the snapshot.
  [[gnu::cold, gnu::noinline]] void report_leaks();

  /// The execution had a predicted cycle: these accesses, in the order of the cycle. This is no bug by itself. Called
  /// after the execution.
  [[gnu::cold, gnu::noinline]] void report_cycle(const graph::ExecutionGraph& graph,
                                                 std::span<const AccessNote> accesses, std::uint64_t key_part);

  /// The key of the execution's first bug whose key is not in the list; 0: there is none.
  std::uint64_t bug_other_than(std::span<const std::uint64_t> keys) const;
  /// How many events the graph had when the finding was made; nothing: the execution does not have it.
  std::optional<std::uint64_t> events_before(std::uint64_t key) const;
  bool found_bug() const { return found_bug_; }
  bool has_findings() const { return !pending_.empty(); }
  /// While muted, reports set found_bug() and reported(), but keep nothing else: for the comparison runs of the
  /// isolation check.
  void mute(bool muted) { muted_ = muted; }
  const ReportedFindings& reported() const { return reported_; }

  // ---- after an execution -----------------------------------------------------------------------------------
  /// The number of the current thread's call stack, with a call at `site`.
  std::uint32_t stack_now(std::uint64_t site);
  /// --show-output, --print-graphs, --dot: what the execution printed and decided becomes a record of kind `output`.
  [[gnu::cold, gnu::noinline]] void report_output();
  /// True if a finding of this execution is not in the channel yet.
  bool has_new_findings();
  // ---- why a search is no proof (channel/proof_gap.hpp) -------------------------------------------------------
  /// Any part of the engine may call this, at any time of an execution.
  void withhold_proof(channel::ProofGap reason) { gaps_.add(reason); }
  /// The reasons of all executions since forget_gaps().
  channel::ProofGaps gaps() const { return gaps_; }
  void forget_gaps() { gaps_ = {}; }

  /// The strategy that findings name from now on, if it is not the one that the user asked for; null: it is. A search
  /// does not know which waits ended early.
  enum class KnowsEarlyEnds : bool { no, yes };
  void set_strategy_name(const char* name, KnowsEarlyEnds knows = KnowsEarlyEnds::no) {
    strategy_name_ = name;
    knows_early_ends_ = name == nullptr || knows == KnowsEarlyEnds::yes;
  }
  // ---- races and what follows them ----------------------------------------------------------------------------
  /// The plain accesses that are events of the executions that follow.
  void set_racy_sites(std::span<const std::uint64_t> sites) { racy_sites_ = sites; }
  /// The plain accesses that raced in this execution, as far as there is room; Modules::canonical().
  std::span<const std::uint64_t> sites_of_races() const { return sites_of_races_.span(); }
  /// From now on, publish() keeps bugs only, and none that an execution with this number has shown already
  /// (channel::Aftermath). False: it keeps everything.
  void set_aftermath(bool is_aftermath) { is_aftermath_ = is_aftermath; }

  /// Puts the findings into the channel and returns how many are new there. `recorder` holds the execution's
  /// decisions; null: they are not known. `portfolio` chose the execution's strategy; null: it was given.
  std::uint64_t publish(std::span<const char> output, trace::Recorder* recorder,
                        const strategies::Portfolio* portfolio);
  /// Fork isolation: the process of execution `number` ended without reporting anything. Publishes that as a finding,
  /// which replaces the findings of the current execution.
  [[gnu::cold, gnu::noinline]] void publish_process_end(std::uint64_t number, const channel::ProcessEndFinding& end,
                                                        const strategies::Portfolio* portfolio);

 private:
  struct Report;
  struct PendingFinding {
    std::uint64_t key;
    FindingKind kind;
    channel::Words content;
    bool is_bug;
    bool is_timely;        ///< no wait of the execution ended early before the finding
    bool is_without_race;  ///< the execution had no data race before
    std::uint64_t graph_events;
  };
  /// Keeps the finding unless the execution has one with this key.
  void add(std::uint64_t key, FindingKind kind, channel::Words content, bool is_bug, bool is_timely);
  void remember_site(std::uint64_t site);
  /// Keys of findings that the execution had before, its races among them.
  channel::Words races_before() const;
  bool is_shown_already(const PendingFinding& finding) const;
  void remember_shown(std::uint64_t key);
  /// Compacted graphs have no events that a replay could count: 0.
  std::uint64_t known_graph_events() const;
  channel::FindingHead completed(channel::FindingHead head) const;
  void add_head(channel::FindingHead head, std::uint64_t key);
  /// A finding of the current thread, with its stack.
  void report_here(const channel::FindingHead& head, std::uint64_t site, std::uint64_t key_extra);
  /// A finding of the current thread about the memory at the address.
  void report_about(FindingKind kind, std::string_view message, std::uintptr_t address, std::uint64_t site);
  /// The place in the program where the thread waits. Functions of libheddle that call each other do not count.
  std::uint64_t waiting_site(ProgramThread& thread);
  const char* label_of(std::uint32_t slot) const { return context_.thread_in_slot(slot).label; }

  base::Arena& arena_;
  const Heap& heap_;
  const Modules& modules_;
  CallStackTree& stacks_;
  FindingContext& context_;
  channel::Channel* channel_;
  base::ArenaVector<PendingFinding> pending_;
  std::uint64_t execution_ = 0;
  bool found_bug_ = false;
  bool found_race_ = false;  ///< in this execution
  channel::ProofGaps gaps_;
  bool muted_ = false;
  const char* strategy_name_ = nullptr;
  bool knows_early_ends_ = true;
  bool is_aftermath_ = false;
  std::span<const std::uint64_t> racy_sites_;
  base::ArenaVector<std::uint64_t> sites_of_races_;
  base::ArenaVector<std::uint64_t> races_;  ///< keys of the races of this execution
  ReportedFindings reported_;
  UnseenLocks unseen_locks_;
};

}  // namespace heddle::engine
