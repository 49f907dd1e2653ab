#include "orders/source_call.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace heddle::orders {

namespace {

using channel::SiteOperation;
using graph::MemoryOrder;

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    while (at_ < text_.size()) {
      if (is_space(text_[at_]))
        step();
      else if (rest().starts_with("//"))
        skip_line();
      else if (rest().starts_with("/*"))
        skip_until("*/");
      else if (text_[at_] == '#' && is_first_of_line_)
        skip_line();
      else if (text_[at_] == '"')
        skip_string();
      else if (text_[at_] == '\'')
        skip_quoted('\'');
      else
        add_token();
    }
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void step() {
    if (text_[at_] == '\n') {
      ++line_;
      line_begin_ = at_ + 1;
      is_first_of_line_ = true;
    }
    ++at_;
  }

  /// A backslash at the end of the line continues it.
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      const bool is_continued = text_[at_] == '\\' && at_ + 1 < text_.size();
      step();
      if (is_continued && (text_[at_] == '\n' || text_[at_] == '\r')) {
        if (text_[at_] == '\r') step();
        if (at_ < text_.size()) step();
      }
    }
  }

  void skip_until(std::string_view end) {
    while (at_ < text_.size() && !rest().starts_with(end)) step();
    for (std::size_t i = 0; i < end.size() && at_ < text_.size(); ++i) step();
  }

  void skip_quoted(char quote) {
    step();
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) step();
      step();
    }
    if (at_ < text_.size()) step();
  }

  void skip_string() {
    const bool is_raw = !tokens_.empty() && tokens_.back().range.end == at_ && text_[at_ - 1] == 'R';
    if (!is_raw) return skip_quoted('"');
    const std::size_t open = text_.find('(', at_);
    if (open == text_.npos) return skip_quoted('"');
    const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    skip_until(end);
  }

  void add_token() {
    Token token{{at_, at_}, line_, static_cast<unsigned>(at_ - line_begin_) + 1, is_word_character(text_[at_])};
    // Apostrophes divide the digits of a number.
    const bool is_number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    do {
      step();
    } while (token.is_word && at_ < text_.size() &&
             (is_word_character(text_[at_]) || (is_number && text_[at_] == '\'')));
    token.range.end = at_;
    tokens_.push_back(token);
    is_first_of_line_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0, line_begin_ = 0;
  unsigned line_ = 1;
  bool is_first_of_line_ = true;
  std::vector<Token> tokens_;
};

/// How many arguments a call has without an order, and how many are orders at most.
struct Shape {
  CallStyle style;
  std::size_t values;
  std::size_t most_orders;
};

