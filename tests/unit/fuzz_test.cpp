#include "strategies/fuzz.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <vector>

#include "litmus/interpreter.hpp"
#include "litmus/parser.hpp"
#include "litmus/runner.hpp"
#include "memory/store_rule.hpp"
#include "models/memory_model.hpp"
#include "random_program.hpp"
#include "sampling.hpp"
#include "strategies/local_rounds.hpp"

namespace heddle::strategies {

namespace {

constexpr std::size_t memory_size = std::size_t{64} << 20;

struct Memory {
  std::unique_ptr<std::byte[]> block = std::make_unique_for_overwrite<std::byte[]>(memory_size);
  base::Arena arena{{block.get(), memory_size}};
};

/// How many of 5,000 executions, with a corpus, end in a state that the test's condition describes.
std::uint64_t hits(const std::string& text, const std::string& specification, std::uint64_t seed = 1) {
  Memory memory;
  const auto test = litmus::parse_test(text, "test");
  SpecificationError error;
  Strategy* strategy = make_strategy(*parse_strategy(specification, error), seed, memory.arena);
  std::uint64_t count = 0;
  const auto seen = litmus::run_sampling(*test, *models::make_model("rc11", {}, memory.arena), *strategy, 5'000);
  for (const auto& [state, times] : seen.states)
    if (test->proposition.holds(state)) count += times;
  return count;
}

/// Ends an execution where its plan ends.
class EndOfPlan final : public litmus::RunObserver {
 public:
  explicit EndOfPlan(const FuzzStrategy& strategy) : strategy_(strategy) {}
  bool may_continue(const graph::ExecutionGraph&, const models::ModelState&) override {
    return !strategy_.followed_all();
  }

 private:
  const FuzzStrategy& strategy_;
};

/// Cuts executions of random programs, follows the plans, and checks the graphs that they describe with the axioms.
struct CutCheck {
  /// `redraws`: the model may refuse the last step of a plan.
  explicit CutCheck(bool redraws) : redraws_(redraws) {}

  std::uint64_t cuts = 0;
  std::uint64_t followed = 0;
  std::set<std::uint64_t> graphs;

  void run(const char* model_name, const testing::Shape& shape, std::uint64_t seed, std::uint64_t wanted) {
    base::Random random(seed);
    for (std::uint64_t end = cuts + wanted; cuts < end;) {
      Memory memory;
      const testing::Program program = testing::random_program(random, shape);
      const auto test = litmus::parse_test(program.text(), "random");
      ASSERT_TRUE(test);
      const models::MemoryModel* model = models::make_model(model_name, {}, memory.arena);
      litmus::Interpreter interpreter(*test, *model);
      RandomStrategy sampler(seed);
      FuzzStrategy fuzz(seed, memory.arena);
      fuzz.set_graph(interpreter.graph());
      Mutator mutator(memory.arena);
      const auto block = std::make_unique<std::byte[]>(Recording::capacity);
      Recording recording(block.get());
      Plan plan;
      for (std::uint64_t execution = 0; execution < 4; ++execution) {
        interpreter.run(sampler, execution);
        ASSERT_TRUE(recording.write(interpreter.graph(), memory::store_rule(*model, interpreter.model_state()), {},
                                    memory.arena));
        drop_fixed_targets(recording, mutator, random);
        ASSERT_TRUE(recording.is_valid(recording.size()));
        for (const Mutation mutation : {Mutation::revisit, Mutation::minimal, Mutation::maximal}) {
          for (int i = 0; i < 8; ++i) {
            if (recording.targets().empty()) continue;
            ASSERT_TRUE(mutator.mutate(recording, mutation, 0, random, plan)) << program.text();
            ++cuts;
            fuzz.follow(plan);
            EndOfPlan end_of_plan(fuzz);
            interpreter.run(fuzz, execution, &end_of_plan);
            // psc is checked when the last step is executed.
            ASSERT_GE(fuzz.followed() + (redraws_ ? 1 : 0), plan.steps.size())
                << fuzz.followed() << " of " << plan.steps.size() << " steps, " << static_cast<int>(mutation) << "\n"
                << program.text();
            if (fuzz.followed_all()) ++followed;
            ASSERT_FALSE(model->check(interpreter.graph(), memory.arena)) << program.text();
            graphs.insert(interpreter.graph().kept_hash());
          }
        }
      }
    }
  }

 private:
  /// Drops them, and checks that no cut changes one of those that are gone.
  void drop_fixed_targets(Recording& recording, Mutator& mutator, base::Random& random) {
    const auto block = std::make_unique<std::byte[]>(Recording::capacity);
    std::memcpy(block.get(), recording.bytes(), recording.size());
    mutator.count_targets(recording);
    std::set<std::uint32_t> kept;
    for (const RecordedTarget& target : recording.targets()) kept.insert(target.position);
    Recording dropped(block.get());
    dropped.count_targets([&](const RecordedTarget& target) { return kept.contains(target.position) ? 0 : 1; });
    Plan plan;
    for (const Mutation mutation : {Mutation::revisit, Mutation::minimal, Mutation::maximal})
      ASSERT_FALSE(mutator.mutate(dropped, mutation, 0, random, plan));
  }

  bool redraws_;
};

}  // namespace

// 100,000 cuts: the plan can be followed, each choice is one that the model offers, and the axioms hold for the graph
// that it describes. Without seq_cst events every plan can be followed to its end. With them, psc may forbid its last
// step.
TEST(Fuzz, EveryPlanThatACutMakesIsConsistentUnderRc11) {
  CutCheck without(false), with(true);
  without.run("rc11", {.most_threads = 4, .most_events = 14, .seq_cst_percent = 0}, 1, 40'000);
  with.run("rc11", {.most_threads = 4, .most_events = 14}, 2, 60'000);
  EXPECT_GT(without.graphs.size() + with.graphs.size(), 10'000U);
  EXPECT_GT(with.followed, with.cuts * 9 / 10);
}

TEST(Fuzz, EveryPlanThatACutMakesIsConsistentUnderOtherModels) {
  CutCheck check(false);
  check.run("sc", {.most_threads = 4, .most_events = 14}, 3, 10'000);
  check.run("c11", {.most_threads = 4, .most_events = 14}, 4, 10'000);
}

// Maximal cuts keep nearly everything, so for about half of the seeds they change too little to get that far.
TEST(Fuzz, ReachesTheEndOfAShorterChainByMaximalCuts) {
  std::uint64_t random = 0, maximal = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    random += hits(testing::relay(4), "random", seed);
    maximal += hits(testing::relay(4), "fuzz:mutate=maximal", seed) > 0 ? 1 : 0;
  }
  EXPECT_EQ(random, 0U);
  EXPECT_GE(maximal, 2U);  // of 8: fewer have a chance of 4 % if one in two gets there
}

// The three cuts of one read to one write keep more and more, and not only in name: each keeps events that the one
// before it drops.
TEST(Fuzz, MinimalCutsKeepLessThanRevisitCutsAndTheseLessThanMaximalOnes) {
  constexpr Mutation cuts[] = {Mutation::minimal, Mutation::revisit, Mutation::maximal};
  base::Random random(5);
  std::uint64_t compared = 0, grown[2] = {0, 0};
  for (int programs = 0; programs < 300; ++programs) {
    Memory memory;
    const testing::Program program =
        testing::random_program(random, {.most_threads = 4, .most_events = 14, .seq_cst_percent = 0});
    const auto test = litmus::parse_test(program.text(), "random");
    ASSERT_TRUE(test);
    const models::MemoryModel* model = models::make_model("rc11", {}, memory.arena);
    litmus::Interpreter interpreter(*test, *model);
    RandomStrategy sampler(5);
    interpreter.run(sampler, 0);
    const auto block = std::make_unique<std::byte[]>(Recording::capacity);
    Recording recording(block.get());
    ASSERT_TRUE(recording.write(interpreter.graph(), StoreRule::free, {}, memory.arena));
    Mutator mutator(memory.arena);
    mutator.count_targets(recording);
    if (recording.targets().empty()) continue;
    for (std::uint64_t draw = 0; draw < 8; ++draw) {
      std::set<std::uint64_t> kept[3];
      for (std::size_t i = 0; i < std::size(cuts); ++i) {
        base::Random same(draw);  // draws the same read and the same write for each cut
        Plan plan;
        ASSERT_TRUE(mutator.mutate(recording, cuts[i], 0, same, plan));
        for (const PlannedStep& step : plan.steps) kept[i].insert(step.name);
      }
      ++compared;
      for (std::size_t i = 0; i < 2; ++i) {
        ASSERT_TRUE(std::includes(kept[i + 1].begin(), kept[i + 1].end(), kept[i].begin(), kept[i].end()))
            << program.text();
        if (kept[i + 1].size() > kept[i].size()) ++grown[i];
      }
    }
  }
  EXPECT_GT(compared, 1'000U);
  for (const std::uint64_t count : grown) EXPECT_GT(count, compared / 4) << "of " << compared;
}

// A chain of hand-overs: each thread waits for nothing, but continues only if it reads what the other one has just
// written. Random executions do not show the end of the chain.
TEST(Fuzz, ReachesTheEndOfAChainThatRandomDoesNot) {
  EXPECT_EQ(hits(testing::relay(5), "random"), 0U);
  for (const char* mutation : {"trace", "revisit", "minimal", "mix"})
    EXPECT_GT(hits(testing::relay(5), std::string("fuzz:mutate=") + mutation), 0U) << mutation;
  EXPECT_GT(hits(testing::relay(5), "fuzz:interesting=rare"), 0U);
  EXPECT_GT(hits(testing::relay(5), "fuzz:inner=pctwm"), 0U);
}

TEST(Fuzz, RoundsOfTheCorpusFollowFromTheNumberOfTheExecution) {
  EXPECT_EQ(corpus_round_end(0), 8U);
  EXPECT_EQ(corpus_round_end(8), 9U);
  EXPECT_EQ(corpus_round_end(16), 17U);
  EXPECT_EQ(corpus_round_end(33), 34U);
  EXPECT_EQ(corpus_round_end(1000), 1024U);
  EXPECT_EQ(corpus_round_end(1 << 22), (1U << 22) + most_in_corpus_round);
  for (std::uint64_t number = 0, end = 0; number < 100'000; number = end) {
    end = corpus_round_end(number);
    ASSERT_GT(end, number);
    ASSERT_EQ(corpus_round_end(end - 1), end);
  }
}

// The thesis's example: graphs that were seen 2, 3 and 5 times.
TEST(Fuzz, RelativeFrequencyIsThatOfTheThesis) {
  const std::unique_ptr<Corpus, decltype(&std::free)> corpus(static_cast<Corpus*>(std::calloc(1, sizeof(Corpus))),
                                                             &std::free);
  Memory memory;
  CorpusKeeper keeper(*corpus, {}, 1, memory.arena);
  std::vector<CorpusKeeper::Execution> executions;
  for (const std::uint64_t graph : {11U, 22U, 22U, 33U, 33U, 33U, 11U, 22U, 33U, 33U})
    executions.push_back({executions.size(), graph, false});
  keeper.end_round(executions, {}, {});
  EXPECT_NEAR(keeper.relative_frequency(11), 0.32, 0.01);
  EXPECT_NEAR(keeper.relative_frequency(33), 1.97, 0.01);
}

// What executions from nothing bring is not known yet. Bounds are 5.5 standard deviations.
TEST(Fuzz, HalfOfTheFirstExecutionsStartFromNothing) {
  Memory memory;
  const auto test = litmus::parse_test(testing::relay(3), "relay");
  litmus::Interpreter interpreter(*test, *models::make_model("rc11", {}, memory.arena));
  RandomStrategy sampler(1);
  interpreter.run(sampler, 0);
  const auto block = std::make_unique<std::byte[]>(Recording::capacity);
  Recording recording(block.get());
  ASSERT_TRUE(recording.write(interpreter.graph(), StoreRule::free, {}, memory.arena));
  const std::unique_ptr<Corpus, decltype(&std::free)> corpus(static_cast<Corpus*>(std::calloc(1, sizeof(Corpus))),
                                                             &std::free);
  CorpusKeeper keeper(*corpus, {}, 1, memory.arena);
  ASSERT_TRUE(keeper.add(recording, 7, Corpus::Origin::this_build));
  int from_nothing = 0;
  for (std::uint64_t number = 1; number <= 10'000; ++number)
    if (corpus->draw(1, number) == Corpus::none) ++from_nothing;
  EXPECT_NEAR(from_nothing, 5'000, 275);
}

// A recording from outside may be anything.
TEST(Fuzz, DamagedRecordingsAreRecognised) {
  Memory memory;
  const auto test = litmus::parse_test(testing::relay(3), "relay");
  const models::MemoryModel* model = models::make_model("rc11", {}, memory.arena);
  litmus::Interpreter interpreter(*test, *model);
  RandomStrategy sampler(1);
  interpreter.run(sampler, 0);
  const auto block = std::make_unique<std::byte[]>(Recording::capacity);
  Recording recording(block.get());
  ASSERT_TRUE(recording.write(interpreter.graph(), StoreRule::free, {}, memory.arena));
  ASSERT_TRUE(recording.is_valid(recording.size()));
  EXPECT_FALSE(recording.is_valid(recording.size() - 1));
  base::Random random(1);
  Mutator mutator(memory.arena);
  Plan plan;
  for (int i = 0; i < 20'000; ++i) {
    const auto copy = std::make_unique<std::byte[]>(Recording::capacity);
    std::copy(block.get(), block.get() + recording.size(), copy.get());
    copy[random.below(recording.size())] = static_cast<std::byte>(random.below(256));
    Recording damaged(copy.get());
    if (!damaged.is_valid(recording.size())) continue;
    for (const Mutation mutation : {Mutation::trace, Mutation::revisit, Mutation::minimal, Mutation::maximal})
      mutator.mutate(damaged, mutation, 0, random, plan);
  }
}

}  // namespace heddle::strategies
