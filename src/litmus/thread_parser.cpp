// One pass from C to instructions: there is little C in litmus tests. Visible operations inside expressions
// become instructions that leave their value in a temporary register; && and || become branches.
#include "litmus/thread_parser.hpp"

#include <map>
#include <string>

#include "litmus/vocabulary.hpp"

namespace heddle::litmus {

using graph::MemoryOrder;
using Kind = Instruction::Kind;

namespace {

bool is_qualifier(const TokenStream& tokens) {
  return tokens.is("volatile") || tokens.is("const") || tokens.is("_Atomic");
}

class ThreadParser {
 public:
  ThreadParser(TokenStream& tokens, Test& test) : tokens_(tokens), test_(test), thread_(test.threads.back()) {}

  void run() {
    tokens_.expect("(");
    while (!tokens_.at_end() && !tokens_.is(")")) {
      parse_parameter();
      if (!tokens_.is(")")) tokens_.expect(",");
    }
    tokens_.expect(")");
    parse_block();
  }

 private:
  void parse_parameter() {
    while (is_qualifier(tokens_)) tokens_.take();
    const std::optional<Type> type = type_named(tokens_.peek().spelling);
    if (!type) return tokens_.fail_unexpected("a parameter's type");
    tokens_.take();
    while (is_qualifier(tokens_)) tokens_.take();
    tokens_.expect("*");
    while (is_qualifier(tokens_)) tokens_.take();
    const std::string_view name = tokens_.expect_word("a parameter's name");
    if (tokens_.error()) return;
    const std::uint32_t location = location_named(test_, name);
    test_.locations[location].type = *type;
    parameters_[name] = location;
  }

  void parse_block() {
    tokens_.expect("{");
    while (!tokens_.at_end() && !tokens_.is("}")) parse_statement();
    tokens_.expect("}");
  }

  void parse_statement() {
    if (++depth_ > deepest) tokens_.fail(tokens_.peek().at, "these statements are nested too deeply");
    parse_one_statement();
    --depth_;
  }

  void parse_one_statement() {
    if (tokens_.accept(";")) return;
    if (tokens_.is("{")) return parse_block();
    if (tokens_.is("if")) return parse_if();
    for (const char* word : {"while", "for", "do", "goto", "switch", "return"})
      if (tokens_.is(word))
        return tokens_.fail(tokens_.peek().at, std::string("'") + word + "' is not supported in litmus tests");
    if (is_qualifier(tokens_) || type_named(tokens_.peek().spelling))
      parse_declaration();
    else if (tokens_.is("*"))
      parse_plain_store();
    else if (tokens_.peek().kind == Token::Kind::word && tokens_.is("=", 1))
      parse_assignment();
    else
      parse_expression(0);
    tokens_.expect(";");
  }

  void parse_declaration() {
    while (is_qualifier(tokens_)) tokens_.take();
    const std::optional<Type> type = type_named(tokens_.take().spelling);
    if (!type) return tokens_.fail_unexpected("a type");
    do {
      const Position at = tokens_.peek().at;
      const std::string name(tokens_.expect_word("a register's name"));
      if (tokens_.error()) return;
      if (registers_.contains(name) || parameters_.contains(name))
        return tokens_.fail(at, "'" + name + "' is declared twice");
      const std::uint32_t reg = add_register(name, *type);
      registers_[name] = reg;
      if (tokens_.accept("=")) assign(reg, parse_expression(0), at);
    } while (tokens_.accept(","));
  }

  void parse_assignment() {
    const Token name = tokens_.take();
    const auto found = registers_.find(std::string(name.spelling));
    if (found == registers_.end())
      return tokens_.fail(name.at, "there is no register '" + std::string(name.spelling) + "' to assign to");
    tokens_.expect("=");
    assign(found->second, parse_expression(0), name.at);
  }

