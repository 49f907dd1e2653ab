// Two graphs grow in step, by the same random operations; one of them forgets every now and then. Neither may ever
// offer what the other does not, and both have one hash.
#include "graph/forgetting.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "models/memory_model.hpp"

namespace heddle::graph {

namespace {

constexpr std::uint32_t thread_count = 3;
constexpr std::uint32_t location_count = 4;
constexpr std::size_t arena_size = std::size_t{64} << 20;

struct Side {
  explicit Side(const models::MemoryModel& model)
      : memory{allocate(), allocate(), allocate()}, graph(arenas[0]), state(model.begin_execution(graph, state_arena)) {
    for (std::uint32_t t = 0; t < thread_count; ++t) graph.add_thread(ThreadId{t}, 100 + t);
    for (std::uint32_t l = 0; l < location_count; ++l) locations[l] = graph.add_location(200 + l, 4, 0);
  }
  static std::unique_ptr<std::byte[]> allocate() { return std::make_unique_for_overwrite<std::byte[]>(arena_size); }

  void forget() {
    std::vector<Actor> actors;
    for (std::uint32_t t = 0; t < thread_count; ++t)
      if (alive[t]) actors.push_back({graph.thread(ThreadId{t}).clock, ThreadId{t}});
    std::vector<EventId*> named;
    if (unlocked != no_event) named.push_back(&unlocked);
    used = 1 - used;
    arenas[used].reset();
    const Renaming renamed = graph.forget({actors, named, {}, {}, events_apart ? &arenas[2] : nullptr}, arenas[used]);
    state.forget(renamed);
  }
  std::size_t bytes() const { return arenas[used].used() + graph.events().size() * sizeof(Event); }

  std::unique_ptr<std::byte[]> memory[3];
  base::Arena arenas[3] = {base::Arena({memory[0].get(), arena_size}), base::Arena({memory[1].get(), arena_size}),
                           base::Arena({memory[2].get(), arena_size})};
  bool events_apart = false;
  int used = 0;
  ExecutionGraph graph;
  std::byte state_memory[1024];
  base::Arena state_arena{state_memory};
  models::ModelState& state;
  EventId unlocked = no_event;
  LocationId locations[location_count] = {};  ///< their numbers, which need not be those of the other graph
  bool alive[thread_count] = {true, true, true};
};

/// A write by its name, which is the same in both graphs.
struct Name {
  ThreadId thread;
  std::uint32_t index;
  bool operator==(const Name&) const = default;
};

class Pair {
 public:
  Pair(const char* model, std::uint64_t seed, bool with_seq_cst)
      : random_(seed), with_seq_cst_(with_seq_cst), model_arena_({model_memory_, sizeof model_memory_}),
        model_(models::make_model(model, {}, model_arena_)) {
    forgetting_.events_apart = seed % 2 == 0;
  }

  void step() {
    const ThreadId thread{static_cast<std::uint32_t>(random_.below(living_))};
    const std::uint64_t kind = random_.below(10);
    if (kind < 4)
      read(draft(EventKind::load, thread));
    else if (kind < 7)
      write(draft(EventKind::store, thread));
    else if (kind == 7)
      read(draft(EventKind::rmw, thread));
    else if (kind == 8)
      add(fence(thread));
    else
      hand_over(thread);
  }
  void forget() { forgetting_.forget(); }
  /// The last thread ends: no thread waits for what it might have read.
  void end_a_thread() {
    if (living_ == 1) return;
    --living_;
    forgetting_.alive[living_] = false;
  }
  /// Memory becomes something else.
  void replace_a_location() {
    const std::uint64_t l = random_.below(location_count);
    for (int side = 0; side < 2; ++side) {
      LocationId& id = this->side(side).locations[l];
      graph(side).retire(id);
      id = graph(side).add_location(300 + replaced_, 4, 0);
    }
    ++replaced_;
  }
  std::uint32_t replaced() const { return replaced_; }
  std::size_t kept_locations() const { return forgetting_.graph.locations().size(); }
  bool same_hash() const { return forgetting_.graph.kept_hash() == canonical_hash(keeping_.graph); }
  std::size_t kept() const { return forgetting_.graph.events().size(); }
  std::size_t all() const { return keeping_.graph.events().size(); }

