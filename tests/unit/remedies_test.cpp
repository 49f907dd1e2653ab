// What heddle predict says of a cycle holds: a cycle that may not happen never does, and the fences and memory orders
// that it advises forbid the cycle. Shown by exploring every execution of a program that has just the accesses of the
// cycle.
#include "prediction/remedies.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "litmus/exhaustive.hpp"
#include "litmus/interpreter.hpp"
#include "litmus/parser.hpp"
#include "strategies/cycle_occurrence.hpp"

namespace heddle::prediction {

namespace {

using strategies::Cycle;

constexpr const char* models[] = {"tso", "pso", "pslo", "rc11"};

const char* order_of(AccessKind kind, bool acquires, bool releases) {
  if (kind == AccessKind::rmw && acquires && releases) return "memory_order_acq_rel";
  return acquires ? "memory_order_acquire" : releases ? "memory_order_release" : "memory_order_relaxed";
}

std::string access(AccessKind kind, char location, const char* order, const std::string& result) {
  if (kind == AccessKind::store) return std::string("atomic_store_explicit(") + location + ",1," + order + ");\n";
  if (kind == AccessKind::load) return "int " + result + " = atomic_load_explicit(" + location + "," + order + ");\n";
  return "int " + result + " = atomic_fetch_add_explicit(" + location + ",1," + order + ");\n";
}

/// Thread i makes the accesses of pair i. The conflict between pairs i and i + 1 is at location i, or at that of the
/// pair before if pair i is a single access.
std::string program(const std::vector<PairKinds>& cycle, const std::vector<Remedy>& remedies) {
  const std::string names = "wxyz";
  std::string text = "C cycle\n{ w=0; x=0; y=0; z=0; }\n";
  const std::size_t size = cycle.size();
  const auto location_after = [&](std::size_t i) { return names[cycle[i].is_single ? (i + size - 1) % size : i]; };
  for (std::size_t i = 0; i < size; ++i) {
    const PairKinds& pair = cycle[i];
    const Remedy& remedy = remedies[i];
    const char before = location_after((i + size - 1) % size), after = location_after(i);
    text += "P" + std::to_string(i) + " (atomic_int* w, atomic_int* x, atomic_int* y, atomic_int* z) {\n";
    text += access(pair.first, before,
                   order_of(pair.first, remedy.acquire_first, pair.is_single && remedy.release_second), "r0");
    if (remedy.needs_fence) text += "atomic_thread_fence(memory_order_seq_cst);\n";
    if (!pair.is_single) text += access(pair.second, after, order_of(pair.second, false, remedy.release_second), "r1");
    text += "}\n";
  }
  return text + "exists (w=0)\n";
}

/// Whether an execution of the program has the cycle.
bool happens(const std::vector<PairKinds>& kinds, const std::vector<Remedy>& remedies, const char* model_name) {
  const std::string text = program(kinds, remedies);
  const auto test = litmus::parse_test(text, "test");
  EXPECT_TRUE(test) << text;
  auto memory = std::make_unique<std::byte[]>(1 << 20);
  base::Arena arena{{memory.get(), 1 << 20}};
  const models::MemoryModel* model = models::make_model(model_name, {}, arena);
  Cycle cycle;
  for (std::uint32_t i = 0; i < kinds.size(); ++i)
    cycle.pairs[cycle.size++] = {10 * i, kinds[i].is_single ? 10 * i : 10 * i + 1, kinds[i].is_single ? 1U : 0U};
  bool is_there = false;
  litmus::explore(*test, *model, [&](const litmus::Interpreter& execution) {
    const graph::ExecutionGraph& graph = execution.graph();
    std::vector<strategies::LabelledEvent> accesses;
    for (const graph::Event& event : graph.events()) {
      const graph::EventId id{static_cast<std::uint32_t>(&event - graph.events().data())};
      if (event.thread != graph::no_thread && accesses_memory(event.kind))
        accesses.push_back({id, 10 * number(event.thread) + (event.index == 2 ? 0U : 1U)});
    }
    graph::EventId found[2 * Cycle::most_pairs];
    is_there |= find_occurrence(graph, cycle, accesses, arena, found);
  });
  return is_there;
}

bool is_conflict(AccessKind a, AccessKind b) { return a != AccessKind::load || b != AccessKind::load; }

}  // namespace

TEST(Remedies, HoldForEveryCycleOfTwoThreads) {
  constexpr AccessKind kinds[] = {AccessKind::load, AccessKind::store, AccessKind::rmw};
  int confirmed = 0;
  for (const AccessKind a : kinds)
    for (const AccessKind b : kinds)
      for (const AccessKind c : kinds)
        for (const AccessKind d : kinds) {
          if (!is_conflict(b, c) || !is_conflict(d, a)) continue;
          const std::vector<PairKinds> cycle = {{.first = a, .second = b}, {.first = c, .second = d}};
          for (const char* model : models) {
            const std::string text = program(cycle, std::vector<Remedy>(2));
            const bool is_possible = happens(cycle, std::vector<Remedy>(2), model);
            if (is_possible) {
              ++confirmed;
              EXPECT_TRUE(may_happen(cycle, model)) << model << "\n" << text;
            }
            EXPECT_FALSE(happens(cycle, remedies_of(cycle, model), model)) << model << "\n" << text;
            EXPECT_FALSE(happens(cycle, remedies_of(cycle, {"tso", "pso", "pslo", "rc11"}), model)) << model << "\n"
                                                                                                    << text;
          }
        }
  EXPECT_GT(confirmed, 80);
}

TEST(Remedies, HoldForCyclesOfThreeAndFourThreads) {
  constexpr AccessKind load = AccessKind::load, store = AccessKind::store;
  const std::vector<std::vector<PairKinds>> cycles = {
      {{store, store, true}, {load, store, false}, {load, load, false}},                       // WRC
      {{store, load, false}, {store, load, false}, {store, load, false}},                      // 3.SB
      {{store, store, false}, {store, store, false}, {load, load, false}},                     // Z6.3
      {{store, store, true}, {load, load, false}, {store, store, true}, {load, load, false}},  // IRIW
  };
  for (const auto& cycle : cycles)
    for (const char* model : models) {
      const bool is_possible = happens(cycle, std::vector<Remedy>(cycle.size()), model);
      EXPECT_EQ(is_possible, may_happen(cycle, model)) << model << "\n"
                                                       << program(cycle, std::vector<Remedy>(cycle.size()));
      EXPECT_FALSE(happens(cycle, remedies_of(cycle, model), model)) << model << "\n"
                                                                     << program(cycle, remedies_of(cycle, model));
    }
}

}  // namespace heddle::prediction
