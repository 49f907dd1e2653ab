// The engine itself, with fibers, and a strategy that looks at what it is offered.
#include <gtest/gtest.h>

#include <array>

#include "base/random.hpp"
#include "engine/engine.hpp"
#include "engine/isolation/address_space.hpp"
#include "engine/isolation/thread_pointer.hpp"
#include "models/memory_model.hpp"

namespace heddle::engine {

namespace {

constexpr std::uint32_t parents = 5;
constexpr std::uint32_t children = 10;
constexpr std::uint32_t mains_yields = 500;     // meanwhile all children come to the lock,
constexpr std::uint32_t parents_yields = 1000;  // and no parent comes to its end

/// Places in the order of names: T0 has 0, T0.2 has 200, its third child has 203. By ThreadId.
std::array<std::uint32_t, 1 + parents*(1 + children)> places;

/// Chooses at random. What it sees is kept in plain numbers: it is asked on the fibers of the program.
class Onlooker final : public strategies::Strategy {
 public:
  bool begin_execution(std::uint64_t number) override {
    random_ = base::Random(1, number);
    return true;
  }
  std::uint32_t choose(const strategies::Choice& choice) override {
    const auto& options = choice.options;
    if (choice.kind == strategies::ChoiceKind::thread) {
      for (std::size_t i = 1; i < options.size(); ++i)
        if (place(options[i - 1]) >= place(options[i])) ++disordered;
      // Main has opened the lock and waits for the others; the parents were ready before, the children go in between.
      if (options.size() == parents * (1 + children)) ++all_at_once;
    }
    return static_cast<std::uint32_t>(random_.below(options.size()));
  }

  std::uint32_t disordered = 0;
  std::uint32_t all_at_once = 0;

 private:
  static std::uint32_t place(const strategies::Option& option) { return places[graph::number(option.thread)]; }

  base::Random random_;
};

Engine* engine = nullptr;
std::uintptr_t lock_address() { return reinterpret_cast<std::uintptr_t>(&engine); }

void yield_often(std::uint32_t times) {
  for (std::uint32_t i = 0; i < times; ++i) engine->scheduler().yield(0);
}

pthread_t create(std::uint32_t place, void* (*routine)(void*)) {
  const pthread_t handle =
      engine->thread_calls().create(false, routine, reinterpret_cast<void*>(std::uintptr_t{place}), 0);
  places[graph::number(engine->threads().find(handle)->id)] = place;
  return handle;
}

void* child(void*) {
  engine->sync().lock_mutex(lock_address(), MutexKind::normal, 0, {});
  engine->sync().unlock_mutex(lock_address(), MutexKind::normal, 0);
  return nullptr;
}

void* parent(void* place) {
  const auto own = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(place));
  pthread_t handles[children];
  for (std::uint32_t i = 0; i < children; ++i) handles[i] = create(own + i + 1, child);
  yield_often(parents_yields);
  for (const pthread_t handle : handles) engine->thread_calls().join(handle, nullptr, 0, {}, false);
  return nullptr;
}

void* program(void*) {
  engine->sync().lock_mutex(lock_address(), MutexKind::normal, 0, {});
  pthread_t handles[parents];
  for (std::uint32_t i = 0; i < parents; ++i) handles[i] = create(100 * (i + 1), parent);
  yield_often(mains_yields);
  engine->sync().unlock_mutex(lock_address(), MutexKind::normal, 0);
  for (const pthread_t handle : handles) engine->thread_calls().join(handle, nullptr, 0, {}, false);
  engine->thread_calls().exit_program({});
}

}  // namespace

TEST(Scheduling, ThreadsAreOfferedInTheOrderOfTheirNamesAlsoWhenManyBecomeReadyAtOnce) {
  base::Arena forever(reserve_memory(std::size_t{1} << 32, std::size_t{1} << 28));
  base::Arena execution(reserve_memory(std::size_t{1} << 32, std::size_t{1} << 28));
  base::Arena models(reserve_memory(1 << 20, 1 << 20));
  Heap heap;  // unused: the program does not allocate
  const Modules modules;
  Engine tested(forever, execution, heap, modules, nullptr);
  engine = &tested;
  tested.execution().root().set_thread_pointer(thread_pointer());
  Onlooker strategy;
  tested.configure({}, *models::make_model("rc11", {}, models), strategy, 1);
  for (std::uint64_t number = 0; number < 3; ++number) {
    strategy.begin_execution(number);
    EXPECT_EQ(tested.run(number, program, nullptr), strategies::Outcome::completed);
  }
  EXPECT_EQ(strategy.disordered, 0U);
  EXPECT_GE(strategy.all_at_once, 3U);
}

}  // namespace heddle::engine
