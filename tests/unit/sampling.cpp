#include "sampling.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>

#include "litmus/interpreter.hpp"
#include "litmus/parser.hpp"

namespace heddle::testing {

namespace {

constexpr std::size_t memory_size = 1 << 18;

std::string store(const char* location, int value) {
  return std::string("  atomic_store_explicit(") + location + "," + std::to_string(value) + ",memory_order_relaxed);\n";
}

/// A strategy with all that it needs to run a test.
class Runner {
 public:
  Runner(const std::string& text, const std::string& specification, std::uint64_t seed)
      : test(*litmus::parse_test(text, "test")), interpreter(test, *models::make_model("rc11", {}, arena)) {
    strategies::SpecificationError error;
    const auto parsed = strategies::parse_strategy(specification, error);
    EXPECT_TRUE(parsed) << error.text;
    strategy = strategies::make_strategy(*parsed, seed, arena);
    if (strategies::GraphReader* reader = strategy->facets().graph_reader) reader->set_graph(interpreter.graph());
  }

 private:
  std::unique_ptr<std::byte[]> memory_ = std::make_unique<std::byte[]>(memory_size);

 public:
  base::Arena arena{{memory_.get(), memory_size}};
  litmus::Test test;
  litmus::Interpreter interpreter;
  strategies::Strategy* strategy = nullptr;
};

}  // namespace

std::string store_buffering() {
  return "C SB\n{ x=0; y=0; }\n"
         "P0 (atomic_int* x, atomic_int* y) {\n" +
         store("x", 1) + "  int r0 = atomic_load_explicit(y,memory_order_relaxed);\n}\n" +
         "P1 (atomic_int* x, atomic_int* y) {\n" + store("y", 1) +
         "  int r0 = atomic_load_explicit(x,memory_order_relaxed);\n}\n"
         "exists (0:r0=0 /\\ 1:r0=0)\n";
}

std::string one_reader(int writes) {
  std::string text = "C P1\n{ x=0; }\nP0 (atomic_int* x) {\n";
  for (int value = 1; value <= writes; ++value) text += store("x", value);
  return text + "}\nP1 (atomic_int* x) {\n  int r0 = atomic_load_explicit(x,memory_order_relaxed);\n}\n" +
         "exists (1:r0=" + std::to_string(writes) + ")\n";
}

std::string concurrent_writers(int locations, int other_reads) {
  if (locations == 0)
    return "C W\n{ x=0; y=0; z=0; }\nP0 (atomic_int* x, atomic_int* y, atomic_int* z) {\n" + store("z", 1) +
           store("x", 1) + "  int r0 = atomic_load_explicit(y,memory_order_relaxed);\n}\n" +
           "P1 (atomic_int* x, atomic_int* y, atomic_int* z) {\n" + store("z", 2) + store("y", 1) +
           "  int r0 = atomic_load_explicit(x,memory_order_relaxed);\n}\nexists (0:r0=0 /\\ 1:r0=0)\n";
  std::string text = "C W\n{ u=0; ", threads, condition;
  int thread = 0;
  const auto load = [](const std::string& location, int reg) {
    return "  int r" + std::to_string(reg) + " = atomic_load_explicit(" + location + ",memory_order_relaxed);\n";
  };
  const auto begin = [&](const std::string& location) {
    threads += "P" + std::to_string(thread++) + " (atomic_int* " + location + ") {\n";
  };
  for (int i = 0; i < locations; ++i) {
    const std::string x = "x" + std::to_string(i), reader = std::to_string(3 * i + 2);
    text += x + "=0; ";
    for (const int first : {1, 3}) {
      begin(x);
      threads += store(x.c_str(), first) + store(x.c_str(), first + 1) + "}\n";
    }
    begin(x);
    threads += load(x, 0) + "}\n";
    condition += std::string(i == 0 ? "" : " /\\ ") + "(" + reader + ":r0=2 \\/ " + reader + ":r0=4)";
  }
  begin("u");
  for (int i = 0; i < other_reads; ++i) threads += load("u", i);
  return text + "}\n" + threads + "}\nexists (" + condition + ")\n";
}

std::string relay(int steps) {
  const auto name = [](const char* letter, int i) { return letter + std::to_string(i); };
  std::string text = "C Relay\n{ ", parameters;
  for (int i = 0; i < steps; ++i) {
    text += name("x", i) + "=0; " + name("y", i) + "=0; ";
    parameters += std::string(i == 0 ? "" : ", ") + "atomic_int* " + name("x", i) + ", atomic_int* " + name("y", i);
  }
  text += "}\nP0 (" + parameters + ") {\n  int done = 0;\n";
  for (int i = 0; i < steps; ++i)
    text += store(name("x", i).c_str(), 1) + "  int r" + std::to_string(i) + " = atomic_load_explicit(" + name("y", i) +
            ",memory_order_relaxed);\n  if (r" + std::to_string(i) + " == 1) {\n";
  text += "  done = 1;\n";
  for (int i = 0; i < steps; ++i) text += "  }\n";
  text += "}\nP1 (" + parameters + ") {\n";
  for (int i = 0; i < steps; ++i)
    text += "  int r" + std::to_string(i) + " = atomic_load_explicit(" + name("x", i) +
            ",memory_order_relaxed);\n  if (r" + std::to_string(i) + " == 1) {\n" + store(name("y", i).c_str(), 1);
  for (int i = 0; i < steps; ++i) text += "  }\n";
  return text + "}\nexists (0:done=1)\n";
}

std::string message_passing(int inserted) {
  std::string text = "C MP2\n{ x=0; y=0; }\nP0 (atomic_int* x) {\n";
  for (int i = 0; i < inserted; ++i) text += store("x", 2);
  return text + store("x", 1) +
         "}\n"
         "P1 (atomic_int* x, atomic_int* y) {\n"
         "  int r0 = atomic_load_explicit(x,memory_order_relaxed);\n"
         "  if (r0 == 1) {\n  " +
         store("y", 1) +
         "  }\n}\n"
         "P2 (atomic_int* x, atomic_int* y) {\n"
         "  int r0 = atomic_load_explicit(y,memory_order_relaxed);\n"
         "  int r1 = 7;\n"
         "  if (r0 == 1) {\n"
         "    r1 = atomic_load_explicit(x,memory_order_relaxed);\n"
         "  }\n}\n"
         "exists (2:r0=1 /\\ 2:r1=0)\n";
}

std::string two_senders() {
  return "C P2\n{ x=0; y=0; }\nP0 (atomic_int* x) {\n" + store("x", 1) +
         "}\n"
         "P1 (atomic_int* x, atomic_int* y) {\n"
         "  int r0 = atomic_load_explicit(x,memory_order_relaxed);\n"
         "  int r1 = atomic_load_explicit(y,memory_order_relaxed);\n}\n"
         "P2 (atomic_int* y) {\n" +
         store("y", 1) + "}\nexists (1:r0=1 /\\ 1:r1=1)\n";
}

Sample sample(const std::string& test, const std::string& strategy, std::uint64_t executions, std::uint64_t seed) {
  Runner runner(test, strategy, seed);
  Sample result;
  for (; result.executions < executions; ++result.executions) {
    EXPECT_EQ(runner.interpreter.run(*runner.strategy, result.executions), strategies::Outcome::completed);
    result.hits += runner.test.proposition.holds(runner.interpreter.final_state());
  }
  return result;
}

std::vector<trace::Decision> decisions_of(const std::string& test, const std::string& strategy, std::uint64_t number,
                                          bool after_others) {
  Runner runner(test, strategy, 1);
  trace::Recorder recorder(*runner.strategy, runner.arena);
  if (after_others)
    for (std::uint64_t other = 1; other < 6; ++other) runner.interpreter.run(recorder, number + other);
  runner.interpreter.run(recorder, number);
  std::vector<std::uint8_t> bytes(recorder.size());
  recorder.copy_to(bytes.data());
  const auto recorded = trace::decode_decisions(bytes, runner.arena);
  return {recorded->begin(), recorded->end()};
}

std::string specification_error(const char* specification) {
  strategies::SpecificationError error;
  return strategies::parse_strategy(specification, error) ? "" : error.text;
}

std::size_t strategy_index(const char* strategy) { return *strategies::find_strategy(strategy); }

std::size_t draw_of(const char* strategy, const char* parameter) {
  const strategies::PortfolioScope scope;
  for (std::size_t i = 1; i < scope.draws().size(); ++i)
    if (scope.draws()[i].strategy == strategy_index(strategy) &&
        scope.draws()[i].described->name == std::string(parameter))
      return i;
  ADD_FAILURE() << strategy << " has no learnable parameter " << parameter;
  return 0;
}

strategies::PortfolioScope scope_of(const char* specification) {
  strategies::SpecificationError error;
  return strategies::PortfolioScope(*strategies::parse_strategy(specification, error));
}

}  // namespace heddle::testing