 private:
  MemoryOrder any_order() {
    constexpr MemoryOrder orders[] = {MemoryOrder::relaxed, MemoryOrder::acquire, MemoryOrder::release,
                                      MemoryOrder::acq_rel, MemoryOrder::seq_cst};
    return orders[random_.below(with_seq_cst_ ? 5 : 4)];
  }
  Event draft(EventKind kind, ThreadId thread) {
    Event event;
    event.kind = kind;
    event.order = any_order();
    event.size = 4;
    event.thread = thread;
    location_ = random_.below(location_count);
    event.written = random_.next();
    return event;
  }
  Event fence(ThreadId thread) {
    Event event;
    event.kind = EventKind::fence;
    event.order = any_order();
    event.thread = thread;
    return event;
  }

  static std::vector<Name> names(const ExecutionGraph& graph, const base::ArenaVector<EventId>& ids) {
    std::vector<Name> result;
    for (const EventId id : ids) result.push_back({graph.event(id).thread, graph.event(id).index});
    return result;
  }

  void read(Event event) {
    base::ArenaVector<EventId> candidates[2];
    for (int side = 0; side < 2; ++side) {
      event.location = this->side(side).locations[location_];
      this->side(side).state.readable_writes(event, candidates[side]);
    }
    ASSERT_EQ(names(graph(0), candidates[0]), names(graph(1), candidates[1]));
    const std::size_t chosen = random_.below(candidates[0].size());
    for (int side = 0; side < 2; ++side) {
      event.location = this->side(side).locations[location_];
      event.reads_from = candidates[side][chosen];
      const Event& source = graph(side).event(event.reads_from);
      add_to(side, event, event.kind == EventKind::rmw ? source.mo_position + 1 : ExecutionGraph::newest);
    }
  }
  void write(Event event) {
    base::ArenaVector<std::uint32_t> slots[2];
    for (int side = 0; side < 2; ++side) {
      event.location = this->side(side).locations[location_];
      this->side(side).state.mo_slots(event, slots[side]);
      const std::size_t newest = graph(side).location(event.location).modification_order.size();
      ASSERT_TRUE(!this->side(side).state.goes_last(event) || (slots[side].size() == 1 && slots[side][0] == newest));
    }
    ASSERT_EQ(slots[0].size(), slots[1].size());
    const std::size_t chosen = random_.below(slots[0].size());
    for (int side = 0; side < 2; ++side) {
      event.location = this->side(side).locations[location_];
      // Counted from the newest, the places are the same.
      const std::size_t size = graph(side).location(event.location).modification_order.size();
      distance_[side] = size - slots[side][chosen];
      add_to(side, event, slots[side][chosen]);
    }
    ASSERT_EQ(distance_[0], distance_[1]);
  }
  void add(const Event& event) {
    for (int side = 0; side < 2; ++side) add_to(side, event, ExecutionGraph::newest);
  }
  /// Gives to a lock, or takes from it what the last one gave.
  void hand_over(ThreadId thread) {
    Event event;
    event.thread = thread;
    event.kind = random_.one_in(2) ? EventKind::unlock : EventKind::lock;
    for (int side = 0; side < 2; ++side) {
      EventId& unlocked = this->side(side).unlocked;
      event.synchronised = {};
      if (event.kind == EventKind::lock && unlocked != no_event) {
        auto copy = graph(side).arena().create_array<EventId>(1);
        copy[0] = unlocked;
        event.synchronised = copy;
      }
      const EventId id = add_to(side, event, ExecutionGraph::newest);
      if (event.kind == EventKind::unlock) unlocked = id;
    }
  }
  EventId add_to(int side, const Event& event, std::uint32_t position) {
    const EventId id = graph(side).append(event, position);
    this->side(side).state.commit(id);
    return id;
  }

  Side& side(int number) { return number == 0 ? forgetting_ : keeping_; }
  ExecutionGraph& graph(int number) { return side(number).graph; }

