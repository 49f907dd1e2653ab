// Finds the call of an atomic operation in the text of a source file, by the line and the column that the compiler has
// recorded for it, and the places in it that name memory orders.
//
// gcc records the column of the parenthesis of a call, clang that of the function's name. A call is also found without
// a matching column if its line has only one call of such an operation.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "channel/site_order.hpp"
#include "graph/event.hpp"

namespace heddle::orders {

/// Bytes of a text.
struct TextRange {
  std::size_t begin = 0, end = 0;
};

struct Token {
  TextRange range;
  unsigned line = 0, column = 0;  ///< from 1; columns are bytes
  bool is_word = false;           ///< an identifier, a keyword or a number
};

/// A source file. Comments, strings and preprocessor lines are no tokens.
class SourceText {
 public:
  explicit SourceText(std::string text);

  const std::string& text() const { return text_; }
  std::string_view text(TextRange range) const {
    return std::string_view(text_).substr(range.begin, range.end - range.begin);
  }
  const std::vector<Token>& tokens() const { return tokens_; }
  std::string_view word(std::size_t token) const { return text(tokens_[token].range); }

 private:
  std::string text_;
  std::vector<Token> tokens_;
};

/// How an operation names its order.
enum class CallStyle : std::uint8_t {
  member,         ///< x.load(std::memory_order_acquire): the order may be left out
  implicit,       ///< atomic_load(&x): another function takes the order
  explicit_call,  ///< atomic_load_explicit(&x, memory_order_acquire), atomic_thread_fence(memory_order_acquire)
  builtin,        ///< __atomic_load_n(&x, __ATOMIC_ACQUIRE)
};

struct AtomicCallText {
  CallStyle style = CallStyle::member;
  std::size_t name = 0;              ///< token
  std::size_t close = 0;             ///< token: the closing parenthesis
  std::vector<TextRange> arguments;  ///< without spaces around them
  /// Arguments that are orders, as positions in `arguments`: two at most, for a compare-exchange.
  std::vector<std::size_t> orders;
};

/// A problem is a clause that says why the call cannot be edited: "the line has no call of such an operation".
Result<AtomicCallText> find_call(const SourceText& source, unsigned line, unsigned column,
                                 channel::SiteOperation operation);

/// The order that a text names: "std::memory_order_acquire", "memory_order::acquire", "__ATOMIC_ACQUIRE". Nothing:
/// it is another expression.
std::optional<graph::MemoryOrder> order_named(std::string_view text);

}  // namespace heddle::orders
