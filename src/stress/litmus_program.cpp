#include "stress/litmus_program.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "litmus/c_code.hpp"

namespace heddle::stress {

namespace {

using litmus::none;

std::string prefix_of(std::size_t number) { return fmt::format("t{}", number); }

/// A name as a string literal of C.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) result += c;
  }
  return result + "\"";
}

std::vector<std::uint32_t> observed_locations(const litmus::Test& test) {
  std::vector<std::uint32_t> locations;
  for (const litmus::Observable& observable : test.observables)
    if (observable.thread == none) locations.push_back(observable.index);
  return locations;
}

/// Calls the function of a thread with the places of its locations.
std::string call(const litmus::Test& test, std::uint32_t thread, const std::string& prefix) {
  std::string text = fmt::format("static void {0}_run{1}(int64_t *out, char *const *l) {{\n  {2}(out", prefix, thread,
                                 litmus::function_name(prefix, thread));
  for (const std::uint32_t location : litmus::locations_of(test, thread))
    text += fmt::format(", (void *)l[{}]", location);
  return text + ");\n  (void)l;\n}\n";
}

std::string tables(const litmus::Test& test, const std::string& prefix) {
  std::string text;
  for (std::uint32_t t = 0; t < test.threads.size(); ++t) text += call(test, t, prefix);
  text += fmt::format("static const struct heddle_litmus_thread {}_threads[] = {{", prefix);
  for (std::uint32_t t = 0; t < test.threads.size(); ++t)
    text += fmt::format("{{{}_run{}, {}}}, ", prefix, t, litmus::registers_of(test, t).size());
  text += fmt::format("}};\nstatic const struct heddle_litmus_location {}_locations[] = {{", prefix);
  for (const litmus::LocationDeclaration& location : test.locations)
    text += fmt::format("{{{}, INT64_C({})}}, ", location.type.size, location.initial);
  text += fmt::format("{{1, 0}}}};\nstatic const int {}_observe[] = {{", prefix);
  for (const std::uint32_t location : observed_locations(test)) text += fmt::format("{}, ", location);
  return text + "0};\n";
}

}  // namespace

std::string LitmusTest::why_not_judged() const {
  if (!allowed.fault.empty()) return "the test leaves a location: " + allowed.fault;
  if (allowed.has_race) return "it has a data race under rc11, so every state is allowed";
  return "the search under rc11 did not end";
}

std::string thread_functions(std::span<const LitmusTest> tests, bool with_lines) {
  std::string text = "#include <stdatomic.h>\n#include <stdint.h>\n";
  for (std::size_t i = 0; i < tests.size(); ++i)
    for (std::uint32_t t = 0; t < tests[i].test.threads.size(); ++t)
      text += litmus::thread_function(tests[i].test, t, prefix_of(i), with_lines ? fmt::format("test{}", i) : "");
  return text;
}

std::string litmus_program(std::span<const LitmusTest> tests) {
  // The functions are not inlined into the harness, so that they are the code that the report shows.
  std::string text = "#include <heddle/stress_litmus.h>\n";
  for (std::size_t i = 0; i < tests.size(); ++i)
    for (std::uint32_t t = 0; t < tests[i].test.threads.size(); ++t)
      text += "__attribute__((noinline)) " + litmus::thread_function(tests[i].test, t, prefix_of(i), "");
  for (std::size_t i = 0; i < tests.size(); ++i) text += tables(tests[i].test, prefix_of(i));
  text += "static const struct heddle_litmus_test tests[] = {\n";
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const litmus::Test& test = tests[i].test;
    text += fmt::format("  {{{0}, {2}, {3}, {4}, {1}_threads, {1}_locations, {1}_observe}},\n", quoted(test.name),
                        prefix_of(i), test.threads.size(), test.locations.size(), observed_locations(test).size());
  }
  return text +
         "};\nint main(int argc, char **argv) { return heddle_litmus_main(argc, argv, tests, sizeof tests / sizeof "
         "tests[0]); }\n";
}

std::vector<litmus::State> LitmusResult::forbidden() const {
  std::vector<litmus::State> result;
  if (!test->is_judged()) return result;
  for (const auto& [state, count] : states)
    if (!test->allowed.states.contains(state)) result.push_back(state);
  return result;
}

std::vector<litmus::State> LitmusResult::unseen() const {
  std::vector<litmus::State> result;
  if (!test->is_judged() || !has_all_states) return result;
  for (const auto& [state, count] : test->allowed.states)
    if (!states.contains(state)) result.push_back(state);
  return result;
}

bool parse_states(const std::string& line, LitmusResult& result) try {
  const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
  if (!value.is_object() || !value.contains("test") || !value.contains("states")) return false;
  const litmus::Test& test = result.test->test;
  // The harness has the registers of each thread first, then the locations.
  std::vector<std::uint32_t> places;
  for (std::uint32_t t = 0; t < test.threads.size(); ++t)
    for (const std::uint32_t o : litmus::registers_of(test, t)) places.push_back(o);
  for (std::uint32_t o = 0; o < test.observables.size(); ++o)
    if (test.observables[o].thread == none) places.push_back(o);
  for (const auto& entry : value.at("states")) {
    const auto values = entry.at("values").get<std::vector<std::int64_t>>();
    if (values.size() != places.size()) return false;
    litmus::State state(test.observables.size(), 0);
    for (std::size_t v = 0; v < values.size(); ++v) {
      const litmus::Observable& observable = test.observables[places[v]];
      const litmus::Type type = observable.thread == none
                                    ? test.locations[observable.index].type
                                    : test.threads[observable.thread].registers[observable.index].type;
      state[places[v]] = litmus::convert(values[v], type);
    }
    result.states[state] += entry.at("count").get<std::uint64_t>();
  }
  result.instances = value.at("instances");
  result.has_all_states = value.at("complete");
  result.seconds = value.at("seconds");
  return true;
} catch (const nlohmann::json::exception&) {
  return false;
}

}  // namespace heddle::stress