  base::Random random_;
  bool with_seq_cst_;
  std::byte model_memory_[4096];
  base::Arena model_arena_;
  const models::MemoryModel* model_;
  Side forgetting_{*model_}, keeping_{*model_};
  std::uint32_t living_ = thread_count;
  std::uint64_t location_ = 0;  ///< of the event that is added now
  std::uint32_t replaced_ = 0;
  std::size_t distance_[2] = {};
};

void run_in_step(const char* model, bool with_seq_cst, std::uint64_t seed) {
  Pair pair(model, seed, with_seq_cst);
  base::Random random(seed, 1);
  for (int step = 0; step < 4500 && !::testing::Test::HasFatalFailure(); ++step) {
    pair.step();
    // With seq_cst events, rc11 searches psc until there are more than 256 of them, and forgetting ends that.
    const bool may_forget = !with_seq_cst || step > 2500;
    if (random.one_in(50)) pair.replace_a_location();
    if (may_forget && random.one_in(40)) pair.forget();
    if (step == 3500) pair.end_a_thread();
  }
  EXPECT_TRUE(pair.same_hash()) << model << ", seed " << seed;
  EXPECT_LT(pair.kept(), pair.all() / 2) << model << ", seed " << seed;
  EXPECT_LT(pair.kept_locations(), location_count + pair.replaced() * 3 / 4) << model << ", seed " << seed;
}

/// Thread 0 hands over nodes, each with an atomic of its own, which thread 1 reads and frees; the memory of one in
/// `recycled` comes back. What was freed is told to thread 0 by relaxed stores, so it never synchronises with thread 1.
class Queue {
 public:
  static constexpr std::uint32_t recycled = 32;

  Queue() : model_(models::make_model("rc11", {}, model_arena_)) { side_.events_apart = true; }

  void pass_on(std::uint32_t node) {
    LocationId& next = nodes_[node % recycled];
    if (node >= recycled) side_.graph.retire(next);
    next = side_.graph.add_location(1000 + node % recycled, 4, 0);
    access(EventKind::store, 0, MemoryOrder::release, next);
    access(EventKind::load, 1, MemoryOrder::acquire, next);
    access(EventKind::store, 1, MemoryOrder::relaxed, side_.locations[0]);
    access(EventKind::load, 0, MemoryOrder::relaxed, side_.locations[0]);
    if (node % 1000 == 999) side_.forget();
  }
  /// As above, but thread 0 never learns of the last store.
  void write_only() { access(EventKind::store, 1, MemoryOrder::release, side_.locations[1]); }
  Side& side() { return side_; }

 private:
  void access(EventKind kind, std::uint32_t thread, MemoryOrder order, LocationId location) {
    Event event;
    event.kind = kind;
    event.order = order;
    event.size = 4;
    event.thread = ThreadId{thread};
    event.location = location;
    if (kind == EventKind::load) event.reads_from = side_.graph.newest_write(location);
    side_.state.commit(side_.graph.append(event));
  }

  std::byte model_memory_[4096];
  base::Arena model_arena_{{model_memory_, sizeof model_memory_}};
  const models::MemoryModel* model_;
  Side side_{*model_};
  LocationId nodes_[recycled] = {};
};

}  // namespace

TEST(Forgetting, OffersTheSameChoicesUnderRc11) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) run_in_step("rc11", false, seed);
}
TEST(Forgetting, OffersTheSameChoicesUnderRc11WithManySeqCstEvents) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) run_in_step("rc11", true, seed);
}
TEST(Forgetting, OffersTheSameChoicesUnderC11) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) run_in_step("c11", true, seed);
}
TEST(Forgetting, OffersTheSameChoicesUnderSc) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) run_in_step("sc", true, seed);
}

TEST(Forgetting, AQueueOfNodesTakesNoMoreMemoryHoweverManyThereAre) {
  Queue queue;
  queue.side().alive[2] = false;
  std::uint32_t node = 0;
  while (node < 5000) queue.pass_on(node++);
  const std::size_t after_few = queue.side().bytes();
  while (node < 50000) queue.pass_on(node++);
  EXPECT_LE(queue.side().bytes(), after_few);
}

TEST(Forgetting, AnOldWriteThatSomebodyMayStillReadTakesLessThanTwoHundredBytes) {
  Queue queue;
  queue.side().forget();
  const std::size_t before = queue.side().bytes();
  constexpr std::size_t writes = 20000;
  for (std::size_t i = 0; i < writes; ++i) queue.write_only();
  queue.side().forget();
  EXPECT_EQ(queue.side().graph.location(queue.side().locations[1]).modification_order.size(), writes + 1);
  EXPECT_LT((queue.side().bytes() - before) / writes, 200U);
}

}  // namespace heddle::graph
