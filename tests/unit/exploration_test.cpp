// The optimal search against the plain enumerator on random programs, and counts that follow from mathematics.
#include "exploration/exploration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "litmus/enumerator.hpp"
#include "litmus/exhaustive.hpp"
#include "litmus/parser.hpp"
#include "random_program.hpp"

namespace heddle::testing {

namespace {

struct Campaign {
  Program (*draw)(base::Random&, const Shape&);
  const char* model;
  models::ModelOptions options;
  std::uint64_t seed;
  std::uint32_t programs;
  Shape shape;
};

void PrintTo(const Campaign& campaign, std::ostream* out) { *out << campaign.model << ", seed " << campaign.seed; }

/// HEDDLE_TEST_SCALE=20 tries twenty times as many programs: for a night, not for every build.
std::uint32_t scale() {
  const char* text = std::getenv("HEDDLE_TEST_SCALE");
  return text == nullptr ? 1 : static_cast<std::uint32_t>(std::max(1, std::atoi(text)));
}

class Model {
 public:
  explicit Model(const char* name, const models::ModelOptions& options = {})
      : arena_(memory_), model_(models::make_model(name, options, arena_)) {}
  const models::MemoryModel& operator*() const { return *model_; }

 private:
  alignas(std::max_align_t) std::array<std::byte, 256> memory_{};
  base::Arena arena_;
  const models::MemoryModel* model_;
};

struct Explored {
  std::set<std::uint64_t> graphs;
  exploration::Statistics statistics;
};

Explored explore(const std::string& text, const models::MemoryModel& model) {
  Explored explored;
  const auto test = litmus::parse_test(text, "test");
  if (!test) {
    ADD_FAILURE() << test.problem().text << "\n" << text;
    return explored;
  }
  explored.statistics = litmus::explore(*test, model, [&](const litmus::Interpreter& run) {
                          EXPECT_TRUE(explored.graphs.insert(canonical_hash(run.graph())).second) << "twice, in\n"
                                                                                                  << text;
                        }).statistics;
  EXPECT_EQ(explored.statistics.complete, explored.graphs.size());
  return explored;
}

/// `threads` threads with the same body, over x and y.
std::string threads_of(std::size_t threads, const std::string& body) {
  std::string text = "C test\n{ x=0; y=0; }\n";
  for (std::size_t t = 0; t < threads; ++t)
    text += "P" + std::to_string(t) + " (atomic_int* x, atomic_int* y) {\n" + body + "}\n";
  return text + "exists (true)\n";
}

std::uint64_t factorial(std::uint64_t n) { return n < 2 ? 1 : n * factorial(n - 1); }
std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/// What a graph looks like when thread t is called name[t]: all events with their edges.
std::string shape(const graph::ExecutionGraph& graph, const std::vector<std::uint32_t>& name) {
  const auto called = [&](graph::EventId id) {
    const graph::Event& event = graph.event(id);
    const std::uint32_t thread = event.thread == graph::no_thread ? 99 : name[number(event.thread)];
    return std::to_string(thread) + "." + std::to_string(event.index) + "." + std::to_string(number(event.location));
  };
  std::set<std::string> events;
  for (std::uint32_t i = 0; i < graph.events().size(); ++i) {
    const graph::EventId id{i};
    const graph::Event& event = graph.event(id);
    std::string text = called(id) + ":" + std::to_string(static_cast<int>(event.kind));
    if (reads(event.kind)) text += " r" + called(event.reads_from);
    if (writes(event.kind) && event.mo_position > 0)
      text += " w" + called(graph.location(event.location).modification_order[event.mo_position - 1]);
    events.insert(text);
  }
  std::string all;
  for (const std::string& event : events) all += event + "\n";
  return all;
}

/// The same for all graphs that differ only in who of the threads from `first` on did what.
std::string orbit(const graph::ExecutionGraph& graph, std::uint32_t first) {
  std::vector<std::uint32_t> name(graph.threads().size());
  std::iota(name.begin(), name.end(), 0U);
  std::string least;
  do {
    const std::string text = shape(graph, name);
    if (least.empty() || text < least) least = text;
  } while (std::next_permutation(name.begin() + first, name.end()));
  return least;
}

std::string random_body(base::Random& random, std::uint32_t length) {
  static const char* const reads[] = {"relaxed", "acquire", "seq_cst"};
  static const char* const writes[] = {"relaxed", "release", "seq_cst"};
  std::string body;
  for (std::uint32_t i = 0; i < length; ++i) {
    const std::string x = random.below(2) == 0 ? "x" : "y", r = "r" + std::to_string(i);
    const std::string value = std::to_string(random.below(2) + 1);
    const std::string read = reads[random.below(3)], write = writes[random.below(3)];
    switch (random.below(4)) {
      case 0: body += "atomic_store_explicit(" + x + "," + value + ",memory_order_" + write + ");\n"; break;
      case 1: body += "int " + r + " = atomic_fetch_add_explicit(" + x + ",1,memory_order_relaxed);\n"; break;
      case 2:
        body += "int " + r + " = atomic_load_explicit(" + x + ",memory_order_" + read + ");\nif (" + r +
                " == 1) { atomic_store_explicit(y," + value + ",memory_order_" + write + "); }\n";
        break;
      default: body += "int " + r + " = atomic_load_explicit(" + x + ",memory_order_" + read + ");\n";
    }
  }
  return body;
}

class ExplorationAgainstEnumerator : public ::testing::TestWithParam<Campaign> {};
class Counts : public ::testing::TestWithParam<const char*> {};

}  // namespace

TEST_P(ExplorationAgainstEnumerator, VisitsTheSameGraphsEachOnce) {
  const Campaign& campaign = GetParam();
  const Model model(campaign.model, campaign.options);
  base::Random random(campaign.seed);
  std::uint64_t graphs = 0, abandoned = 0;
  const std::uint32_t programs = campaign.programs * scale();
  for (std::uint32_t tried = 0; tried < programs; ++tried) {
    const std::string text = campaign.draw(random, campaign.shape).text();
    const Explored explored = explore(text, *model);
    std::set<std::uint64_t> expected;
    const auto summary =
        litmus::enumerate(*litmus::parse_test(text, "random"), *model,
                          [&](const litmus::Interpreter& run) { expected.insert(canonical_hash(run.graph())); });
    ASSERT_TRUE(summary.is_complete) << text;
    ASSERT_EQ(explored.graphs.size(), expected.size()) << text;
    ASSERT_EQ(explored.graphs, expected) << text;
    if (HasFailure()) return;
    graphs += expected.size();
    abandoned += explored.statistics.abandoned;
  }
  std::printf("%s: %u programs, %llu graphs, %llu inconsistent plans\n", campaign.model, programs,
              static_cast<unsigned long long>(graphs), static_cast<unsigned long long>(abandoned));
}

constexpr Shape mixed{4, 12, 3, 40, 15};
constexpr Shape mostly_seq_cst{4, 12, 2, 75, 10};
constexpr Shape mostly_weak{4, 11, 2, 10, 10};
constexpr Shape fences{4, 12, 3, 60, 40};
constexpr Shape with_plain{4, 12, 3, 20, 40, 20};
constexpr models::ModelOptions cpp20{};
constexpr models::ModelOptions c11{.release_sequence = models::ReleaseSequence::c11};
constexpr models::ModelOptions full_rmw{.rmw = models::RmwBarrier::full};

INSTANTIATE_TEST_SUITE_P(Models, ExplorationAgainstEnumerator,
                         ::testing::Values(Campaign{random_program, "rc11", cpp20, 21, 100, mixed},
                                           Campaign{random_program, "rc11", cpp20, 22, 100, mostly_seq_cst},
                                           Campaign{random_program, "rc11", cpp20, 23, 100, mostly_weak},
                                           Campaign{random_program, "rc11", cpp20, 24, 100, fences},
                                           Campaign{random_program, "rc11", c11, 25, 100, mixed},
                                           Campaign{random_program, "sc", cpp20, 26, 100, mixed},
                                           Campaign{random_program, "sc", cpp20, 27, 100, mostly_weak},
                                           Campaign{random_program, "tso", cpp20, 31, 100, mixed},
                                           Campaign{random_program, "tso", cpp20, 32, 100, mostly_weak},
                                           Campaign{random_cycle, "tso", cpp20, 33, 500, mixed},
                                           Campaign{random_program, "pso", cpp20, 34, 100, mixed},
                                           Campaign{random_program, "pso", cpp20, 35, 100, mostly_weak},
                                           Campaign{random_cycle, "pso", cpp20, 36, 500, mixed},
                                           Campaign{random_program, "pslo", cpp20, 37, 100, mixed},
                                           Campaign{random_program, "pslo", cpp20, 38, 100, mostly_weak},
                                           Campaign{random_cycle, "pslo", cpp20, 39, 500, mixed},
                                           Campaign{random_program, "tso", full_rmw, 40, 100, mixed},
                                           Campaign{random_program, "pso", full_rmw, 41, 100, mostly_weak},
                                           Campaign{random_program, "pslo", full_rmw, 42, 100, mostly_weak},
                                           Campaign{random_cycle, "rc11", cpp20, 28, 500, mixed},
                                           Campaign{random_cycle, "rc11", cpp20, 29, 500, with_plain},
                                           Campaign{random_cycle, "sc", cpp20, 30, 500, mixed}),
                         [](const auto& campaign) {
                           return std::string(campaign.param.model) + "_seed_" + std::to_string(campaign.param.seed);
                         });

TEST_P(Counts, WritersOfOneLocationHaveAllModificationOrders) {
  const Model model(GetParam());
  for (std::uint64_t n = 1; n <= 7; ++n)
    EXPECT_EQ(explore(threads_of(n, "atomic_store_explicit(x,1,memory_order_relaxed);\n"), *model).graphs.size(),
              factorial(n));
}

TEST_P(Counts, IncrementsHaveAllOrdersAndNoRunIsWasted) {
  const Model model(GetParam());
  for (std::uint64_t n = 1; n <= 7; ++n) {
    const auto explored =
        explore(threads_of(n, "int r0 = atomic_fetch_add_explicit(x,1,memory_order_relaxed);\n"), *model);
    EXPECT_EQ(explored.graphs.size(), factorial(n));
    EXPECT_EQ(explored.statistics.abandoned, 0U);
  }
}

TEST_P(Counts, ReadersOfOneOfTwoValuesChooseFreely) {
  const Model model(GetParam());
  const std::string writer = "P0 (atomic_int* x) { atomic_store_explicit(x,1,memory_order_relaxed); }\n";
  for (std::uint64_t n = 1; n <= 8; ++n)
    for (bool writer_is_last : {false, true}) {
      std::string text = "C test\n{ x=0; }\n";
      for (std::uint64_t t = 0; t <= n; ++t) {
        const bool is_writer = t == (writer_is_last ? n : 0);
        text += "P" + std::to_string(t) + " (atomic_int* x) { " +
                (is_writer ? "atomic_store_explicit(x,1,memory_order_relaxed);"
                           : "int r0 = atomic_load_explicit(x,memory_order_relaxed);") +
                " }\n";
      }
      EXPECT_EQ(explore(text + "exists (true)\n", *model).graphs.size(), power(2, n));
    }
}

/// One compare-exchange from 0 succeeds: the others read it. One of n.
TEST_P(Counts, OneCompareExchangeOfManySucceeds) {
  const Model model(GetParam());
  const std::string body =
      "int e = 0; int r0 = "
      "atomic_compare_exchange_strong_explicit(x,&e,1,memory_order_relaxed,memory_order_relaxed);\n";
  for (std::uint64_t n = 1; n <= 7; ++n) EXPECT_EQ(explore(threads_of(n, body), *model).graphs.size(), n);
}

/// A weak one may also fail with 0. All of them fail; or one of n succeeds, and each of the others fails with 0 or 1.
TEST_P(Counts, WeakCompareExchangesFailSpuriously) {
  const Model model(GetParam());
  const std::string body =
      "int e = 0; int r0 = atomic_compare_exchange_weak_explicit(x,&e,1,memory_order_relaxed,memory_order_relaxed);\n";
  for (std::uint64_t n = 1; n <= 6; ++n)
    EXPECT_EQ(explore(threads_of(n, body), *model).graphs.size(), 1 + n * power(2, n - 1));
}

/// k increments a thread: the interleavings of n sequences of k.
TEST_P(Counts, RepeatedIncrementsHaveAllInterleavings) {
  const Model model(GetParam());
  const std::string add = "atomic_fetch_add_explicit(x,1,memory_order_relaxed);\n";
  for (std::uint64_t n = 1; n <= 3; ++n) {
    EXPECT_EQ(explore(threads_of(n, "int r0 = " + add + "int r1 = " + add), *model).graphs.size(),
              factorial(2 * n) / power(2, n));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Counts, ::testing::Values("rc11", "sc"),
                         [](const auto& model) { return std::string(model.param); });

/// Store buffering round a circle: under rc11 every read takes 0 or 1 on its own, under sc not all of them 0.
/// Of all graphs that differ only in who of the threads did what one is enough, and one there must be.
TEST_P(Counts, TwinsAreExploredOnceAndNothingIsLost) {
  const Model model(GetParam());
  base::Random random(20240624);
  std::uint64_t all = 0, orbits = 0, explored = 0;
  for (std::uint32_t tried = 0; tried < 150 * scale(); ++tried) {
    const auto threads = static_cast<std::uint32_t>(2 + random.below(2));
    // In every second program there is another thread, through which the twins may communicate.
    const std::uint32_t others = tried % 2;
    const std::string body = random_body(random, threads == 2 ? 4 - others : 2);
    std::string text = threads_of(threads + others, body);
    if (others != 0) {
      const std::size_t place = text.find(body);
      text.replace(place, body.size(), random_body(random, 2));
    }
    const auto test = litmus::parse_test(text, "test");
    ASSERT_TRUE(test);
    std::set<std::string> expected, found;
    litmus::explore(*test, *model, [&](const litmus::Interpreter& run) {
      ++all;
      expected.insert(orbit(run.graph(), others));
    });
    litmus::explore(
        *test, *model,
        [&](const litmus::Interpreter& run) {
          ++explored;
          found.insert(orbit(run.graph(), others));
        },
        nullptr, others);
    ASSERT_EQ(found, expected) << text;
    orbits += expected.size();
  }
  EXPECT_LT(explored, orbits + orbits / 10);
  std::printf("%llu graphs, %llu up to symmetry, %llu explored\n", static_cast<unsigned long long>(all),
              static_cast<unsigned long long>(orbits), static_cast<unsigned long long>(explored));
}

/// The younger twin reads the older write here, and cannot do otherwise: what the elder one wrote led to it.
TEST_P(Counts, TwinsMayBeOrderedByWhatOneToldTheOther) {
  const Model model(GetParam());
  const std::string twin =
      "(atomic_int* x, atomic_int* y) {\nint r0 = atomic_load_explicit(x,memory_order_relaxed);\n"
      "atomic_store_explicit(y,1,memory_order_relaxed);\n}\n";
  const std::string text =
      "C test\n{ x=0; y=0; }\n"
      "P0 (atomic_int* x, atomic_int* y) {\nint r0 = atomic_load_explicit(y,memory_order_relaxed);\n"
      "if (r0 == 1) { atomic_store_explicit(x,1,memory_order_relaxed); }\n}\n"
      "P1 (atomic_int* x, atomic_int* y) {\natomic_store_explicit(x,2,memory_order_relaxed);\n}\n"
      "P2 " +
      twin + "P3 " + twin + "exists (true)\n";
  const auto test = litmus::parse_test(text, "test");
  ASSERT_TRUE(test) << test.problem().text;
  std::set<std::string> expected, found;
  litmus::explore(*test, *model, [&](const litmus::Interpreter& run) { expected.insert(orbit(run.graph(), 2)); });
  litmus::explore(
      *test, *model, [&](const litmus::Interpreter& run) { found.insert(orbit(run.graph(), 2)); }, nullptr, 2);
  EXPECT_EQ(found, expected);
}

TEST(Exploration, ScForbidsExactlyOneOutcomeOfStoreBuffering) {
  for (std::uint64_t n = 2; n <= 5; ++n) {
    std::string text = "C SB\n{ ";
    for (std::uint64_t t = 0; t < n; ++t) text += "x" + std::to_string(t) + "=0; ";
    text += "}\n";
    for (std::uint64_t t = 0; t < n; ++t) {
      const std::string from = "x" + std::to_string(t), to = "x" + std::to_string((t + 1) % n);
      text += "P" + std::to_string(t) + " (atomic_int* " + from + ", atomic_int* " + to + ") { atomic_store_explicit(" +
              from + ",1,memory_order_relaxed); int r0 = atomic_load_explicit(" + to + ",memory_order_relaxed); }\n";
    }
    text += "exists (true)\n";
    EXPECT_EQ(explore(text, *Model("rc11")).graphs.size(), power(2, n));
    EXPECT_EQ(explore(text, *Model("sc")).graphs.size(), power(2, n) - 1);
  }
}

/// Sampling strategies give up the exact search over psc when there are very many seq_cst events; this must not.
TEST(Exploration, LeavesNothingOutHoweverManySeqCstEventsThereAre) {
  std::string text = "C many\n{ x=0; y=0; z=0; }\nP0 (atomic_int* x, atomic_int* y, atomic_int* z) {\n";
  for (int i = 0; i < 80; ++i) text += "  atomic_store(z," + std::to_string(i) + ");\n";
  text += "  atomic_store(x,1);\n  int r0 = atomic_load(y);\n}\n";
  text += "P1 (atomic_int* x, atomic_int* y) {\n  atomic_store(y,1);\n  int r0 = atomic_load(x);\n}\nexists (true)\n";
  EXPECT_EQ(explore(text, *Model("rc11")).graphs.size(), 3U);
  EXPECT_EQ(explore(text, *Model("sc")).graphs.size(), 3U);
}

/// Seven times the graphs, the same memory but for the depth of the program.
/// A probe counts for as many runs as there are, on average. The seed is fixed; 4,000 probes of N increments have a
/// standard error of about 2 %.
TEST(Exploration, ProbesEstimateHowManyRunsThereAre) {
  const Model model("rc11");
  const std::string text = threads_of(4, "  int r0 = atomic_fetch_add_explicit(x,1,memory_order_relaxed);\n");
  const auto test = litmus::parse_test(text, "test");
  ASSERT_TRUE(test);
  std::vector<std::byte> memory(8 << 20);
  base::Arena run_arena({memory.data(), memory.size() / 2});
  base::Arena pending_arena({memory.data() + memory.size() / 2, memory.size() / 2});
  litmus::Interpreter interpreter(*test, *model);
  exploration::Exploration search(interpreter.graph(), run_arena, pending_arena);
  search.start_probing(1);
  while (search.probe().completed() < 4000) interpreter.run(search, 0);
  EXPECT_NEAR(search.probe().estimate(), 24, 24 * 0.1);
  // The search begins anew, and knows at the end that it has seen everything.
  search.stop_probing();
  while (interpreter.run(search, 0)) {
  }
  EXPECT_EQ(search.statistics().complete, 24U);
  EXPECT_DOUBLE_EQ(search.explored(), 1);
}

TEST(Exploration, NeedsMemoryForOnePathOnly) {
  const Model model("rc11");
  const std::string body = "atomic_store_explicit(x,1,memory_order_relaxed);\n";
  const auto six = explore(threads_of(6, body), *model).statistics;
  const auto seven = explore(threads_of(7, body), *model).statistics;
  EXPECT_EQ(seven.complete, 7 * six.complete);
  EXPECT_LT(seven.bytes, 2 * six.bytes);
  EXPECT_LT(seven.bytes, 64U << 10);
}

TEST(Exploration, IsNotOfferedForC11) { EXPECT_EQ((*Model("c11")).for_exploration(), nullptr); }

}  // namespace heddle::testing
