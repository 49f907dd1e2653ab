// The definition of the synchronisation primitives, as steps on the state of an object. The same rules serve both
// executors; these tests need neither.
#include "engine/operations/sync_rules.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::engine {

namespace {

using graph::ThreadId;

constexpr std::uint64_t first_thread = 0, second_thread = 1;

/// Performs the step, which must not have to wait, and returns its effect.
Effect perform(ObjectState& state, const Step& step, std::uint64_t parameter = 0) {
  const Rule rule{&step, parameter};
  const Effect effect = rule.effect_on(state);
  EXPECT_NE(effect, Effect::waits);
  if (effect == Effect::changes) step.change(state, rule);
  return effect;
}

Effect judge(const ObjectState& state, const Step& step, std::uint64_t parameter = 0) {
  return Rule{&step, parameter}.judge(state);
}

/// A state with a list of sleepers, as DirectExecutor has it, and one with bits, as GraphExecutor has it.
class SleepersTest : public testing::TestWithParam<bool> {
 protected:
  SleepersTest() : memory_(1 << 16), arena_(std::span<std::byte>(memory_)) {
    list_.arena = &arena_;
    if (GetParam()) state_.list = &list_;
  }

  std::vector<std::byte> memory_;
  base::Arena arena_;
  SleeperList list_;
  ObjectState state_;
};

}  // namespace

TEST(SyncRules, AMutexThatIsHeldMakesEveryThreadWait) {
  ObjectState mutex;
  EXPECT_EQ(perform(mutex, mutex_lock, first_thread), Effect::changes);
  for (const Step* step : {&mutex_lock, &mutex_timed_lock, &mutex_try_lock})
    for (const std::uint64_t thread : {first_thread, second_thread})
      EXPECT_EQ(judge(mutex, *step, thread), Effect::waits);
  EXPECT_EQ(perform(mutex, mutex_unlock), Effect::changes);
  EXPECT_EQ(judge(mutex, mutex_lock, second_thread), Effect::changes);
}

TEST(SyncRules, AStepThatGivesUpLeavesALockAsItIs) {
  ObjectState mutex;
  perform(mutex, mutex_lock, first_thread);
  EXPECT_EQ((Rule{&mutex_try_lock, second_thread, true}.effect_on(mutex)), Effect::keeps);
}

TEST(SyncRules, ReadersShareALockAndExcludeWriters) {
  ObjectState lock;
  perform(lock, rwlock_share);
  perform(lock, rwlock_share);
  EXPECT_EQ(judge(lock, rwlock_own), Effect::waits);
  perform(lock, rwlock_leave_shared);
  EXPECT_EQ(judge(lock, rwlock_own), Effect::waits);
  perform(lock, rwlock_leave_shared);
  EXPECT_EQ(perform(lock, rwlock_own), Effect::changes);
  EXPECT_EQ(judge(lock, rwlock_share), Effect::waits);
  EXPECT_EQ(judge(lock, rwlock_own), Effect::waits);
  perform(lock, rwlock_leave_exclusive);
  EXPECT_EQ(lock.value, graph::Value{0});
}

TEST(SyncRules, ALockThatPrefersWritersIsNotSharedAgainWhileAWriterWaits) {
  ObjectState lock;
  perform(lock, rwlock_share_after_writers);
  perform(lock, rwlock_share_after_writers);
  perform(lock, rwlock_announce);
  perform(lock, rwlock_announce);
  EXPECT_EQ(judge(lock, rwlock_share_after_writers), Effect::waits);
  perform(lock, rwlock_leave_shared);
  EXPECT_EQ(judge(lock, rwlock_share_after_writers), Effect::waits);
  EXPECT_EQ(judge(lock, rwlock_own_announced), Effect::waits);
  perform(lock, rwlock_leave_shared);
  EXPECT_EQ(judge(lock, rwlock_share_after_writers), Effect::changes) << "readers compete for a free lock";
  perform(lock, rwlock_own_announced);
  EXPECT_EQ(judge(lock, rwlock_own_announced), Effect::waits);
  EXPECT_EQ(judge(lock, rwlock_share_after_writers), Effect::waits);
  perform(lock, rwlock_leave_exclusive);
  perform(lock, rwlock_withdraw);
  EXPECT_EQ(lock.value, graph::Value{0});
}

