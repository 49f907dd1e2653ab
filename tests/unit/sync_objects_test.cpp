// The calls of synchronisation primitives, without fibers: an executor that writes down the steps performs them.
#include "engine/primitives/sync_objects.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/isolation/address_space.hpp"
#include "engine/isolation/thread_pointer.hpp"

namespace heddle::engine {

namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;
constexpr std::uint64_t site = 0;

/// Performs every step on the object's own state. A step that would wait gives up.
class ScriptedExecutor final : public SyncExecutor {
 public:
  void begin_call(SyncObject&, const Step& step, std::uint64_t) override { note("call", step); }
  StepResult perform(SyncObject& object, const Rule& rule, std::uint64_t) override {
    note("step", *rule.step);
    const graph::Value before = object.state.value;
    const bool succeeds = rule.judge(object.state) != Effect::waits;
    if (rule.effect_on(object.state) == Effect::changes) rule.step->change(object.state, rule);
    return {succeeds, before, graph::no_event};
  }
  StepResult wait_and_perform(SyncObject& object, const Rule& rule, std::uint64_t at, Deadline deadline) override {
    Rule attempt = rule;
    attempt.gives_up = static_cast<bool>(deadline);
    return perform(object, attempt, at);
  }
  bool draws_spurious_wake_up(const SyncObject&, std::uint64_t) override { return false; }
  bool sleep(SyncObject& object, const Step& wake_up, bool, std::uint64_t, Deadline) override {
    note("sleep", wake_up);
    sleepers_seen = object.state.sleepers();
    object.state.wake_all();
    return is_woken;
  }
  std::uint32_t wake(SyncObject& object, std::uint32_t, const Step& one, const Step&, std::uint64_t) override {
    note("wake", one);
    object.state.wake_all();
    return 0;
  }
  void add_arrival(BarrierRound&, graph::EventId, std::uint64_t) override {}
  bool is_serial(BarrierRound&, bool arrived_last) override { return arrived_last; }
  void add_leave(SyncObject&, BarrierRound&, graph::EventId) override {}
  void kernel_barrier(std::uint64_t) override { steps.emplace_back("barrier"); }
  std::uint32_t read_futex(const SyncObject&, std::uint64_t) override {
    steps.emplace_back("look");
    return futex_value;
  }

  std::vector<std::string> steps;
  std::uint32_t sleepers_seen = 0;
  std::uint32_t futex_value = 0;
  bool is_woken = true;

 private:
  void note(const char* what, const Step& step) { steps.push_back(std::string(what) + " " + describe(step.operation)); }
};

class SyncObjectsTest : public testing::Test {
 protected:
  SyncObjectsTest() {
    engine.execution().root().set_thread_pointer(thread_pointer());
    graph.clear(graph_arena);
    races.begin_execution(1);
    objects.begin_execution(1);
    first = &engine.threads().main_slot();
    engine.threads().begin_thread(*first, nullptr, nullptr, 0);
    engine.threads().set_current(first);
    second = &engine.threads().child_slot();
    engine.threads().begin_thread(*second, nullptr, nullptr, 0);
    sync.configure(executor);
  }
  void run_as(ProgramThread* thread) { engine.threads().set_current(thread); }
  static std::uintptr_t address_of(const int& variable) { return reinterpret_cast<std::uintptr_t>(&variable); }
  int lock(MutexKind kind) { return sync.lock_mutex(address_of(mutex), kind, site, no_deadline); }
  int unlock(MutexKind kind) { return sync.unlock_mutex(address_of(mutex), kind, site); }

