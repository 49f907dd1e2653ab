// The bound on preemptions against brute force: over all orders of the events of a graph, and over all graphs.
#include "exploration/preemptions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "exploration/exploration.hpp"
#include "litmus/interpreter.hpp"
#include "litmus/parser.hpp"
#include "random_program.hpp"

namespace heddle::testing {

namespace {

using exploration::ExecutionOrders;
using exploration::Exploration;
using graph::Event;
using graph::EventId;

class StopsWhenAbandoned final : public litmus::RunObserver {
 public:
  explicit StopsWhenAbandoned(const Exploration& search) : search_(search) {}
  bool may_continue(const graph::ExecutionGraph&, const models::ModelState&) override {
    return !search_.is_abandoned();
  }

 private:
  const Exploration& search_;
};

/// The fewest preemptions of all orders of the graph's events: each order is written down and its switches are counted.
class BruteForce {
 public:
  BruteForce(const graph::ExecutionGraph& graph, ExecutionOrders orders) {
    for (std::uint32_t i = 0; i < graph.events().size(); ++i)
      if (graph.event(EventId{i}).thread != graph::no_thread) events_.push_back(graph.event(EventId{i}));
    const auto position = [&](const Event& event) { return event.mo_position; };
    for (const Event& a : events_) {
      std::vector<bool> before;
      for (const Event& b : events_) {
        bool is_before = b.thread == a.thread && b.index < a.index;
        if (reads(a.kind)) {
          const Event& source = graph.event(a.reads_from);
          is_before = is_before || (source.thread == b.thread && source.index == b.index);
        }
        if (orders == ExecutionOrders::sequential && accesses_memory(a.kind) && accesses_memory(b.kind) &&
            a.location == b.location && writes(a.kind)) {
          const std::uint32_t place = writes(b.kind) ? position(b) : position(graph.event(b.reads_from));
          is_before = is_before || place < position(a);
        }
        before.push_back(is_before);
      }
      before_.push_back(before);
    }
    done_.assign(events_.size(), false);
  }

  std::uint64_t least() {
    extend(0, graph::no_thread, 0);
    return least_;
  }

 private:
  bool has_more(graph::ThreadId thread) const {
    for (std::size_t i = 0; i < events_.size(); ++i)
      if (events_[i].thread == thread && !done_[i]) return true;
    return false;
  }
  void extend(std::size_t count, graph::ThreadId last, std::uint64_t preemptions) {
    if (count == events_.size()) least_ = std::min(least_, preemptions);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      bool is_possible = !done_[i];
      for (std::size_t j = 0; j < events_.size(); ++j) is_possible = is_possible && (!before_[i][j] || done_[j]);
      if (!is_possible) continue;
      const bool is_preemption = last != graph::no_thread && last != events_[i].thread && has_more(last);
      done_[i] = true;
      extend(count + 1, events_[i].thread, preemptions + (is_preemption ? 1 : 0));
      done_[i] = false;
    }
  }

  std::vector<Event> events_;
  std::vector<std::vector<bool>> before_;
  std::vector<bool> done_;
  std::uint64_t least_ = 1000;
};

struct Explored {
  std::set<std::uint64_t> within;                      ///< graphs within the bound
  std::map<std::uint64_t, std::uint64_t> preemptions;  ///< of all graphs, by brute force
  std::size_t cut_off = 0;
};

Explored explore(const litmus::Test& test, const models::MemoryModel& model, std::uint64_t most,
                 ExecutionOrders orders) {
  constexpr std::size_t arena_size = std::size_t{4} << 20;
  static std::vector<std::byte> memory(2 * arena_size);
  base::Arena run_arena({memory.data(), arena_size}), pending_arena({memory.data() + arena_size, arena_size});
  litmus::Interpreter interpreter(test, *model.for_exploration());
  Exploration search(interpreter.graph(), run_arena, pending_arena);
  search.set_preemption_bound(most, orders);
  StopsWhenAbandoned observer(search);
  Explored explored;
  while (interpreter.run(search, 0, &observer)) {
    if (search.is_cut_off()) ++explored.cut_off;
    if (search.is_abandoned()) continue;
    const std::uint64_t hash = canonical_hash(interpreter.graph());
    if (most == strategies::no_switch_bound) {
      explored.preemptions[hash] = BruteForce(interpreter.graph(), orders).least();
    } else if (!search.is_beyond_bound()) {
      EXPECT_TRUE(explored.within.insert(hash).second) << "a graph was visited twice";
    }
  }
  return explored;
}

void check_random_programs(const char* name, ExecutionOrders orders, std::uint64_t seed) {
  alignas(std::max_align_t) std::array<std::byte, 256> memory{};
  base::Arena arena(memory);
  const models::MemoryModel* model = models::make_model(name, {}, arena);
  base::Random random(seed, 1);
  std::map<std::uint64_t, std::size_t> graphs;
  for (int i = 0; i < 120; ++i) {
    Shape shape;
    shape.most_threads = 2 + static_cast<std::uint32_t>(random.below(3));
    shape.most_events = 8;
    shape.most_locations = 2;
    const Program program = random_program(random, shape);
    const auto test = litmus::parse_test(program.text(), "random");
    ASSERT_TRUE(test) << test.problem().text;
    const Explored all = explore(*test, *model, strategies::no_switch_bound, orders);
    for (std::uint64_t most = 0; most < 4; ++most) {
      std::set<std::uint64_t> expected;
      for (const auto& [hash, preemptions] : all.preemptions)
        if (preemptions <= most) expected.insert(hash);
      const Explored bounded = explore(*test, *model, most, orders);
      EXPECT_EQ(bounded.within, expected) << "with at most " << most << " preemptions\n" << program.text();
    }
    for (const auto& [hash, preemptions] : all.preemptions) ++graphs[preemptions];
  }
  EXPECT_GT(graphs[0], 100U);
  EXPECT_GT(graphs[1], 100U);
  EXPECT_GT(graphs[2], 10U);
}

TEST(PreemptionsTest, AreThoseOfBruteForceUnderSc) { check_random_programs("sc", ExecutionOrders::sequential, 1); }

TEST(PreemptionsTest, AreThoseOfBruteForceUnderRc11) {
  check_random_programs("rc11", ExecutionOrders::program_and_reads, 2);
}

TEST(PreemptionsTest, ABoundCutsSearchesShort) {
  std::string text = "C test\n{ x=0; }\n";
  for (int t = 0; t < 3; ++t) {
    text += "P" + std::to_string(t) + " (atomic_int* x) {\n";
    for (int i = 0; i < 3; ++i) text += "int r" + std::to_string(i) + " = atomic_fetch_add(x,1);\n";
    text += "}\n";
  }
  const auto test = litmus::parse_test(text + "exists (true)\n", "test");
  ASSERT_TRUE(test) << test.problem().text;
  alignas(std::max_align_t) std::array<std::byte, 256> memory{};
  base::Arena arena(memory);
  const models::MemoryModel* model = models::make_model("sc", {}, arena);
  const Explored none = explore(*test, *model, 0, ExecutionOrders::sequential);
  EXPECT_EQ(none.within.size(), 6U);  // the orders of whole threads
  EXPECT_GT(none.cut_off, 0U);
}

}  // namespace

}  // namespace heddle::testing