  void parse_plain_store() {
    Instruction store = instruction(Kind::store);
    tokens_.expect("*");
    parse_address(store);
    tokens_.expect("=");
    store.value = parse_expression(0);
    emit(store);
  }

  void parse_if() {
    tokens_.expect("if");
    tokens_.expect("(");
    Instruction branch = instruction(Kind::branch_if_zero);
    branch.value = parse_expression(0);
    tokens_.expect(")");
    const std::uint32_t branch_at = emit(branch);
    parse_statement();
    if (!tokens_.is("else")) {
      thread_.code[branch_at].target = here();
      return;
    }
    const std::uint32_t jump_at = emit(instruction(Kind::jump));
    thread_.code[branch_at].target = here();
    tokens_.expect("else");
    parse_statement();
    thread_.code[jump_at].target = here();
  }

  /// Precedence climbing; returns the index of an expression without side effects.
  std::uint32_t parse_expression(int least) {
    if (++depth_ > deepest) tokens_.fail(tokens_.peek().at, "this expression is nested too deeply");
    std::uint32_t left = parse_unary();
    while (!tokens_.at_end()) {
      const std::string_view symbol = tokens_.peek().spelling;
      const int logical = symbol == "||" ? 1 : symbol == "&&" ? 2 : 0;
      if (logical != 0) {
        if (logical < least) break;
        left = parse_logical(left, logical);
        continue;
      }
      const std::optional<BinaryOperator> found = binary_operator_named(symbol);
      if (!found || found->precedence < least) break;
      tokens_.take();
      const std::uint32_t right = parse_expression(found->precedence + 1);
      left = add(found->op, left, right);
    }
    --depth_;
    return left;
  }

  std::uint32_t parse_logical(std::uint32_t left, int precedence) {
    const Position at = tokens_.take().at;
    const std::uint32_t result = add_register("", {});
    assign(result, add(Operator::not_equal, left, constant(0)), at);
    Instruction branch = instruction(Kind::branch_if_zero);
    branch.value = precedence == 2 ? reg(result) : add(Operator::logical_not, reg(result), none);
    const std::uint32_t branch_at = emit(branch);
    assign(result, add(Operator::not_equal, parse_expression(precedence + 1), constant(0)), at);
    thread_.code[branch_at].target = here();
    return reg(result);
  }

  std::uint32_t parse_unary() {
    if (tokens_.accept("-")) return add(Operator::negate, parse_nested_unary(), none);
    if (tokens_.accept("!")) return add(Operator::logical_not, parse_nested_unary(), none);
    if (tokens_.is("*")) {
      Instruction load = instruction(Kind::load);
      tokens_.take();
      parse_address(load);
      return emit_with_result(load);
    }
    if (tokens_.accept("(")) {
      const std::uint32_t inner = parse_expression(0);
      tokens_.expect(")");
      return inner;
    }
    if (tokens_.peek().kind == Token::Kind::number) return constant(tokens_.take().number);
    const Token name = tokens_.peek();
    if (name.kind != Token::Kind::word) {
      tokens_.fail_unexpected("an expression");
      return constant(0);
    }
    if (tokens_.is("(", 1)) return parse_call();
    tokens_.take();
    const auto found = registers_.find(std::string(name.spelling));
    if (found != registers_.end()) return reg(found->second);
    tokens_.fail(name.at, parameters_.contains(name.spelling)
                              ? "'" + std::string(name.spelling) + "' is an address; its value is read by *" +
                                    std::string(name.spelling) + " or an atomic function"
                              : "there is no register '" + std::string(name.spelling) + "'");
    return constant(0);
  }

  std::uint32_t parse_nested_unary() {
    if (++depth_ > deepest) tokens_.fail(tokens_.peek().at, "this expression is nested too deeply");
    const std::uint32_t result = parse_unary();
    --depth_;
    return result;
  }

