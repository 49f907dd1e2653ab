#include "litmus/parser.hpp"

#include <fstream>
#include <set>
#include <sstream>

#include "litmus/input_file.hpp"
#include "litmus/thread_parser.hpp"
#include "litmus/token_stream.hpp"
#include "litmus/vocabulary.hpp"

namespace heddle::litmus {

namespace {

// Far beyond what a search can enumerate. A mistyped file ends with an error instead of a long wait.
constexpr std::size_t most_threads = 64;

class TestParser {
 public:
  TestParser(TokenStream& tokens, Test& test) : tokens_(tokens), test_(test) {}

  void run() {
    parse_initial_state();
    while (is_thread()) {
      const Token name = tokens_.take();
      if (name.spelling != "P" + std::to_string(test_.threads.size()))
        return tokens_.fail(name.at, "expected thread P" + std::to_string(test_.threads.size()) + ", found '" +
                                         std::string(name.spelling) + "'");
      if (test_.threads.size() == most_threads)
        return tokens_.fail(name.at, "a test may have at most " + std::to_string(most_threads) + " threads");
      test_.threads.emplace_back();
      parse_thread(tokens_, test_);
    }
    if (test_.threads.empty()) tokens_.fail(tokens_.peek().at, "the test has no threads: expected P0");
    set_initial_registers();
    if (tokens_.accept("locations")) parse_locations();
    parse_condition();
    if (!tokens_.at_end()) tokens_.fail_unexpected("the end of the file");
    if (!tokens_.error()) find_private_accesses();
  }

 private:
  struct InitialRegister {
    std::uint32_t thread;
    std::string name;
    std::int64_t value;
    Position at;
  };

  bool is_thread() const {
    const std::string_view word = tokens_.peek().spelling;
    return tokens_.peek().kind == Token::Kind::word && word.size() > 1 && word[0] == 'P' && word[1] >= '0' &&
           word[1] <= '9';
  }

  /// { x=0; [y]=1; int z=2; 0:r0=3; }
  void parse_initial_state() {
    tokens_.expect("{");
    while (!tokens_.at_end() && !tokens_.is("}")) {
      std::optional<Type> type;
      while (tokens_.peek().kind == Token::Kind::word && tokens_.peek(1).kind == Token::Kind::word) {
        type = type_named(tokens_.peek().spelling);
        if (!type && !tokens_.is("volatile")) return tokens_.fail_unexpected("a type");
        tokens_.take();
      }
      parse_initial_value(type);
      if (!tokens_.is("}")) tokens_.expect(";");
    }
    tokens_.expect("}");
  }

  void parse_initial_value(std::optional<Type> type) {
    const Position at = tokens_.peek().at;
    if (tokens_.peek().kind == Token::Kind::number) {
      const auto thread = static_cast<std::uint32_t>(tokens_.take().number);
      tokens_.expect(":");
      const std::string name(tokens_.expect_word("a register"));
      tokens_.expect("=");
      initial_registers_.push_back({thread, name, tokens_.expect_number(), at});
      return;
    }
    const bool has_bracket = tokens_.accept("[");
    const std::string_view name = tokens_.expect_word("a location");
    if (has_bracket) tokens_.expect("]");
    if (tokens_.error()) return;
    const std::uint32_t location = location_named(test_, name);
    if (!initialised_.insert(location).second)
      return tokens_.fail(at, "'" + std::string(name) + "' is initialised twice");
    if (type) test_.locations[location].type = *type;
    if (tokens_.accept("=")) test_.locations[location].initial = tokens_.expect_number();
  }

  void set_initial_registers() {
    for (const InitialRegister& initial : initial_registers_) {
      const auto found = find_register(initial.thread, initial.name);
      if (found == none)
        return tokens_.fail(initial.at, "there is no register " + std::to_string(initial.thread) + ":" + initial.name);
      test_.threads[initial.thread].registers[found].initial = initial.value;
    }
  }

  std::uint32_t find_register(std::uint64_t thread, std::string_view name) const {
    if (thread >= test_.threads.size()) return none;
    const auto& registers = test_.threads[thread].registers;
    for (std::uint32_t i = 0; i < registers.size(); ++i)
      if (registers[i].name == name) return i;
    return none;
  }

  void parse_locations() {
    tokens_.expect("[");
    while (!tokens_.at_end() && !tokens_.is("]")) {
      parse_observable();
      if (!tokens_.is("]")) tokens_.expect(";");
    }
    tokens_.expect("]");
  }

  /// 0:r0, x or [x]: its index in Test::observables.
  std::uint32_t parse_observable() {
    Observable observable;
    const Position at = tokens_.peek().at;
    if (tokens_.peek().kind == Token::Kind::number) {
      const std::int64_t thread = tokens_.take().number;
      tokens_.expect(":");
      const std::string name(tokens_.expect_word("a register"));
      if (tokens_.error()) return 0;
      observable.index = find_register(static_cast<std::uint64_t>(thread), name);
      observable.thread = static_cast<std::uint32_t>(thread);
      observable.name = std::to_string(thread) + ":" + name;
      if (observable.index == none) tokens_.fail(at, "there is no register " + observable.name);
    } else {
      const bool has_bracket = tokens_.accept("[");
      observable.name = tokens_.expect_word("a register or a location");
      if (has_bracket) tokens_.expect("]");
      const std::size_t before = test_.locations.size();
      observable.index = location_named(test_, observable.name);
      if (test_.locations.size() != before) tokens_.fail(at, "there is no location '" + observable.name + "'");
    }
    for (std::uint32_t i = 0; i < test_.observables.size(); ++i)
      if (test_.observables[i].name == observable.name) return i;
    test_.observables.push_back(observable);
    return static_cast<std::uint32_t>(test_.observables.size() - 1);
  }

