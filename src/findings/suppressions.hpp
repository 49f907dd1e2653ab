// Suppressions: findings that the user does not want to see, in the grammar of ThreadSanitizer. A file has one
// suppression a line, "kind:pattern"; blank lines and lines that begin with # are comments.
//
// A pattern matches part of a function's name, a file's path, a library's name or a variable's name. `*` stands for any
// text, `^` at the front and `$` at the end hold the match to the ends of the name.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "findings/finding.hpp"

namespace heddle::findings {

struct Suppression {
  std::string kind;
  std::string pattern;

  std::string text() const { return kind + ":" + pattern; }
};

class Suppressions {
 public:
  /// A line that is not a suppression.
  struct Malformed {
    std::size_t line;  ///< from 1
    std::string text;
    std::string why;
  };
  static std::variant<Suppressions, Malformed> parse(std::string_view text);

  bool empty() const { return list_.empty(); }
  /// The first suppression that matches the finding, whose stacks have frames; null if none does.
  const Suppression* find(const Finding& finding) const;

 private:
  std::vector<Suppression> list_;
};

/// Whether `pattern` matches a part of `name`.
bool matches_pattern(std::string_view pattern, std::string_view name);

/// The kinds of suppressions, for messages: "race, race_top, ...".
std::string suppression_kinds();

}  // namespace heddle::findings
