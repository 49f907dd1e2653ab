// What the parts cost, one by one: for finding out where time goes. `make bench` measures the whole.
#include <benchmark/benchmark.h>

#include <memory>

#include "base/hash.hpp"
#include "base/random.hpp"
#include "engine/isolation/fiber.hpp"
#include "engine/isolation/thread_pointer.hpp"
#include "graph/execution_graph.hpp"
#include "models/memory_model.hpp"
#include "races/detector.hpp"
#include "strategies/random.hpp"

namespace heddle {

namespace {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::LocationId;
using graph::MemoryOrder;
using graph::ThreadId;

class Memory {
 public:
  explicit Memory(std::size_t size)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), arena_({bytes_.get(), size}) {}
  base::Arena& arena() { return arena_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  base::Arena arena_;
};

Event draft(EventKind kind, MemoryOrder order, std::uint32_t thread, std::uint32_t location) {
  Event event;
  event.kind = kind;
  event.order = order;
  event.size = 4;
  event.thread = ThreadId{thread};
  event.location = LocationId{location};
  return event;
}

void fill(ExecutionGraph& graph) {
  for (std::uint32_t t = 0; t < 2; ++t) graph.add_thread(ThreadId{t}, 100 + t);
  for (std::uint32_t l = 0; l < 2; ++l) graph.add_location(200 + l, 4, 0);
}

/// A store and a load that reads it, appended and committed; a new graph every 64 of them.
void store_and_load(benchmark::State& state, const char* name) {
  Memory memory(std::size_t{16} << 20), model_memory(4096);
  const models::MemoryModel* model = models::make_model(name, {}, model_memory.arena());
  ExecutionGraph graph(memory.arena());
  models::ModelState* model_state = nullptr;
  base::ArenaVector<EventId> candidates;
  std::uint32_t count = 0;
  for (auto _ : state) {
    if (count++ % 64 == 0) {
      memory.arena().reset();
      graph.clear();
      model_state = &model->begin_execution(graph, memory.arena());
      candidates.forget();
      fill(graph);
    }
    const EventId store = graph.append(draft(EventKind::store, MemoryOrder::release, 0, 0));
    model_state->commit(store);
    Event read = draft(EventKind::load, MemoryOrder::acquire, 1, 0);
    candidates.clear();
    model_state->readable_writes(read, candidates);
    read.reads_from = candidates.back();
    model_state->commit(graph.append(read));
  }
  state.SetItemsProcessed(state.iterations() * 2);
}
void store_and_load_rc11(benchmark::State& state) { store_and_load(state, "rc11"); }
void store_and_load_c11(benchmark::State& state) { store_and_load(state, "c11"); }
void store_and_load_sc(benchmark::State& state) { store_and_load(state, "sc"); }

/// The candidates of a read that knows nothing of so many writes.
void candidates_of_a_read(benchmark::State& state) {
  Memory memory(std::size_t{64} << 20), model_memory(4096);
  const models::MemoryModel* model = models::make_model("rc11", {}, model_memory.arena());
  ExecutionGraph graph(memory.arena());
  models::ModelState& model_state = model->begin_execution(graph, memory.arena());
  fill(graph);
  for (std::int64_t i = 0; i < state.range(0); ++i)
    model_state.commit(graph.append(draft(EventKind::store, MemoryOrder::relaxed, 0, 0)));
  const Event read = draft(EventKind::load, MemoryOrder::relaxed, 1, 0);
  base::ArenaVector<EventId> candidates;
  for (auto _ : state) {
    candidates.clear();
    model_state.readable_writes(read, candidates);
    benchmark::DoNotOptimize(candidates.back());
  }
}

void hash_of_a_graph(benchmark::State& state) {
  Memory memory(std::size_t{16} << 20), model_memory(4096);
  const models::MemoryModel* model = models::make_model("rc11", {}, model_memory.arena());
  ExecutionGraph graph(memory.arena());
  models::ModelState& model_state = model->begin_execution(graph, memory.arena());
  fill(graph);
  for (int i = 0; i < 16; ++i) model_state.commit(graph.append(draft(EventKind::store, MemoryOrder::relaxed, 0, 0)));
  for (auto _ : state) benchmark::DoNotOptimize(canonical_hash(graph));
  state.SetItemsProcessed(state.iterations() * 16);
}

/// Plain accesses to a block of memory, again and again between the same two events, or each time between others.
void plain_accesses(benchmark::State& state, bool same_stretch) {
  Memory memory(std::size_t{64} << 20);
  races::ShadowMemory shadow(memory.arena());
  Memory execution(std::size_t{1} << 20);
  races::Detector detector(shadow, execution.arena());
  detector.begin_execution(1);
  races::Access access;
  access.size = 8;
  access.thread = ThreadId{0};
  access.index = 1;
  constexpr std::uintptr_t begin = 0x10000, size = 4096;
  for (auto _ : state) {
    for (std::uintptr_t at = begin; at < begin + size; at += 8) {
      if (same_stretch && detector.is_remembered<races::AccessType::plain_read>(detector.place_of(at, 8),
                                                                                {access.thread, access.index}))
        continue;
      access.address = at;
      benchmark::DoNotOptimize(detector.access(access));
    }
    if (!same_stretch) access.index += 2;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(size / 8));
}
void repeated_plain_accesses(benchmark::State& state) { plain_accesses(state, true); }
void new_plain_accesses(benchmark::State& state) { plain_accesses(state, false); }

void join_of_clocks(benchmark::State& state) {
  Memory memory(std::size_t{1} << 20);
  const auto size = static_cast<std::uint32_t>(state.range(0));
  auto a = memory.arena().create_array<std::uint32_t>(size), b = memory.arena().create_array<std::uint32_t>(size);
  for (std::uint32_t i = 0; i < size; ++i) (i % 2 == 0 ? a : b)[i] = i + 1;
  const base::VectorClock left(size, a.data()), right(size, b.data());
  const std::size_t used = memory.arena().used();
  for (auto _ : state) {
    memory.arena().rewind(used);
    benchmark::DoNotOptimize(base::VectorClock::join(memory.arena(), &left, &right));
  }
}

void random_choice(benchmark::State& state) {
  strategies::RandomStrategy strategy(1, 1);
  strategy.begin_execution(1);
  strategies::Option options[4];
  const strategies::Choice choice{strategies::ChoiceKind::reads_from, ThreadId{0}, options};
  for (auto _ : state) benchmark::DoNotOptimize(strategy.choose(choice));
}

void set_thread_pointer(benchmark::State& state) {
  const std::uintptr_t own = engine::thread_pointer();
  for (auto _ : state) engine::set_thread_pointer(own);
}

BENCHMARK(store_and_load_rc11);
BENCHMARK(store_and_load_c11);
BENCHMARK(store_and_load_sc);
BENCHMARK(candidates_of_a_read)->Arg(1)->Arg(16)->Arg(256);
BENCHMARK(hash_of_a_graph);
BENCHMARK(repeated_plain_accesses);
BENCHMARK(new_plain_accesses);
BENCHMARK(join_of_clocks)->Arg(2)->Arg(16);
BENCHMARK(random_choice);
BENCHMARK(set_thread_pointer);

}  // namespace

}  // namespace heddle

BENCHMARK_MAIN();
