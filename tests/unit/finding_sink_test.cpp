#include "engine/reporting/finding_sink.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "channel/finding_log.hpp"
#include "channel/finding_record.hpp"
#include "channel/process_end.hpp"
#include "engine/operations/sync_object.hpp"

namespace heddle::engine {

namespace {

std::array<std::byte, 1 << 20> arena_memory, forever_memory;
/// Addresses of the program, in place of code: modules know where they are.
std::array<int, 4> variables;

std::uint64_t address_of(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

/// Two threads without fibers; their stacks are lists of addresses.
class TwoThreads final : public FindingContext {
 public:
  TwoThreads() {
    for (std::size_t i = 0; i < threads.size(); ++i) {
      owned[i] = std::make_unique<ProgramThread>();
      threads[i] = owned[i].get();
      threads[i]->id = graph::ThreadId{static_cast<std::uint32_t>(i)};
      threads[i]->state = ProgramThread::State::alive;
      std::snprintf(threads[i]->label, sizeof threads[i]->label, i == 0 ? "T0" : "T0.%zu", i);
    }
  }
  ProgramThread* current_thread() override { return threads[0]; }
  const ProgramThread& thread_in_slot(std::uint32_t slot) const override { return *threads[slot]; }
  const Mapping* mapping_at(std::uintptr_t) const override { return nullptr; }
  const ProgramThread* thread_at_place(std::uint32_t place) const override { return threads[place]; }
  std::span<ProgramThread* const> threads_of_execution() const override { return threads; }
  std::size_t walk_stack(ProgramThread&, std::span<std::uint64_t>) override { return 0; }
  bool is_on_callers_stack(std::uintptr_t) const override { return false; }
  std::uint64_t events_executed() const override { return 17; }
  std::uint64_t events_in_graph() const override { return 19; }
  bool has_whole_graph() const override { return true; }

  std::array<std::unique_ptr<ProgramThread>, 2> owned;
  std::array<ProgramThread*, 2> threads{};
};

class FindingSinkTest : public ::testing::Test {
 protected:
  FindingSinkTest() {
    void* memory = ::mmap(nullptr, channel::channel_size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    channel = static_cast<channel::Channel*>(memory);
    modules.read(forever);
    sink = std::make_unique<FindingSink>(arena, heap, modules, stacks, threads, channel);
    sink->begin_execution(0);
  }
  ~FindingSinkTest() override { ::munmap(channel, channel::channel_size); }

  /// The next execution, as the engine begins it.
  void begin(std::uint64_t number) {
    arena.reset();
    sink->begin_execution(number);
  }
  std::uint64_t publish() { return sink->publish({}, nullptr, nullptr); }
  /// The records that the driver would find in the channel.
  std::vector<channel::FindingLogReader::Entry> records() const {
    std::vector<channel::FindingLogReader::Entry> result;
    channel::FindingLogReader log;
    for (auto entry = log.next(*channel); entry.record != nullptr; entry = log.next(*channel)) result.push_back(entry);
    return result;
  }
  static channel::FindingHead head_of(const channel::FindingLogReader::Entry& entry) {
    channel::RecordReader reader(entry.content);
    EXPECT_EQ(reader.next<channel::Section>(), channel::Section::head);
    return reader.read<channel::FindingHead>().value_or(channel::FindingHead{});
  }
  static races::Access plain_write(std::uint32_t thread, std::uint64_t site) {
    races::Access access;
    access.address = 0x2000;
    access.size = 4;
    access.type = races::AccessType::plain_write;
    access.thread = graph::ThreadId{thread};
    access.site = site;
    return access;
  }
  static races::Conflict conflict_with(const races::Access& earlier) {
    races::Conflict conflict{{}, earlier.address, false};
    earlier.stamp().write_to(conflict.previous);
    return conflict;
  }

  base::Arena arena{arena_memory};
  base::Arena forever{forever_memory};
  Heap heap;
  Modules modules;
  CallStackTree stacks{forever};
  TwoThreads threads;
  channel::Channel* channel = nullptr;
  std::unique_ptr<FindingSink> sink;
};

}  // namespace

TEST_F(FindingSinkTest, AFindingIsKeptOncePerExecutionAndCountedOncePerExecution) {
  sink->report_at(FindingKind::assertion, "x == 1", address_of(&variables[0]));
  sink->report_at(FindingKind::assertion, "x == 1", address_of(&variables[0]));
  EXPECT_TRUE(sink->has_new_findings());
  EXPECT_EQ(publish(), 1U);
  begin(5);
  sink->report_at(FindingKind::assertion, "x == 1", address_of(&variables[0]));
  EXPECT_FALSE(sink->has_new_findings());
  EXPECT_EQ(publish(), 0U);
  ASSERT_EQ(records().size(), 1U);
  EXPECT_EQ(records()[0].record->execution, 0U);
  EXPECT_EQ(records()[0].record->count.load(), 2U);
}

TEST_F(FindingSinkTest, FindingsOfAnotherKindPlaceOrDetailAreOthers) {
  sink->report_at(FindingKind::assertion, "x == 1", address_of(&variables[0]));
  sink->report_at(FindingKind::crash, "x == 1", address_of(&variables[0]));
  sink->report_at(FindingKind::assertion, "x == 1", address_of(&variables[1]));
  sink->report_at(FindingKind::assertion, "y == 1", address_of(&variables[0]), 7);
  EXPECT_EQ(publish(), 4U);
}

TEST_F(FindingSinkTest, ALimitIsAFindingButNotABug) {
  sink->report_limit(LimitKind::events, "the execution was cut off", address_of(&variables[0]));
  EXPECT_TRUE(sink->has_findings());
  EXPECT_FALSE(sink->found_bug());
  sink->report_at(FindingKind::crash, "SIGFPE", address_of(&variables[0]));
  EXPECT_TRUE(sink->found_bug());
  begin(1);
  EXPECT_FALSE(sink->has_findings());
  EXPECT_FALSE(sink->found_bug());
}

TEST_F(FindingSinkTest, AMutedSinkFindsBugsButKeepsNone) {
  sink->mute(true);
  sink->report_at(FindingKind::crash, "SIGFPE", address_of(&variables[0]));
  EXPECT_TRUE(sink->found_bug());
  EXPECT_FALSE(sink->has_findings());
}

TEST_F(FindingSinkTest, TheKeyOfARaceDoesNotDependOnWhichAccessCameFirst) {
  const races::Access one = plain_write(0, address_of(&variables[0])),
                      other = plain_write(1, address_of(&variables[1]));
  sink->report_race(one, conflict_with(other));
  EXPECT_EQ(publish(), 1U);
  begin(1);
  sink->report_race(other, conflict_with(one));
  EXPECT_EQ(publish(), 0U);
  begin(2);
  sink->report_race(other, conflict_with(plain_write(0, address_of(&variables[2]))));
  EXPECT_EQ(publish(), 1U);
}

TEST_F(FindingSinkTest, AnAccessToFreedMemoryIsNoRace) {
  races::Access freed = plain_write(1, address_of(&variables[0]));
  sink->report_race(plain_write(0, address_of(&variables[1])), conflict_with(freed));
  freed.cause = races::AccessCause::deallocation;
  sink->report_race(plain_write(0, address_of(&variables[1])), conflict_with(freed));
  EXPECT_EQ(publish(), 2U);
}

TEST_F(FindingSinkTest, ADeadChildIsACrashOfItsOwnExecution) {
  sink->report_at(FindingKind::assertion, "of the execution before", address_of(&variables[0]));
  sink->publish_process_end(9, channel::ProcessEndFinding(SIGKILL, 9), nullptr);
  ASSERT_EQ(records().size(), 1U);
  EXPECT_EQ(records()[0].record->execution, 9U);
  EXPECT_EQ(records()[0].record->unrecorded, 1U);
}

TEST_F(FindingSinkTest, TheOutputOfTheExecutionGoesWithItsFindings) {
  sink->report_at(FindingKind::crash, "SIGFPE", address_of(&variables[0]));
  const std::string printed = "hello";
  sink->publish(printed, nullptr, nullptr);
  ASSERT_EQ(records().size(), 1U);
  EXPECT_EQ(records()[0].output, printed);
}

TEST_F(FindingSinkTest, AFindingSaysItsKindItsThreadAndTheEventsSoFar) {
  sink->report_failed_assertion("x == 1", address_of(&variables[0]));
  publish();
  ASSERT_EQ(records().size(), 1U);
  const channel::FindingHead head = head_of(records()[0]);
  EXPECT_EQ(head.kind, FindingKind::assertion);
  EXPECT_EQ(head.limit, LimitKind::none);
  EXPECT_EQ(head.message, "assertion failed: x == 1");
  EXPECT_TRUE(head.message_names_kind);
  EXPECT_EQ(head.thread, "T0");
  EXPECT_EQ(head.events, 17U);
  EXPECT_FALSE(head.after_race);
}

TEST_F(FindingSinkTest, ALimitSaysWhichOneItIs) {
  sink->report_limit(LimitKind::check_timeout, "too long", address_of(&variables[0]));
  publish();
  ASSERT_EQ(records().size(), 1U);
  EXPECT_EQ(head_of(records()[0]).kind, FindingKind::limit);
  EXPECT_EQ(head_of(records()[0]).limit, LimitKind::check_timeout);
}

TEST_F(FindingSinkTest, WhatFollowsARaceSaysSo) {
  sink->report_race(plain_write(0, 1), conflict_with(plain_write(1, 2)));
  sink->report_at(FindingKind::crash, "SIGFPE", address_of(&variables[0]));
  sink->report_limit(LimitKind::events, "the execution was cut off", address_of(&variables[0]));
  publish();
  ASSERT_EQ(records().size(), 3U);
  EXPECT_FALSE(head_of(records()[0]).after_race);
  EXPECT_TRUE(head_of(records()[1]).after_race);
  EXPECT_FALSE(head_of(records()[2]).after_race);
}

TEST_F(FindingSinkTest, ADeadlockShowsItsThreadsAndTheirCycle) {
  std::array<SyncObject, 2> mutexes;
  for (std::size_t i = 0; i < 2; ++i) {
    mutexes[i].address = 0x100 * (i + 1);
    mutexes[i].owner = threads.threads[i];
    threads.threads[i]->waits_for = &mutexes[1 - i];
  }
  sink->report_stuck(false);
  publish();
  ASSERT_EQ(records().size(), 1U);
  const auto entry = records()[0];
  channel::RecordReader reader(entry.content);
  std::vector<std::string> waiting, cycle;
  while (const auto section = reader.next<channel::Section>()) {
    if (*section == channel::Section::thread) {
      const auto thread = reader.read<channel::FindingThread>();
      ASSERT_TRUE(thread);
      EXPECT_EQ(thread->activity, channel::Activity::waits_for_object);
      waiting.push_back(std::string(thread->thread) + " for " + std::string(thread->held_by));
    }
    if (*section == channel::Section::cycle) cycle.emplace_back(reader.read<channel::CycleRecord>()->thread);
  }
  EXPECT_EQ(waiting, (std::vector<std::string>{"T0 for T0.1", "T0.1 for T0"}));
  EXPECT_EQ(cycle.size(), 2U);
}

TEST(FindingKind, HasAName) {
  EXPECT_EQ(channel::name_of(FindingKind::assertion), "assert");
  EXPECT_EQ(channel::name_of(FindingKind::output), "output");
}

}  // namespace heddle::engine