  /// x, x + e, (address): into location and offset.
  void parse_address(Instruction& access) {
    if (tokens_.accept("(")) {
      if (++depth_ > deepest) tokens_.fail(tokens_.peek().at, "this address is nested too deeply");
      parse_address(access);
      --depth_;
      tokens_.expect(")");
      return;
    }
    const Token name = tokens_.peek();
    const auto found = parameters_.find(tokens_.expect_word("a location"));
    if (tokens_.error()) return;
    if (found == parameters_.end())
      return tokens_.fail(name.at, "'" + std::string(name.spelling) + "' is not a parameter of this thread");
    access.location = found->second;
    if (tokens_.accept("+")) access.offset = parse_expression(9);
  }

  MemoryOrder parse_order() {
    const Token name = tokens_.peek();
    const std::optional<MemoryOrder> found = order_named(tokens_.expect_word("a memory order"));
    if (!tokens_.error() && !found) tokens_.fail(name.at, "'" + std::string(name.spelling) + "' is not a memory order");
    return found.value_or(MemoryOrder::seq_cst);
  }

  /// The order argument, if the function's name says that there is one.
  MemoryOrder parse_order_argument(bool is_explicit) {
    if (!is_explicit) return MemoryOrder::seq_cst;
    tokens_.expect(",");
    return parse_order();
  }

  std::uint32_t parse_call() {
    const Token called = tokens_.take();
    std::string_view name = called.spelling;
    const bool is_explicit = name.ends_with("_explicit");
    if (is_explicit) name.remove_suffix(std::string_view("_explicit").size());
    tokens_.expect("(");
    std::uint32_t result = none;
    if (name == "atomic_thread_fence") {
      Instruction fence = instruction(Kind::fence);
      fence.order = parse_order();
      emit(fence);
    } else if (name == "atomic_load") {
      result = parse_load(is_explicit, called.at);
    } else if (name == "atomic_store" || name == "atomic_init") {
      parse_store(is_explicit, name == "atomic_init", called.at);
    } else if (const std::optional<RmwOperation> rmw = rmw_named(name)) {
      result = parse_rmw(*rmw, is_explicit);
    } else if (name == "atomic_compare_exchange_strong" || name == "atomic_compare_exchange_weak") {
      result = parse_compare_exchange(name.ends_with("weak"), is_explicit);
    } else {
      tokens_.fail(called.at, "unknown function '" + std::string(called.spelling) + "'");
    }
    tokens_.expect(")");
    return result == none ? constant(0) : result;
  }

  std::uint32_t parse_load(bool is_explicit, Position at) {
    Instruction load = instruction(Kind::load);
    parse_address(load);
    load.order = parse_order_argument(is_explicit);
    if (load.order == MemoryOrder::release || load.order == MemoryOrder::acq_rel)
      tokens_.fail(at, "a load cannot be release or acq_rel");
    return emit_with_result(load);
  }

  void parse_store(bool is_explicit, bool is_initialisation, Position at) {
    Instruction store = instruction(Kind::store);
    parse_address(store);
    tokens_.expect(",");
    store.value = parse_expression(0);
    store.order = is_initialisation ? MemoryOrder::plain : parse_order_argument(is_explicit);
    if (store.order == MemoryOrder::acquire || store.order == MemoryOrder::consume ||
        store.order == MemoryOrder::acq_rel)
      tokens_.fail(at, "a store cannot be acquire, consume or acq_rel");
    emit(store);
  }

  std::uint32_t parse_rmw(RmwOperation operation, bool is_explicit) {
    Instruction rmw = instruction(Kind::rmw);
    rmw.operation = operation;
    parse_address(rmw);
    tokens_.expect(",");
    rmw.value = parse_expression(0);
    rmw.order = parse_order_argument(is_explicit);
    return emit_with_result(rmw);
  }