TEST(SyncRules, UnlockingALockThatIsFreeLeavesItFree) {
  ObjectState lock;
  perform(lock, rwlock_leave_shared);
  EXPECT_EQ(judge(lock, rwlock_own), Effect::changes);
}

TEST(SyncRules, ASemaphoreIsTakenAsOftenAsItsFirstValueAndItsPostsAllow) {
  ObjectState semaphore;
  constexpr std::uint64_t initial = 2;
  perform(semaphore, semaphore_take, initial);
  perform(semaphore, semaphore_take, initial);
  EXPECT_EQ(judge(semaphore, semaphore_take, initial), Effect::waits);
  EXPECT_EQ(semaphore_value(semaphore.value, initial), 0);
  perform(semaphore, semaphore_post);
  EXPECT_EQ(semaphore_value(semaphore.value, initial), 1);
  EXPECT_EQ(judge(semaphore, semaphore_take, initial), Effect::changes);
}

TEST(SyncRules, ABarrierCountsArrivalsAndRounds) {
  ObjectState barrier;
  constexpr std::uint64_t threads = 3;
  for (std::uint64_t round = 0; round < 2; ++round) {
    for (std::uint64_t arrived = 0; arrived < threads; ++arrived) {
      EXPECT_EQ(barrier_rounds(barrier.value), round);
      EXPECT_EQ(barrier_arrived(barrier.value), arrived);
      perform(barrier, barrier_arrive, threads);
    }
  }
  EXPECT_EQ(barrier_rounds(barrier.value), 2U);
}

TEST(SyncRules, OneThreadInitialisesOnceAndAFailureLetsTheNextOneTry) {
  ObjectState once;
  EXPECT_EQ(perform(once, once_enter), Effect::changes);
  EXPECT_EQ(judge(once, once_enter), Effect::waits);
  perform(once, once_leave, once_untouched);
  EXPECT_EQ(perform(once, once_enter), Effect::changes);
  perform(once, once_leave, once_done);
  EXPECT_EQ(perform(once, once_enter), Effect::keeps);
}

TEST_P(SleepersTest, ASleeperWaitsUntilItIsWoken) {
  perform(state_, condition_sleep, second_thread);
  EXPECT_EQ(judge(state_, condition_wake_up, second_thread), Effect::waits);
  EXPECT_EQ(judge(state_, condition_wake_up, first_thread), Effect::keeps);
  perform(state_, condition_wake_one, 0);
  EXPECT_EQ(perform(state_, condition_wake_up, second_thread), Effect::keeps);
}

TEST_P(SleepersTest, ASleeperThatGivesUpIsNoSleeperAnyMore) {
  perform(state_, futex_sleep, first_thread);
  perform(state_, futex_sleep, second_thread);
  const Rule leaves{&futex_wake_up, first_thread, true};
  EXPECT_EQ(leaves.effect_on(state_), Effect::changes);
  futex_wake_up.change(state_, leaves);
  EXPECT_EQ(state_.sleepers(), 1U);
  EXPECT_TRUE(state_.is_asleep(ThreadId{second_thread}));
}

TEST_P(SleepersTest, WakingOneTakesTheChosenSleeper) {
  for (const std::uint32_t thread : {3U, 5U, 70U}) perform(state_, condition_sleep, thread);
  perform(state_, condition_wake_one, 1);
  EXPECT_TRUE(state_.is_asleep(ThreadId{3}));
  EXPECT_FALSE(state_.is_asleep(ThreadId{5}));
  EXPECT_TRUE(state_.is_asleep(ThreadId{70}));
}

TEST_P(SleepersTest, WakingAllLeavesNoSleeperAndWakingNoneChangesNothing) {
  EXPECT_EQ(perform(state_, futex_wake_all), Effect::keeps);
  EXPECT_EQ(perform(state_, futex_wake_one), Effect::keeps);
  for (const std::uint32_t thread : {0U, 127U}) perform(state_, futex_sleep, thread);
  EXPECT_EQ(state_.sleepers(), 2U);
  EXPECT_EQ(perform(state_, futex_wake_all), Effect::changes);
  EXPECT_EQ(state_.sleepers(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Storage, SleepersTest, testing::Bool(), [](const testing::TestParamInfo<bool>& parameter) {
  return parameter.param ? "List" : "Bits";
});

}  // namespace heddle::engine
