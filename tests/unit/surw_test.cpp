#include "strategies/surw.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "litmus/interpreter.hpp"
#include "litmus/parser.hpp"
#include "sampling.hpp"
#include "strategies/local_rounds.hpp"

namespace heddle::strategies {

namespace {

using testing::decisions_of;
using testing::message_passing;
using testing::specification_error;

/// P0 stores to x, and P1 to y, as often as the two numbers say. Their stores are independent.
std::string two_threads(int first, int second) {
  const auto stores = [](const char* location, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += std::string("  atomic_store_explicit(") + location + ",1,memory_order_seq_cst);\n";
    return text;
  };
  return "C two\n{ x=0; y=0; }\nP0 (atomic_int* x) {\n" + stores("x", first) + "}\nP1 (atomic_int* y) {\n" +
         stores("y", second) + "}\nexists (x=1)\n";
}

/// How often each interleaving of the threads' events shows up, from execution 256 on, when the counts are learnt.
std::map<std::string, int> interleavings(const std::string& text, const char* specification, std::uint64_t executions) {
  constexpr std::size_t memory_size = 1 << 18;
  const auto memory = std::make_unique<std::byte[]>(memory_size);
  base::Arena arena({memory.get(), memory_size});
  const litmus::Test test = *litmus::parse_test(text, "test");
  litmus::Interpreter interpreter(test, *models::make_model("sc", {}, arena));
  SpecificationError error;
  Portfolio portfolio(1, PortfolioScope(*parse_strategy(specification, error)), arena);
  portfolio.set_graph(interpreter.graph());
  const auto totals = std::make_unique<Totals>();
  LocalRounds rounds(portfolio, *totals, 0);
  std::map<std::string, int> seen;
  for (std::uint64_t number = 0; number < 256 + executions; ++number) {
    rounds.begin_execution(number);
    interpreter.run(portfolio, number);
    rounds.add_execution(number, false);
    std::string order;
    for (const graph::Event& event : interpreter.graph().events())
      if (event.thread != graph::no_thread) order += std::to_string(graph::number(event.thread));
    if (number >= 256) ++seen[order];
  }
  return seen;
}

}  // namespace

// There are C(8, 2) = 28 interleavings, each of which 500 executions are expected to show. A count that differs by more
// than 5 standard deviations has a probability below 1e-6; the seed is fixed.
TEST(Surw, EveryInterleavingIsEquallyLikelyIfTheCountsAreRight) {
  const auto seen = interleavings(two_threads(2, 6), "surw:locations=0", 28 * 500);
  EXPECT_EQ(seen.size(), 28U);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 500, 5 * 22) << order;
}

// If the strategy did nothing, the test above would fail: random runs the short thread first in a quarter of
// executions.
TEST(Surw, AUniformChoiceAtEveryStepIsNotUniformOverInterleavings) {
  auto seen = interleavings(two_threads(2, 6), "random", 28 * 500);
  EXPECT_GT(seen["00111111"], 5 * 500);
  EXPECT_LT(seen["11111100"], 500 / 2 + 5 * 22);
}

// With one interesting location out of two, the events on it are all of one thread, and the other thread is free: it
// runs without waiting, so its events come first.
TEST(Surw, EventsThatAreNotInterestingDoNotWait) {
  auto seen = interleavings(two_threads(2, 6), "surw:locations=1", 1000);
  EXPECT_GT(seen["00111111"], 400);
  EXPECT_GT(seen["11111100"], 400);
}

TEST(Surw, CountsTheEventsOfAThreadForItsParentToo) {
  alignas(std::max_align_t) static std::byte memory[1 << 16];
  base::Arena arena(memory);
  graph::ExecutionGraph graph(arena);
  const graph::ThreadId parent{0}, child{1};
  graph.add_thread(parent, 100);
  graph.add_thread(child, 200);
  const graph::LocationId x = graph.add_location(7, 4, 0);
  SurwStrategy surw(1, arena);
  surw.set_graph(graph);
  surw.begin_execution(0);
  const auto execute = [&](graph::EventKind kind, graph::ThreadId thread, std::span<const graph::EventId> after = {}) {
    graph::Event event;
    event.kind = kind;
    event.order = graph::MemoryOrder::relaxed;
    event.thread = thread;
    if (kind == graph::EventKind::store) event.location = x;
    event.synchronised = after;
    const graph::EventId id = graph.append(event);
    surw.executed(graph.event(id));
    return id;
  };
  execute(graph::EventKind::store, parent);
  const graph::EventId created[] = {execute(graph::EventKind::create, parent)};
  execute(graph::EventKind::start, child, created);
  execute(graph::EventKind::store, child);
  execute(graph::EventKind::store, child);
  const auto threads = surw.observation().threads;
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[0].name, 100U);
  EXPECT_EQ(threads[0].events[location_group(x)], 3U);
  EXPECT_EQ(threads[1].name, 200U);
  EXPECT_EQ(threads[1].events[location_group(x)], 2U);
}

TEST(Surw, ExecutionsDependOnSeedAndNumberOnly) {
  for (const char* strategy : {"surw", "surw:locations=0", "surw:locations=2"})
    for (std::uint64_t number = 0; number < 50; ++number) {
      const auto alone = decisions_of(message_passing(), strategy, number, false);
      const auto later = decisions_of(message_passing(), strategy, number, true);
      ASSERT_EQ(alone.size(), later.size());
      for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i].index, later[i].index);
    }
}

TEST(Surw, SaysWhatIsWrongWithItsParameter) {
  EXPECT_EQ(specification_error("surw:locations=16"), "");
  EXPECT_EQ(specification_error("surw:locations=17"), "locations=17: this is not a whole number from 0 to 16");
  EXPECT_EQ(specification_error("surw:d=1"), "surw has no parameter 'd'; it has: locations");
}

}  // namespace heddle::strategies
