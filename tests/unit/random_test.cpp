#include "strategies/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "strategies/strategy.hpp"

namespace heddle::strategies {

namespace {

using graph::EventKind;
using graph::MemoryOrder;
using graph::ThreadId;

struct ThreadChoice {
  explicit ThreadChoice(std::size_t count, PendingOperation of_current = {EventKind::load, MemoryOrder::relaxed}) {
    pending.fill({EventKind::load, MemoryOrder::relaxed});
    pending[0] = of_current;
    for (std::uint32_t i = 0; i < count; ++i) options[i] = {ThreadId{i}, graph::no_event, i, &pending[i]};
    choice = {ChoiceKind::thread, ThreadId{0}, std::span(options).first(count), false, &pending[0]};
  }
  std::array<PendingOperation, 4> pending{};
  std::array<Option, 4> options{};
  Choice choice{ChoiceKind::thread, ThreadId{0}, {}};
};

/// How often each option is taken in 40,000 executions. With the seed fixed a test that holds, holds for ever.
std::array<int, 4> sample(const Choice& choice, double switch_probability = 1) {
  std::array<int, 4> taken{};
  RandomStrategy random(11, switch_probability);
  for (std::uint64_t run = 0; run < 40000; ++run) {
    EXPECT_TRUE(random.begin_execution(run));
    ++taken[random.choose(choice)];
  }
  return taken;
}

}  // namespace

TEST(RandomStrategy, IsUniformOverThreads) {
  for (int count : sample(ThreadChoice(4).choice)) EXPECT_NEAR(count, 10000, 450);
}

TEST(RandomStrategy, StaysWithItsThreadAsSwitchSays) {
  const auto taken = sample(ThreadChoice(4).choice, 0.1);
  EXPECT_NEAR(taken[0], 37000, 300);
  EXPECT_NEAR(taken[3], 1000, 170);
}

TEST(RandomStrategy, NeverLeavesAThreadBeforeARelaxedStore) {
  EXPECT_EQ(sample(ThreadChoice(3, {EventKind::store, MemoryOrder::release}).choice)[0], 40000);
  EXPECT_NE(sample(ThreadChoice(3, {EventKind::store, MemoryOrder::seq_cst}).choice)[0], 40000);
}

TEST(RandomStrategy, PausesBeforeStoresThatEverybodySees) {
  ThreadChoice threads(2, {EventKind::store, MemoryOrder::relaxed});
  threads.choice.stores_are_immediate = true;
  EXPECT_NEAR(sample(threads.choice)[0], 20000, 500);
}

TEST(RandomStrategy, MostlyRunsAnotherThreadAfterAYield) {
  ThreadChoice threads(3, {EventKind::load, MemoryOrder::relaxed, 0, true});
  const auto taken = sample(threads.choice);
  EXPECT_LT(taken[0], 40000 / 3 / 2);  // a third would be its share without the hint
  EXPECT_NEAR(taken[1], taken[2], 600);
}

TEST(RandomStrategy, IsUniformOverWritesToRead) {
  std::array<Option, 3> writes{};
  const auto taken = sample({ChoiceKind::reads_from, ThreadId{0}, writes});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(taken[i], 13333, 500);
}

TEST(RandomStrategy, MostlyAppendsToModificationOrderAndReachesEverySlot) {
  std::array<Option, 3> slots{};
  const auto taken = sample({ChoiceKind::mo_slot, ThreadId{0}, slots});
  EXPECT_NEAR(taken[2], 30000, 500);
  EXPECT_NEAR(taken[0], 5000, 350);
  EXPECT_NEAR(taken[1], 5000, 350);
}

TEST(RandomStrategy, RepeatsAnExecutionByItsNumber) {
  const ThreadChoice threads(4);
  RandomStrategy a(5, 1), b(5, 1);
  a.begin_execution(1);
  for (int i = 0; i < 10; ++i) a.choose(threads.choice);
  a.begin_execution(7);
  b.begin_execution(7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.choose(threads.choice), b.choose(threads.choice));
}

TEST(RandomStrategy, DrawsUniformChoicesAsChooseWould) {
  // A uniform choice that the driver draws is the one that choose() would make, for every seed.
  ThreadChoice going_on(4), waiting(3);
  waiting.choice.going_on = nullptr;
  std::array<Option, 5> writes{};
  const Choice read{ChoiceKind::reads_from, ThreadId{0}, writes};
  RandomStrategy asked(5, 1), drawn(5, 1);
  for (std::uint64_t run = 0; run < 100; ++run) {
    asked.begin_execution(run);
    drawn.begin_execution(run);
    for (const Choice& choice : {going_on.choice, read, waiting.choice, read}) {
      EXPECT_TRUE(choice.kind != ChoiceKind::thread || is_uniform_thread_choice(choice.going_on));
      EXPECT_EQ(asked.choose(choice), drawn.fast_path().uniform->below(choice.options.size()));
    }
  }
}

TEST(RandomStrategy, DoesNotDrawChoicesOfStoresAndYieldsUniformly) {
  EXPECT_FALSE(is_uniform_thread_choice(ThreadChoice(2, {EventKind::store, MemoryOrder::relaxed}).choice.going_on));
  PendingOperation yielding{EventKind::fence, MemoryOrder::plain};
  yielding.yields = true;
  EXPECT_FALSE(is_uniform_thread_choice(&yielding));
  EXPECT_EQ(RandomStrategy(5, 0.5).fast_path().uniform, nullptr);
}

}  // namespace heddle::strategies
