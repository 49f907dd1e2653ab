// heddle fix and weaken: the search over memory orders against brute force, and witnesses against the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "litmus/enumerator.hpp"
#include "litmus/parser.hpp"
#include "models/rc11.hpp"
#include "orders/minimal_search.hpp"
#include "orders/witness.hpp"
#include "random_program.hpp"

namespace heddle::orders {

namespace {

using enum MemoryOrder;
using testing::Operation;
using testing::Program;

std::vector<Assignment> all_between(const Box& box) {
  std::vector<Assignment> all{{}};
  for (std::size_t d = 0; d < box.operations.size(); ++d) {
    std::vector<Assignment> longer;
    for (const Assignment& begin : all)
      for (const MemoryOrder order : orders_of(box.operations[d])) {
        if (!is_at_most(box.lowest[d], order) || !is_at_most(order, box.highest[d])) continue;
        longer.push_back(begin);
        longer.back().push_back(order);
      }
    all = std::move(longer);
  }
  return all;
}

MemoryOrder random_order(base::Random& random, SiteOperation operation) {
  const auto orders = orders_of(operation);
  return orders[random.below(orders.size())];
}

/// What is above one of some assignments is right. A wrong run teaches a maximal wrong assignment, as a witness does,
/// or nothing but itself.
class DrawnOracle final : public Oracle {
 public:
  DrawnOracle(base::Random& random, const Box& box, std::size_t rights, bool has_witnesses)
      : random_(random), box_(box), has_witnesses_(has_witnesses) {
    for (std::size_t i = 0; i < rights; ++i) {
      Assignment right;
      for (const SiteOperation operation : box.operations) right.push_back(random_order(random, operation));
      rights_.push_back(right);
    }
  }

  bool is_right(const Assignment& assignment) const {
    return std::any_of(rights_.begin(), rights_.end(),
                       [&](const Assignment& right) { return orders::is_at_most(right, assignment); });
  }

  bool is_known_wrong(const Assignment& assignment) override {
    return std::any_of(wrong_.begin(), wrong_.end(),
                       [&](const Assignment& wrong) { return orders::is_at_most(assignment, wrong); });
  }

  std::vector<Judgement> run(std::span<const Assignment> assignments) override {
    std::vector<Judgement> judgements;
    for (const Assignment& assignment : assignments) {
      ++runs;
      judgements.push_back(is_right(assignment) ? Judgement::right : Judgement::wrong);
      if (judgements.back() == Judgement::wrong) wrong_.push_back(has_witnesses_ ? raised(assignment) : assignment);
    }
    return judgements;
  }

  std::uint64_t runs = 0;

 private:
  Assignment raised(Assignment wrong) {
    for (int step = 0; step < 40; ++step) {
      const std::size_t d = random_.below(wrong.size());
      Assignment higher = wrong;
      higher[d] = random_order(random_, box_.operations[d]);
      if (orders::is_at_most(wrong[d], higher[d]) && !is_right(higher)) wrong = higher;
    }
    return wrong;
  }