  void parse_condition() {
    if (tokens_.at_end()) return;
    const char* first = tokens_.peek().spelling.data();
    const bool is_negated = tokens_.accept("~");
    if (tokens_.accept("exists"))
      test_.quantifier = is_negated ? Quantifier::not_exists : Quantifier::exists;
    else if (!is_negated && tokens_.accept("forall"))
      test_.quantifier = Quantifier::forall;
    else
      return tokens_.fail_unexpected("'exists', '~exists', 'forall' or 'locations'");
    test_.proposition = parse_disjunction();
    const char* last = tokens_.last_taken_end();
    if (!tokens_.error()) test_.condition.assign(first, last);
  }

  Proposition parse_disjunction() {
    Proposition left = parse_conjunction();
    while (tokens_.accept("\\/")) {
      Proposition both;
      both.kind = Proposition::Kind::disjunction;
      both.parts = {std::move(left), parse_conjunction()};
      left = std::move(both);
    }
    return left;
  }

  Proposition parse_conjunction() {
    Proposition left = parse_atom();
    while (tokens_.accept("/\\")) {
      Proposition both;
      both.kind = Proposition::Kind::conjunction;
      both.parts = {std::move(left), parse_atom()};
      left = std::move(both);
    }
    return left;
  }

  Proposition parse_atom() {
    Proposition result;
    if (++depth_ > 200) tokens_.fail(tokens_.peek().at, "this condition is nested too deeply");
    if (tokens_.accept("not") || tokens_.accept("~")) {
      result.kind = Proposition::Kind::negation;
      result.parts.push_back(parse_atom());
    } else if (tokens_.accept("(")) {
      result = parse_disjunction();
      tokens_.expect(")");
    } else if (!tokens_.accept("true")) {
      result.kind = Proposition::Kind::equals;
      result.observable = parse_observable();
      tokens_.expect("=");
      result.value = tokens_.expect_number();
    }
    --depth_;
    return result;
  }

  void find_private_accesses() {
    std::vector<std::uint32_t> author(test_.locations.size(), none);
    std::vector<bool> is_shared(test_.locations.size(), false);
    for (std::uint32_t t = 0; t < test_.threads.size(); ++t)
      for (const Instruction& access : test_.threads[t].code) {
        if (access.location == none) continue;
        if (author[access.location] != none && author[access.location] != t) is_shared[access.location] = true;
        author[access.location] = t;
      }
    for (Thread& thread : test_.threads)
      for (Instruction& access : thread.code)
        if (access.location != none && access.kind != Instruction::Kind::compare_exchange)
          access.is_private = access.order == graph::MemoryOrder::plain && !is_shared[access.location];
  }

  TokenStream& tokens_;
  Test& test_;
  int depth_ = 0;
  std::set<std::uint32_t> initialised_;
  std::vector<InitialRegister> initial_registers_;
};

/// The head: "C name", then free text up to the line that opens the initial state. Returns where that is.
Result<std::size_t> parse_head(std::string_view text, const std::string& file, Test& test, Position& at) {
  const auto first_end = std::min(text.find('\n'), text.size());
  std::string_view first = text.substr(0, first_end);
  while (!first.empty() && (first.back() == '\r' || first.back() == ' ')) first.remove_suffix(1);
  if (!first.starts_with("C ") && !first.starts_with("C\t"))
    return problem_at(file, {1, 1}, "a C litmus test begins with the line 'C NAME'");
  test.name = first.substr(first.find_first_not_of(" \t", 1));
  std::size_t line = first_end;
  const auto missing_init = [&](Position where) {
    return problem_at(file, where, "the initial state is missing: expected a line that begins with '{'");
  };
  while (line < text.size()) {
    ++line;
    ++at.line;
    const auto end = std::min(text.find('\n', line), text.size());
    const std::string_view content = text.substr(line, end - line);
    const auto start = content.find_first_not_of(" \t");
    if (start != std::string_view::npos && content[start] == '{') return line;
    if (start != std::string_view::npos && content[start] == '"' && test.description.empty())
      test.description = content.substr(start + 1, content.rfind('"') - start - 1);
    // Free text may stand before the initial state, but a thread is none.
    if (start != std::string_view::npos && content.substr(start).starts_with("P0"))
      return missing_init({at.line, static_cast<std::uint32_t>(start) + 1});
    line = end;
  }
  return missing_init(at);
}

}  // namespace

Result<Test> parse_test(std::string_view text, const std::string& file) {
  Test test;
  Position at;
  const Result<std::size_t> start = parse_head(text, file, test, at);
  if (!start) return start.problem();
  auto words = tokenize(text, *start, at, file);
  if (!words) return words.problem();
  TokenStream tokens(std::move(*words), file);
  TestParser(tokens, test).run();
  if (tokens.error()) return *tokens.error();
  return test;
}

Result<Test> read_test(const std::string& file) {
  if (auto problem = check_input_file(file)) return *problem;
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return problem_at(file, {}, "cannot be read");
  return parse_test(text.str(), file);
}

}  // namespace heddle::litmus
