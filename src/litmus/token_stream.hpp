// A stream of tokens. It keeps the first error; after an error the stream is at its end, so that every loop ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "litmus/lexer.hpp"
#include "litmus/position.hpp"

namespace heddle::litmus {

class TokenStream {
 public:
  TokenStream(std::vector<Token> tokens, std::string file) : tokens_(std::move(tokens)), file_(std::move(file)) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[next_ + ahead < tokens_.size() ? next_ + ahead : tokens_.size() - 1];
  }
  Token take() {
    const Token token = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return token;
  }
  /// Where the token that was taken last ends in the file's text.
  const char* last_taken_end() const {
    const std::string_view last = tokens_[next_ == 0 ? 0 : next_ - 1].spelling;
    return last.data() + last.size();
  }
  bool is(std::string_view spelling, std::size_t ahead = 0) const {
    const Token& token = peek(ahead);
    return token.kind != Token::Kind::end && token.spelling == spelling;
  }
  bool accept(std::string_view spelling) {
    if (!is(spelling)) return false;
    take();
    return true;
  }
  void expect(std::string_view spelling) {
    if (!accept(spelling)) fail_unexpected("'" + std::string(spelling) + "'");
  }
  std::string_view expect_word(const char* what) {
    if (peek().kind == Token::Kind::word) return take().spelling;
    fail_unexpected(what);
    return {};
  }
  std::int64_t expect_number() {
    const bool is_negative = accept("-");
    if (peek().kind != Token::Kind::number) fail_unexpected("a number");
    const std::int64_t number = take().number;
    return is_negative ? -number : number;
  }

  void fail(Position at, const std::string& message) {
    if (!error_) error_ = problem_at(file_, at, message);
    next_ = tokens_.size() - 1;
  }
  void fail_unexpected(const std::string& expected) {
    fail(peek().at, "expected " + expected + ", found '" + std::string(peek().spelling) + "'");
  }
  bool at_end() const { return peek().kind == Token::Kind::end; }
  const Outcome& error() const { return error_; }

 private:
  std::vector<Token> tokens_;
  std::string file_;
  std::size_t next_ = 0;
  Outcome error_;
};

}  // namespace heddle::litmus