  base::Random& random_;
  const Box& box_;
  bool has_witnesses_;
  std::vector<Assignment> rights_, wrong_;
};

Box random_box(base::Random& random) {
  Box box;
  const std::size_t dimensions = 1 + random.below(5);
  for (std::size_t d = 0; d < dimensions; ++d) {
    box.operations.push_back(static_cast<SiteOperation>(random.below(6)));
    box.lowest.push_back(random.below(3) == 0 ? random_order(random, box.operations[d]) : weakest(box.operations[d]));
    box.highest.push_back(strongest(box.operations[d]));
    if (random.below(3) == 0) {
      const MemoryOrder lower = random_order(random, box.operations[d]);
      if (orders::is_at_most(box.lowest[d], lower)) box.highest[d] = lower;
    }
    box.priority.insert(box.priority.begin() + static_cast<std::ptrdiff_t>(random.below(d + 1)), d);
  }
  return box;
}

std::set<Assignment> minimal_by_brute_force(const Box& box, const DrawnOracle& oracle) {
  std::set<Assignment> right;
  for (const Assignment& assignment : all_between(box))
    if (oracle.is_right(assignment)) right.insert(assignment);
  std::set<Assignment> minimal;
  for (const Assignment& assignment : right)
    if (std::none_of(right.begin(), right.end(), [&](const Assignment& other) {
          return other != assignment && orders::is_at_most(other, assignment);
        }))
      minimal.insert(assignment);
  return minimal;
}

// ---- witnesses ------------------------------------------------------------------------------------------------

SiteOperation operation_of(Operation::Kind kind) {
  switch (kind) {
    case Operation::Kind::load: return SiteOperation::load;
    case Operation::Kind::store: return SiteOperation::store;
    case Operation::Kind::fence: return SiteOperation::fence;
    case Operation::Kind::fetch_add: return SiteOperation::read_modify_write;
    default: return SiteOperation::compare_exchange;
  }
}

/// Two dimensions for each operation: its order, and that of a failed compare-exchange.
Program with_orders(Program program, const Assignment& assignment) {
  std::size_t d = 0;
  for (auto& thread : program.threads)
    for (Operation& op : thread) {
      // A fence that is left out stays as a relaxed one.
      op.order = assignment[d] == plain ? relaxed : assignment[d];
      op.failure_order = assignment[d + 1];
      d += 2;
    }
  return program;
}

Assignment random_assignment(base::Random& random, const Program& program) {
  Assignment assignment;
  for (const auto& thread : program.threads)
    for (const Operation& op : thread) {
      assignment.push_back(random_order(random, operation_of(op.kind)));
      assignment.push_back(random_order(random, SiteOperation::failed_exchange));
    }
  return assignment;
}

Assignment weakest_assignment(const Program& program) {
  Assignment assignment;
  for (const auto& thread : program.threads)
    for (const Operation& op : thread) {
      assignment.push_back(weakest(operation_of(op.kind)));
      assignment.push_back(relaxed);
    }
  return assignment;
}

std::vector<std::size_t> positions_in_threads(const graph::ExecutionGraph& graph) {
  std::vector<std::size_t> positions, seen;
  for (const graph::Event& event : graph.events()) {
    if (event.thread == graph::no_thread) {
      positions.push_back(0);
      continue;
    }
    if (seen.size() <= number(event.thread)) seen.resize(number(event.thread) + 1);
    const bool is_operation = accesses_memory(event.kind) || event.kind == graph::EventKind::fence;
    positions.push_back(is_operation ? seen[number(event.thread)]++ : 0);
  }
  return positions;
}

/// Program order, reads-from and modification order, without the memory orders.
std::string shape_of(const graph::ExecutionGraph& graph) {
  const auto name = [&](graph::EventId id) {
    const graph::Event& event = graph.event(id);
    if (event.thread == graph::no_thread) return "i" + std::to_string(graph.location(event.location).name);
    return std::to_string(graph.thread(event.thread).name) + "." + std::to_string(event.index);
  };
  std::set<std::string> parts;
  for (std::size_t i = 0; i < graph.events().size(); ++i) {
    const graph::Event& event = graph.events()[i];
    if (event.thread == graph::no_thread) continue;
    std::string part =
        name(graph::EventId{static_cast<std::uint32_t>(i)}) + "k" + std::to_string(static_cast<int>(event.kind));
    if (reads(event.kind)) part += "r" + name(event.reads_from);
    if (writes(event.kind))
      part += "m" + name(graph.location(event.location).modification_order[event.mo_position - 1]);
    parts.insert(part);
  }
  std::string shape;
  for (const std::string& part : parts) shape += part + " ";
  return shape;
}

Witness witness_of(const graph::ExecutionGraph& graph, const Program& program,
                   const std::vector<std::size_t>& thread_of) {
  constexpr std::uint32_t nothing = 0xffffffffU;
  Witness witness;
  witness.threads = static_cast<std::uint32_t>(graph.threads().size());
  witness.locations = static_cast<std::uint32_t>(graph.locations().size());
  std::vector<std::uint32_t> first;  // dimension of each thread
  std::uint32_t dimension = 0;
  for (const auto& thread : program.threads) {
    first.push_back(dimension);
    dimension += 2 * static_cast<std::uint32_t>(thread.size());
  }
  const auto positions = positions_in_threads(graph);
  for (std::size_t i = 0; i < graph.events().size(); ++i) {
    const graph::Event& from = graph.events()[i];
    WitnessEvent event;
    event.kind = from.kind;
    event.order = from.order;
    event.size = from.size;
    event.is_failed_exchange = is_failed_exchange(from);
    event.thread = from.thread == graph::no_thread ? nothing : number(from.thread);
    event.index = from.index;
    event.location = from.location == graph::no_location ? nothing : number(from.location);
    event.reads_from = from.reads_from == graph::no_event ? nothing : number(from.reads_from);
    event.mo_position = from.mo_position;
    for (const graph::EventId release : from.synchronised) event.synchronised.push_back(number(release));
    const bool is_operation = accesses_memory(from.kind) || from.kind == graph::EventKind::fence;
    if (from.thread != graph::no_thread && is_operation && thread_of[number(from.thread)] < program.threads.size()) {
      const std::size_t thread = thread_of[number(from.thread)];
      const std::uint32_t own = first[thread] + 2 * static_cast<std::uint32_t>(positions[i]);
      event.dimension = event.is_failed_exchange ? own + 1 : own;
      if (event.is_failed_exchange) event.success_dimension = own;
    }
    witness.events.push_back(event);
  }
  return witness;
}

}  // namespace

TEST(OrderLattice, OneStepWeakerIsWeakerWithNothingBetween) {
  for (int i = 0; i < 8; ++i) {
    const auto operation = static_cast<SiteOperation>(i);
    for (const MemoryOrder order : orders_of(operation))
      for (const MemoryOrder weaker : one_step_weaker(operation, order)) {
        EXPECT_TRUE(is_at_most(weaker, order));
        for (const MemoryOrder between : orders_of(operation))
          EXPECT_FALSE(between != order && between != weaker && is_at_most(weaker, between) &&
                       is_at_most(between, order));
      }
    EXPECT_TRUE(one_step_weaker(operation, weakest(operation)).empty());
  }
}

TEST(OrderLattice, OrdersWithoutAnEffectOfTheirOwnAreThoseWithTheSame) {
  EXPECT_EQ(effective(SiteOperation::load, consume), acquire);
  EXPECT_EQ(effective(SiteOperation::load, acq_rel), acquire);
  EXPECT_EQ(effective(SiteOperation::fence, relaxed), plain);
  EXPECT_EQ(effective(SiteOperation::compare_exchange, consume), acquire);
}

// Two thousand boxes, so a way to miss an answer in one of 300 of them shows with 99.9 %.
TEST(MinimalSearch, FindsTheAnswersOfBruteForce) {
  base::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Box box = random_box(random);
    DrawnOracle oracle(random, box, random.below(5), i % 2 == 0);
    const MinimalAnswers found = find_minimal(box, oracle, {.most_answers = 100'000, .batch = 1 + random.below(8)});
    EXPECT_TRUE(found.is_complete);
    EXPECT_EQ(std::set(found.answers.begin(), found.answers.end()), minimal_by_brute_force(box, oracle)) << i;
    EXPECT_EQ(std::set(found.answers.begin(), found.answers.end()).size(), found.answers.size());
  }
}

TEST(MinimalSearch, AWitnessSavesTheRunsOfWhatItExcludes) {
  base::Random random(2);
  std::uint64_t with = 0, without = 0;
  for (int i = 0; i < 200; ++i) {
    const Box box = random_box(random);
    base::Random same(random.next());
    base::Random copy = same;
    DrawnOracle learning(same, box, 2, true), other(copy, box, 2, false);
    (void)find_minimal(box, learning, {.most_answers = 100'000});
    (void)find_minimal(box, other, {.most_answers = 100'000});
    with += learning.runs;
    without += other.runs;
  }
  EXPECT_LT(with * 2, without);
}

TEST(Witness, ShowsUnderTheOrdersThatTheModelAllowsItUnder) {
  std::array<std::byte, 256> memory{};
  base::Arena arena(memory);
  const models::MemoryModel& model = *models::make_model("rc11", {}, arena);
  std::vector<std::byte> scratch_memory(std::size_t{64} << 20);
  base::Arena scratch(scratch_memory);
  base::Random random(3);
  testing::Shape shape;
  shape.most_threads = 3;
  shape.most_events = 7;
  std::size_t compared = 0, refused = 0;
  for (int tried = 0; tried < 1000; ++tried) {
    const Program program = tried % 2 == 0 ? random_program(random, shape) : random_cycle(random, shape);
    std::vector<std::pair<std::string, WitnessCheck>> witnesses;
    std::set<std::string> seen;
    const auto weak = litmus::parse_test(with_orders(program, weakest_assignment(program)).text(), "weak");
    ASSERT_TRUE(weak) << weak.problem().text;
    litmus::enumerate(*weak, *model.for_exploration(), [&](const litmus::Interpreter& run) {
      const std::string graph = shape_of(run.graph());
      if (!seen.insert(graph).second || witnesses.size() > 400) return;
      std::vector<std::size_t> thread_of(run.graph().threads().size());
      for (std::size_t t = 0; t < thread_of.size(); ++t) thread_of[t] = t;
      witnesses.emplace_back(graph, WitnessCheck(witness_of(run.graph(), program, thread_of), model, {}));
    });
    if (seen.size() > 400) continue;
    for (int i = 0; i < 4; ++i) {
      const Assignment assignment = random_assignment(random, program);
      const auto test = litmus::parse_test(with_orders(program, assignment).text(), "strong");
      ASSERT_TRUE(test) << test.problem().text;
      std::set<std::string> possible;
      litmus::enumerate(*test, *model.for_exploration(),
                        [&](const litmus::Interpreter& run) { possible.insert(shape_of(run.graph())); });
      for (const std::string& graph : possible) EXPECT_TRUE(seen.contains(graph)) << "behaviour is not monotone";
      for (auto& [graph, witness] : witnesses) {
        EXPECT_EQ(witness.shows_under(assignment, scratch), possible.contains(graph))
            << with_orders(program, assignment).text() << graph;
        ++compared;
        refused += possible.contains(graph) ? 0 : 1;
      }
    }
  }
  EXPECT_GT(compared, 5000U);
  EXPECT_GT(refused, 200U);
}

// T0 writes data plainly between its start and a store of a flag; T1 loads the flag and reads data.
TEST(Witness, ARaceShowsUntilItsAccessesAreOrdered) {
  std::array<std::byte, 256> memory{};
  base::Arena arena(memory);
  const models::MemoryModel& model = *models::make_model("rc11", {}, arena);
  std::vector<std::byte> scratch_memory(std::size_t{16} << 20);
  base::Arena scratch(scratch_memory);
  Witness witness;
  witness.threads = 2;
  witness.locations = 1;
  witness.events.push_back({.kind = graph::EventKind::init, .size = 4, .location = 0});
  witness.events.push_back({.kind = graph::EventKind::store,
                            .size = 4,
                            .thread = 0,
                            .index = 2,
                            .location = 0,
                            .mo_position = 1,
                            .dimension = 0});
  witness.events.push_back({.kind = graph::EventKind::load,
                            .size = 4,
                            .thread = 1,
                            .index = 2,
                            .location = 0,
                            .reads_from = 1,
                            .dimension = 1});
  witness.race = {{0, 1}, {1, 3}};
  WitnessCheck check(witness, model, {});
  EXPECT_TRUE(check.shows_under({relaxed, relaxed}, scratch));
  EXPECT_TRUE(check.shows_under({release, relaxed}, scratch));
  EXPECT_TRUE(check.shows_under({relaxed, seq_cst}, scratch));
  EXPECT_FALSE(check.shows_under({release, acquire}, scratch));
  EXPECT_FALSE(check.shows_under({seq_cst, seq_cst}, scratch));
}

}  // namespace heddle::orders