  /// Reads the expected cell, exchanges, and on failure stores what was read in the cell. The cell is a
  /// location of its own (a pointer parameter) or a register (&r).
  std::uint32_t parse_compare_exchange(bool is_weak, bool is_explicit) {
    Instruction exchange = instruction(Kind::compare_exchange);
    exchange.is_weak = is_weak;
    parse_address(exchange);
    tokens_.expect(",");
    Instruction cell = instruction(Kind::load);
    std::uint32_t cell_register = none;
    if (tokens_.accept("&")) {
      const Token name = tokens_.peek();
      const auto found = registers_.find(std::string(tokens_.expect_word("a register")));
      if (found == registers_.end())
        tokens_.fail(name.at, "there is no register '" + std::string(name.spelling) + "'");
      else
        exchange.expected = reg(cell_register = found->second);
    } else {
      parse_address(cell);
      exchange.expected = emit_with_result(cell);
    }
    tokens_.expect(",");
    exchange.value = parse_expression(0);
    exchange.order = parse_order_argument(is_explicit);
    exchange.failure_order = parse_order_argument(is_explicit);
    exchange.destination = add_register("", {});
    exchange.observed = add_register("", {8, true});
    emit(exchange);

    Instruction if_failed = instruction(Kind::branch_if_zero);
    if_failed.value = add(Operator::logical_not, reg(exchange.destination), none);
    const std::uint32_t branch_at = emit(if_failed);
    if (cell_register != none) {
      assign(cell_register, reg(exchange.observed), exchange.at);
    } else {
      cell.kind = Kind::store;
      cell.destination = none;
      cell.value = reg(exchange.observed);
      emit(cell);
    }
    thread_.code[branch_at].target = here();
    return reg(exchange.destination);
  }

  Instruction instruction(Kind kind) const {
    Instruction result;
    result.kind = kind;
    result.at = tokens_.peek().at;
    return result;
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(thread_.code.size()); }
  std::uint32_t emit(const Instruction& instruction) {
    thread_.code.push_back(instruction);
    return here() - 1;
  }
  std::uint32_t emit_with_result(Instruction instruction) {
    instruction.destination = add_register("", {8, true});
    emit(instruction);
    return reg(instruction.destination);
  }
  void assign(std::uint32_t destination, std::uint32_t value, Position at) {
    if (tokens_.error()) return;
    Instruction result = instruction(Kind::assign);
    result.at = at;
    result.destination = destination;
    result.value = value;
    emit(result);
  }
  std::uint32_t add_register(const std::string& name, Type type) {
    thread_.registers.push_back({name, type, 0});
    return static_cast<std::uint32_t>(thread_.registers.size() - 1);
  }
  std::uint32_t add(Operator op, std::uint32_t first, std::uint32_t second) {
    thread_.expressions.push_back({op, 0, first, second});
    return static_cast<std::uint32_t>(thread_.expressions.size() - 1);
  }
  std::uint32_t constant(std::int64_t value) {
    thread_.expressions.push_back({Operator::constant, value, none, none});
    return static_cast<std::uint32_t>(thread_.expressions.size() - 1);
  }
  std::uint32_t reg(std::uint32_t index) { return add(Operator::reg, index, none); }

  // The parser is recursive; the limit keeps a file with very many brackets from overflowing the stack.
  static constexpr int deepest = 200;

  TokenStream& tokens_;
  Test& test_;
  Thread& thread_;
  int depth_ = 0;
  std::map<std::string_view, std::uint32_t> parameters_;
  std::map<std::string, std::uint32_t> registers_;
};

}  // namespace

std::uint32_t location_named(Test& test, std::string_view name) {
  for (std::size_t i = 0; i < test.locations.size(); ++i)
    if (test.locations[i].name == name) return static_cast<std::uint32_t>(i);
  test.locations.push_back({std::string(name), {}, 0});
  return static_cast<std::uint32_t>(test.locations.size() - 1);
}

void parse_thread(TokenStream& tokens, Test& test) { ThreadParser(tokens, test).run(); }

}  // namespace heddle::litmus