bool take_prefix(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

bool take_suffix(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return true;
}

/// The arguments of an operation behind the object, without orders: its name is that of a member function.
std::optional<std::size_t> values_of(std::string_view name, SiteOperation operation) {
  switch (operation) {
    case SiteOperation::load:
      if (name == "load" || name == "test") return 0;
      return name == "wait" ? std::optional<std::size_t>(1) : std::nullopt;
    case SiteOperation::store:
      if (name == "store") return 1;
      return name == "clear" ? std::optional<std::size_t>(0) : std::nullopt;
    case SiteOperation::read_modify_write:
      if (name == "exchange" || name.starts_with("fetch_") || name.ends_with("_fetch")) return 1;
      return name == "test_and_set" ? std::optional<std::size_t>(0) : std::nullopt;
    case SiteOperation::compare_exchange:
    case SiteOperation::failed_exchange:
      return name.starts_with("compare_exchange") ? std::optional<std::size_t>(2) : std::nullopt;
    default: return std::nullopt;
  }
}

std::optional<Shape> shape_of(std::string_view name, SiteOperation operation) {
  if (operation == SiteOperation::fence) {
    if (name == "__atomic_thread_fence") return Shape{CallStyle::builtin, 0, 1};
    if (name == "atomic_thread_fence") return Shape{CallStyle::explicit_call, 0, 1};
    return std::nullopt;
  }
  const bool is_exchange = operation == SiteOperation::compare_exchange || operation == SiteOperation::failed_exchange;
  const std::size_t orders = is_exchange ? 2 : 1;
  if (take_prefix(name, "__atomic_")) {
    const bool has_number = take_suffix(name, "_n");
    const auto values = values_of(name, operation);
    if (!values) return std::nullopt;
    // The generic forms return the value through a pointer.
    const bool returns_by_pointer = !has_number && (name == "load" || name == "exchange");
    return Shape{CallStyle::builtin, 1 + *values + (is_exchange ? 1 : 0) + (returns_by_pointer ? 1 : 0), orders};
  }
  const bool is_function = take_prefix(name, "atomic_flag_") || take_prefix(name, "atomic_");
  const bool is_explicit = is_function && take_suffix(name, "_explicit");
  const auto values = values_of(name, operation);
  if (!values) return std::nullopt;
  if (!is_function) return Shape{CallStyle::member, *values, orders};
  return Shape{is_explicit ? CallStyle::explicit_call : CallStyle::implicit, 1 + *values, is_explicit ? orders : 0};
}

class CallFinder {
 public:
  CallFinder(const SourceText& source, SiteOperation operation) : source_(source), operation_(operation) {}

  Result<AtomicCallText> find(unsigned line, unsigned column) const {
    std::vector<std::size_t> on_line, exact;
    for (std::size_t i = 0; i + 1 < source_.tokens().size(); ++i) {
      const Token &name = source_.tokens()[i], &open = source_.tokens()[i + 1];
      if (!name.is_word || source_.word(i + 1) != "(" || !shape_of(source_.word(i), operation_)) continue;
      if (name.line != line && open.line != line) continue;
      on_line.push_back(i);
      if (column != 0 && is_at(i, line, column)) exact.push_back(i);
    }
    if (on_line.empty()) return test_problem("the line has no call of such an operation");
    if (exact.size() == 1) return read_call(exact[0]);
    if (on_line.size() == 1) return read_call(on_line[0]);
    return test_problem("the line has several such calls");
  }

 private:
  bool is_at(std::size_t name, unsigned line, unsigned column) const {
    const auto is_it = [&](std::size_t token) {
      return source_.tokens()[token].line == line && source_.tokens()[token].column == column;
    };
    // clang names a call of std::atomic_thread_fence by its first word.
    const bool has_namespace = name >= 3 && source_.word(name - 1) == ":" && source_.word(name - 2) == ":";
    return is_it(name) || is_it(name + 1) || (has_namespace && is_it(name - 3));
  }

  Result<AtomicCallText> read_call(std::size_t name) const {
    const Shape shape = *shape_of(source_.word(name), operation_);
    AtomicCallText call{shape.style, name, name + 1, {}, {}};
    std::vector<std::size_t> ends;  // tokens: the separators of the arguments
    int depth = 0;
    for (call.close = name + 1; call.close < source_.tokens().size(); ++call.close) {
      const std::string_view word = source_.word(call.close);
      if (word == "(" || word == "[" || word == "{") ++depth;
      if (word == ")" || word == "]" || word == "}") --depth;
      if (depth == 0) break;
      if (depth == 1 && word == ",") ends.push_back(call.close);
    }
    if (call.close == source_.tokens().size()) return test_problem("the call does not end in this file");
    ends.push_back(call.close);
    std::size_t first = name + 2;
    for (const std::size_t end : ends) {
      if (end > first)
        call.arguments.push_back({source_.tokens()[first].range.begin, source_.tokens()[end - 1].range.end});
      first = end + 1;
    }
    if (auto problem = find_orders(call, shape)) return *problem;
    return call;
  }

  /// Orders come last. Those that are expressions are found by the number of arguments, which template arguments in
  /// other arguments can make wrong.
  Outcome find_orders(AtomicCallText& call, const Shape& shape) const {
    const std::size_t count = call.arguments.size();
    std::size_t first = count;
    while (first > 0 && count - first < shape.most_orders && order_named(source_.text(call.arguments[first - 1])))
      --first;
    if (first == count) {
      if (count < shape.values || count > shape.values + shape.most_orders)
        return test_problem("the call has other arguments than such an operation");
      first = shape.values;
    }
    for (std::size_t i = first; i < count; ++i) call.orders.push_back(i);
    return std::nullopt;
  }

  const SourceText& source_;
  SiteOperation operation_;
};

}  // namespace

SourceText::SourceText(std::string text) : text_(std::move(text)), tokens_(Lexer(text_).tokens()) {}

Result<AtomicCallText> find_call(const SourceText& source, unsigned line, unsigned column, SiteOperation operation) {
  return CallFinder(source, operation).find(line, column);
}

std::optional<MemoryOrder> order_named(std::string_view text) {
  std::string word(text);
  std::erase_if(word, is_space);
  std::string_view name = word;
  take_prefix(name, "::");
  take_prefix(name, "std::");
  const bool is_standard = take_prefix(name, "memory_order_") || take_prefix(name, "memory_order::");
  if (!is_standard) {
    if (!take_prefix(name, "__ATOMIC_")) return std::nullopt;
    std::string lowered(name);
    for (char& c : lowered) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return order_named("memory_order_" + lowered);
  }
  constexpr std::array<std::pair<std::string_view, MemoryOrder>, 6> names{{{"relaxed", MemoryOrder::relaxed},
                                                                           {"consume", MemoryOrder::consume},
                                                                           {"acquire", MemoryOrder::acquire},
                                                                           {"release", MemoryOrder::release},
                                                                           {"acq_rel", MemoryOrder::acq_rel},
                                                                           {"seq_cst", MemoryOrder::seq_cst}}};
  for (const auto& [known, order] : names)
    if (name == known) return order;
  return std::nullopt;
}

}  // namespace heddle::orders
