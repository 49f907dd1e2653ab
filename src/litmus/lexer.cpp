#include "litmus/lexer.hpp"

#include <charconv>
#include <optional>

namespace heddle::litmus {

namespace {

// Longest first: the first that fits is taken.
constexpr std::string_view symbols[] = {"/\\", "\\/", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "{",
                                        "}",   "(",   ")",  "[",  "]",  ";",  ",",  "*",  "&",  "|",  "^",
                                        "+",   "-",   "!",  "~",  "=",  "<",  ">",  ":",  "."};

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(std::string_view text, std::size_t start, Position at, const std::string& file)
      : text_(text), next_(start), at_(at), file_(file) {}

  Result<std::vector<Token>> run() {
    std::vector<Token> tokens;
    while (true) {
      if (!skip_blanks()) return problem_at(file_, at_, "this comment does not end");
      if (rest().empty()) break;
      const std::optional<Token> token = take();
      if (!token) return problem_at(file_, at_, std::string("unexpected character '") + rest().front() + "'");
      tokens.push_back(*token);
    }
    tokens.push_back({Token::Kind::end, "end of file", 0, at_});
    return tokens;
  }

 private:
  std::string_view rest() const { return text_.substr(next_); }

  void advance(std::size_t count) {
    for (; count > 0; --count, ++next_) {
      ++at_.column;
      if (text_[next_] == '\n') at_ = {at_.line + 1, 1};
    }
  }

  /// False: a comment is left open.
  bool skip_blanks() {
    while (!rest().empty()) {
      const char c = rest().front();
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
        advance(1);
      else if (rest().starts_with("//"))
        advance(std::min(rest().find('\n'), rest().size()));
      else if (rest().starts_with("/*") || rest().starts_with("(* ")) {  // "(*x" is a plain access
        const auto end = rest().find(c == '/' ? "*/" : "*)", 2);
        if (end == std::string_view::npos) return false;
        advance(end + 2);
      } else
        break;
    }
    return true;
  }

  std::optional<Token> take() {
    Token token{Token::Kind::symbol, {}, 0, at_};
    std::size_t size = 0;
    const char first = rest().front();
    if (is_word_start(first)) {
      token.kind = Token::Kind::word;
      while (size < rest().size() && (is_word_start(rest()[size]) || is_digit(rest()[size]))) ++size;
    } else if (is_digit(first)) {
      token.kind = Token::Kind::number;
      const bool is_hex = rest().starts_with("0x");
      const char* begin = rest().data() + (is_hex ? 2 : 0);
      const auto parsed = std::from_chars(begin, rest().data() + rest().size(), token.number, is_hex ? 16 : 10);
      if (parsed.ec != std::errc{}) return std::nullopt;
      size = static_cast<std::size_t>(parsed.ptr - rest().data());
    } else if (first == '"') {
      token.kind = Token::Kind::text;
      const auto end = rest().find('"', 1);
      if (end == std::string_view::npos) return std::nullopt;
      size = end + 1;
    } else {
      for (std::string_view symbol : symbols)
        if (size == 0 && rest().starts_with(symbol)) size = symbol.size();
      if (size == 0) return std::nullopt;
    }
    token.spelling = rest().substr(0, size);
    advance(size);
    return token;
  }

  std::string_view text_;
  std::size_t next_;
  Position at_;
  const std::string& file_;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text, std::size_t start, Position at, const std::string& file) {
  return Lexer(text, start, at, file).run();
}

}  // namespace heddle::litmus
