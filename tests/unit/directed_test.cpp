// The strategy `directed` brings cycles about, and the judge recognises them, on litmus tests: there, the final state
// tells whether an execution had the cycle.
#include "strategies/directed.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "litmus/interpreter.hpp"
#include "litmus/parser.hpp"
#include "sampling.hpp"
#include "strategies/cycle_occurrence.hpp"

namespace heddle::strategies {

namespace {

constexpr std::size_t memory_size = 1 << 20;

std::string thread_text(int number, const std::string& body) {
  return "P" + std::to_string(number) + " (atomic_int* x, atomic_int* y) {\n" + body + "}\n";
}
std::string store(const char* location, int value) {
  return std::string("  atomic_store_explicit(") + location + "," + std::to_string(value) + ",memory_order_relaxed);\n";
}
std::string load(int result, const char* location) {
  return "  int r" + std::to_string(result) + " = atomic_load_explicit(" + location + ",memory_order_relaxed);\n";
}

const std::string message_passing = "C MP\n{ x=0; y=0; }\n" + thread_text(0, store("x", 1) + store("y", 1)) +
                                    thread_text(1, load(0, "y") + load(1, "x")) + "exists (1:r0=1 /\\ 1:r1=0)\n";
const std::string store_buffering = "C SB\n{ x=0; y=0; }\n" + thread_text(0, store("x", 1) + load(0, "y")) +
                                    thread_text(1, store("y", 1) + load(0, "x")) + "exists (0:r0=0 /\\ 1:r0=0)\n";
const std::string two_writes = "C 2+2W\n{ x=0; y=0; }\n" + thread_text(0, store("x", 2) + store("y", 1)) +
                               thread_text(1, store("y", 2) + store("x", 1)) + "exists (x=2 /\\ y=2)\n";
const std::string independent_reads = "C IRIW\n{ x=0; y=0; }\n" + thread_text(0, store("x", 1)) +
                                      thread_text(1, store("y", 1)) + thread_text(2, load(0, "x") + load(1, "y")) +
                                      thread_text(3, load(0, "y") + load(1, "x")) +
                                      "exists (2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0)\n";

/// The label of the n-th access of thread t is 10 t + n.
class Labels final : public PendingLabels {
 public:
  explicit Labels(const graph::ExecutionGraph& graph) : graph_(graph) {}
  std::uint32_t label_of(graph::ThreadId thread) override {
    return 10 * number(thread) + graph_.thread(thread).index / 2;
  }