  base::Arena forever{reserve_memory(1024 * megabyte, 64 * megabyte)};
  base::Arena execution{reserve_memory(64 * megabyte, megabyte)};
  base::Arena graph_arena{reserve_memory(64 * megabyte, megabyte)};
  Heap heap;
  Modules modules;
  Engine engine{forever, execution, heap, modules, nullptr};
  graph::ExecutionGraph graph{graph_arena};
  races::ShadowMemory shadow{forever};
  races::Detector races{shadow, execution};
  ObjectTable objects{forever, execution, graph, engine.names(), races, engine.transcriber()};
  ExecutionParts parts{
      execution,         graph, engine.threads(), engine.decider(), races, engine.findings(), engine.transcriber(),
      engine.execution()};
  EventLog log{parts, engine.scheduler(), engine.atomics(), nullptr};
  SyncObjects sync{execution, objects, engine.held_locks(), engine.threads(), engine.scheduler(), log};
  ScriptedExecutor executor;
  ProgramThread* first = nullptr;
  ProgramThread* second = nullptr;
  int mutex = 0, condition = 0, rwlock = 0, semaphore = 0, once = 0, futex = 0;
};

TEST_F(SyncObjectsTest, AnErrorCheckingMutexRefusesASecondLockAndAForeignUnlock) {
  EXPECT_EQ(lock(MutexKind::error_check), 0);
  EXPECT_EQ(lock(MutexKind::error_check), EDEADLK);
  run_as(second);
  EXPECT_EQ(unlock(MutexKind::error_check), EPERM);
  run_as(first);
  EXPECT_EQ(unlock(MutexKind::error_check), 0);
}

TEST_F(SyncObjectsTest, AForeignUnlockOfANormalMutexFreesItAndIsTold) {
  EXPECT_EQ(lock(MutexKind::normal), 0);
  EXPECT_TRUE(sync.is_in_use(address_of(mutex)));
  run_as(second);
  EXPECT_EQ(unlock(MutexKind::normal), EPERM);
  EXPECT_FALSE(sync.is_in_use(address_of(mutex)));
  EXPECT_EQ(lock(MutexKind::normal), 0);
}

TEST_F(SyncObjectsTest, ARobustMutexPassesFromAThreadThatEndsToTheNext) {
  const MutexType robust{MutexKind::normal, true};
  EXPECT_EQ(sync.lock_mutex(address_of(mutex), robust, site, no_deadline), 0);
  sync.abandon_robust_mutexes();
  run_as(second);
  EXPECT_EQ(sync.try_lock_mutex(address_of(mutex), robust, site), EOWNERDEAD);
  EXPECT_EQ(sync.mend_mutex(address_of(mutex), site), 0);
  EXPECT_EQ(sync.mend_mutex(address_of(mutex), site), EINVAL);
  EXPECT_EQ(sync.unlock_mutex(address_of(mutex), robust, site), 0);
  EXPECT_EQ(sync.try_lock_mutex(address_of(mutex), robust, site), 0);
}

TEST_F(SyncObjectsTest, ARobustMutexThatIsNotMendedCannotBeLockedAgain) {
  const MutexType robust{MutexKind::normal, true};
  EXPECT_EQ(sync.lock_mutex(address_of(mutex), robust, site, no_deadline), 0);
  sync.abandon_robust_mutexes();
  run_as(second);
  EXPECT_EQ(sync.lock_mutex(address_of(mutex), robust, site, no_deadline), EOWNERDEAD);
  EXPECT_EQ(sync.unlock_mutex(address_of(mutex), robust, site), 0);
  EXPECT_EQ(sync.lock_mutex(address_of(mutex), robust, site, no_deadline), ENOTRECOVERABLE);
  run_as(first);
  EXPECT_EQ(sync.try_lock_mutex(address_of(mutex), robust, site), ENOTRECOVERABLE);
}

TEST_F(SyncObjectsTest, ARecursiveMutexIsFreeAfterAsManyUnlocksAsLocks) {
  EXPECT_EQ(lock(MutexKind::recursive), 0);
  EXPECT_EQ(lock(MutexKind::recursive), 0);
  EXPECT_EQ(sync.try_lock_mutex(address_of(mutex), MutexKind::recursive, site), 0);
  EXPECT_EQ(unlock(MutexKind::recursive), 0);
  EXPECT_EQ(unlock(MutexKind::recursive), 0);
  run_as(second);
  EXPECT_EQ(sync.try_lock_mutex(address_of(mutex), MutexKind::recursive, site), EBUSY);
  run_as(first);
  EXPECT_EQ(unlock(MutexKind::recursive), 0);
  run_as(second);
  EXPECT_EQ(sync.try_lock_mutex(address_of(mutex), MutexKind::recursive, site), 0);
}

TEST_F(SyncObjectsTest, ATimedLockOfAHeldMutexTimesOut) {
  EXPECT_EQ(lock(MutexKind::normal), 0);
  run_as(second);
  EXPECT_EQ(sync.lock_mutex(address_of(mutex), MutexKind::normal, site, Deadline(1)), ETIMEDOUT);
}

TEST_F(SyncObjectsTest, TheWriterOfAReaderWriterLockMustNotLockItAgain) {
  EXPECT_EQ(sync.lock_exclusive(address_of(rwlock), RwlockKind::prefers_readers, site, no_deadline), 0);
  EXPECT_EQ(sync.lock_exclusive(address_of(rwlock), RwlockKind::prefers_readers, site, no_deadline), EDEADLK);
  EXPECT_EQ(sync.lock_shared(address_of(rwlock), RwlockKind::prefers_readers, site, no_deadline), EDEADLK);
  run_as(second);
  EXPECT_EQ(sync.try_lock_shared(address_of(rwlock), RwlockKind::prefers_readers, site), EBUSY);
  run_as(first);
  EXPECT_EQ(sync.unlock_rwlock(address_of(rwlock), site), 0);
  run_as(second);
  EXPECT_EQ(sync.try_lock_shared(address_of(rwlock), RwlockKind::prefers_readers, site), 0);
}

TEST_F(SyncObjectsTest, AWriterThatGivesUpLetsReadersShareALockThatPrefersWriters) {
  constexpr RwlockKind kind = RwlockKind::prefers_writers;
  EXPECT_EQ(sync.lock_shared(address_of(rwlock), kind, site, no_deadline), 0);
  run_as(second);
  EXPECT_EQ(sync.lock_exclusive(address_of(rwlock), kind, site, Deadline(1)), ETIMEDOUT);
  EXPECT_EQ(sync.try_lock_exclusive(address_of(rwlock), kind, site), EBUSY);
  EXPECT_EQ(sync.try_lock_shared(address_of(rwlock), kind, site), 0);
  EXPECT_EQ(sync.unlock_rwlock(address_of(rwlock), site), 0);
  run_as(first);
  EXPECT_EQ(sync.unlock_rwlock(address_of(rwlock), site), 0);
  EXPECT_EQ(sync.lock_exclusive(address_of(rwlock), kind, site, no_deadline), 0);
}

TEST_F(SyncObjectsTest, AThreadSleepsOnAConditionBeforeItUnlocksTheMutexAndLocksItAgain) {
  lock(MutexKind::normal);
  executor.steps.clear();
  EXPECT_EQ(sync.wait_condition(address_of(condition), address_of(mutex), MutexKind::normal, site, no_deadline), 0);
  EXPECT_EQ(executor.sleepers_seen, 1U);
  const std::vector<std::string> expected{"call condition wait", "step condition wait", "step mutex unlock",
                                          "sleep condition wait", "step mutex lock"};
  EXPECT_EQ(executor.steps, expected);
  EXPECT_EQ(unlock(MutexKind::error_check), 0) << "the thread owns the mutex again";
}

TEST_F(SyncObjectsTest, AWaitThatTimesOutHoldsTheMutexAsOftenAsBefore) {
  lock(MutexKind::recursive);
  lock(MutexKind::recursive);
  executor.is_woken = false;
  EXPECT_EQ(sync.wait_condition(address_of(condition), address_of(mutex), MutexKind::recursive, site, Deadline(1)),
            ETIMEDOUT);
  EXPECT_EQ(unlock(MutexKind::recursive), 0);
  run_as(second);
  EXPECT_EQ(sync.try_lock_mutex(address_of(mutex), MutexKind::recursive, site), EBUSY);
}

TEST_F(SyncObjectsTest, ASemaphoreStartsWithTheValueThatTheProgramGave) {
  EXPECT_EQ(sync.try_wait_semaphore(address_of(semaphore), 1, site), 0);
  EXPECT_EQ(sync.try_wait_semaphore(address_of(semaphore), 1, site), EAGAIN);
  sync.post_semaphore(address_of(semaphore), 1, site);
  EXPECT_EQ(sync.value_of_semaphore(address_of(semaphore), 1, site), 1);
}

TEST_F(SyncObjectsTest, OneThreadInitialisesAndTheNextOneDoesIfThatFailed) {
  EXPECT_TRUE(sync.begin_once(address_of(once), site));
  sync.finish_once(address_of(once), false, site);
  EXPECT_TRUE(sync.begin_once(address_of(once), site));
  sync.finish_once(address_of(once), true, site);
  EXPECT_FALSE(sync.begin_once(address_of(once), site));
}

TEST_F(SyncObjectsTest, AFutexWithAnotherValueThanExpectedLeavesNoSleeper) {
  executor.futex_value = 2;
  EXPECT_EQ(sync.wait_futex(address_of(futex), 1, site, no_deadline), EAGAIN);
  const std::vector<std::string> expected{"call futex wait", "step futex wait", "barrier", "look", "step futex wait"};
  EXPECT_EQ(executor.steps, expected);
  EXPECT_EQ(objects.object(address_of(futex), SyncKind::futex).state.sleepers(), 0U);
}

TEST_F(SyncObjectsTest, MemoryThatBecomesAnotherKindOfObjectStartsAnew) {
  lock(MutexKind::normal);
  EXPECT_EQ(sync.lock_exclusive(address_of(mutex), RwlockKind::prefers_readers, site, no_deadline), 0);
  EXPECT_EQ(lock(MutexKind::normal), 0) << "the mutex that was held is gone";
}

}  // namespace
}  // namespace heddle::engine