 private:
  const graph::ExecutionGraph& graph_;
};

const Cycle both_threads = {.size = 2, .pairs = {{0, 1, 0}, {10, 11, 0}}};
const Cycle four_threads = {.size = 4, .pairs = {{0, 0, 1}, {20, 21, 0}, {10, 10, 1}, {30, 31, 0}}};

struct Counts {
  int executions = 0;
  int confirmed = 0;
};

/// Directs executions to the cycle. Checks that the judge agrees with the condition of the test, for every execution.
Counts direct(const std::string& text, const char* model, const Cycle& cycle, int executions) {
  auto memory = std::make_unique<std::byte[]>(memory_size);
  base::Arena arena{{memory.get(), memory_size}};
  const litmus::Test test = *litmus::parse_test(text, "test");
  litmus::Interpreter interpreter(test, *models::make_model(model, {}, arena));
  auto table = std::make_unique<CycleTable>();
  table->cycle_count = 1;
  table->trials = 1;
  table->executions = static_cast<std::uint32_t>(executions);
  table->cycles[0] = cycle;
  Labels labels(interpreter.graph());
  DirectedStrategy strategy(1, arena);
  strategy.set_graph(interpreter.graph());
  strategy.set_cycles(*table, labels);
  Counts counts;
  for (std::uint64_t i = 0; interpreter.run(strategy, i); ++i) {
    const graph::ExecutionGraph& graph = interpreter.graph();
    std::vector<LabelledEvent> accesses;
    for (std::uint32_t id = 0; id < graph.events().size(); ++id) {
      const graph::Event& event = graph.events()[id];
      if (event.thread != graph::no_thread)
        accesses.push_back({graph::EventId{id}, 10 * number(event.thread) + event.index / 2 - 1});
    }
    graph::EventId found[2 * Cycle::most_pairs];
    const bool is_there = find_occurrence(graph, cycle, accesses, arena, found);
    EXPECT_EQ(is_there, test.proposition.holds(interpreter.final_state())) << model << ", execution " << i;
    for (std::uint32_t j = 0; is_there && j < 2 * cycle.size; ++j) {
      const CyclePair& pair = cycle.pairs[j / 2];
      const graph::Event& event = graph.event(found[j]);
      EXPECT_EQ(10 * number(event.thread) + event.index / 2 - 1, j % 2 == 0 ? pair.first : pair.second);
    }
    ++counts.executions;
    counts.confirmed += is_there ? 1 : 0;
  }
  return counts;
}

}  // namespace

TEST(Directed, BringsStoreBufferingAboutUnderEveryModel) {
  for (const char* model : {"tso", "pso", "pslo", "rc11", "c11"}) {
    const Counts counts = direct(store_buffering, model, both_threads, 1000);
    EXPECT_EQ(counts.executions, 1000);
    EXPECT_GT(counts.confirmed, 200) << model;
  }
}

TEST(Directed, BringsMessagePassingAboutWhereStoresOrLoadsAreReordered) {
  for (const char* model : {"pso", "pslo", "rc11"}) {
    // The reader is the first or the second pair: a cycle begins anywhere.
    EXPECT_GT(direct(message_passing, model, both_threads, 1000).confirmed, 200) << model;
    const Cycle rotated = {.size = 2, .pairs = {both_threads.pairs[1], both_threads.pairs[0]}};
    EXPECT_GT(direct(message_passing, model, rotated, 1000).confirmed, 200) << model;
  }
}

TEST(Directed, NeverShowsWhatTheModelForbids) {
  EXPECT_EQ(direct(store_buffering, "sc", both_threads, 1000).confirmed, 0);
  EXPECT_EQ(direct(message_passing, "tso", both_threads, 1000).confirmed, 0);
  EXPECT_EQ(direct(two_writes, "tso", both_threads, 1000).confirmed, 0);
  EXPECT_EQ(direct(independent_reads, "pso", four_threads, 1000).confirmed, 0);
}

TEST(Directed, BringsCyclesOfStoresAbout) {
  for (const char* model : {"pso", "pslo", "rc11"})
    EXPECT_GT(direct(two_writes, model, both_threads, 1000).confirmed, 100) << model;
}

TEST(Directed, BringsCyclesOfFourThreadsAbout) {
  for (const char* model : {"pslo", "rc11"})
    EXPECT_GT(direct(independent_reads, model, four_threads, 2000).confirmed, 50) << model;
}

TEST(Directed, ExecutionDependsOnSeedAndNumberOnly) {
  for (std::uint64_t number = 0; number < 50; ++number) {
    const auto alone = testing::decisions_of(testing::message_passing(3), "directed", number, false);
    const auto later = testing::decisions_of(testing::message_passing(3), "directed", number, true);
    ASSERT_EQ(alone.size(), later.size());
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i].index, later[i].index);
  }
}

TEST(Directed, FindsTheSmallProgramsWithoutCycles) {
  for (const auto& test : {testing::store_buffering(), testing::one_reader(5), testing::message_passing()})
    EXPECT_GT(testing::sample(test, "directed", 4000).hits, 0U) << test;
}

TEST(CycleTable, ATrialEndsWithTheCycleAndHopelessCyclesAreGivenUp) {
  auto table = std::make_unique<CycleTable>();
  table->cycle_count = 2;
  table->trials = 5;
  table->executions = 10;
  EXPECT_EQ(table->next_execution(0), 1U);
  table->results[0].confirmed = 1;
  EXPECT_EQ(table->next_execution(0), 10U) << "the trial has shown the cycle";
  EXPECT_EQ(table->next_execution(29), 30U) << "the first trial has shown the cycle, so it is not given up";
  EXPECT_EQ(table->next_execution(50 + 19), 70U);
  EXPECT_EQ(table->next_execution(50 + 29), 100U) << "three trials have not shown the second cycle";
  EXPECT_EQ(table->cycle_of(49), 0U);
  EXPECT_EQ(table->cycle_of(50), 1U);
  EXPECT_EQ(table->end_execution(), 100U);
}

}  // namespace heddle::strategies
