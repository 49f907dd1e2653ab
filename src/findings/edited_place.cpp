#include "findings/edited_place.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "findings/source_lines.hpp"
#include "findings/stack_ends.hpp"

namespace heddle::findings {

namespace {

/// The name without template arguments, parameters and result type: "std::atomic::store".
std::string qualified_name(std::string_view function) {
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    if (function.substr(i).starts_with("operator")) return name + "operator";
    if (c == '(' && depth == 0 && !function.substr(i).starts_with("(anonymous")) break;
    if (c == '<' || c == '(') ++depth;
    if (depth == 0) name += c;
    if ((c == '>' || c == ')') && depth > 0) --depth;
  }
  const std::size_t space = name.rfind(' ');
  return space == std::string::npos ? name : name.substr(space + 1);
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lowered;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// "atomic32_write_rel" has the words atomic32, write and rel.
std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    if (end != 0) words.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return words;
}

constexpr std::array<std::string_view, 26> operation_words = {
    "load", "store", "read", "write", "xchg",  "exchange", "cmpxchg", "cas",    "faa",
    "add",  "sub",   "inc",  "dec",   "and",   "or",       "xor",     "fetch",  "get",
    "set",  "swap",  "init", "fas",   "fence", "clear",    "test",    "compare"};
constexpr std::array<std::string_view, 12> order_words = {"rel", "acq", "rlx",    "relaxed", "release",   "acquire",
                                                          "seq", "sc",  "acqrel", "consume", "nonatomic", "ordered"};
// What else the names of wrappers have: types, variants and results.
constexpr std::array<std::string_view, 32> other_words = {
    "explicit", "weak", "strong", "cst",  "n",      "v",    "val",  "value", "ptr",    "pointer", "flag",
    "bool",     "char", "short",  "int",  "uint",   "long", "size", "u",     "return", "full",    "mb",
    "barrier",  "is",   "not",    "zero", "before", "old",  "new",  "once",  "signal", "thread"};
constexpr std::array<std::string_view, 9> methods = {"load", "store", "exchange", "compare_", "fetch",
                                                     "test", "clear", "operator", "set"};

template <std::size_t size>
bool is_one_of(std::string_view word, const std::array<std::string_view, size>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whether the word is one that names of wrappers consist of; numbers are sizes: int32, 64.
bool is_usual(std::string_view word) {
  while (!word.empty() && std::isdigit(static_cast<unsigned char>(word.back())) != 0) word.remove_suffix(1);
  return word.empty() || is_one_of(word, operation_words) || is_one_of(word, order_words) ||
         is_one_of(word, other_words);
}

// The source of a longer function is not looked at: it does more than one operation.
constexpr std::size_t most_lines = 40;
constexpr std::ptrdiff_t most_statements = 5;

/// The text between the braces of the function that begins at the line (from 1), without comments. Nothing: there is no
/// body, only a declaration.
std::optional<std::string> body_at(const std::vector<std::string>& lines, unsigned line) {
  std::string body;
  int depth = 0;
  bool is_comment = false;
  for (std::size_t i = line - 1; i < std::min<std::size_t>(lines.size(), line - 1 + most_lines); ++i) {
    const std::string_view text = lines[i];
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (is_comment || text.substr(at).starts_with("/*")) {
        const std::size_t end = text.find("*/", at);
        is_comment = end == text.npos;
        if (is_comment) break;
        at = end + 1;
        continue;
      }
      if (text.substr(at).starts_with("//")) break;
      const char c = text[at];
      if (c == ';' && depth == 0) return std::nullopt;
      if (c == '}' && --depth == 0) return body;
      if (depth > 0) body.push_back(c);
      if (c == '{') ++depth;
    }
    if (depth > 0) body.push_back(' ');
  }
  return std::string(most_statements + 1, ';');  // longer than a wrapper is
}

/// Whether the text has the word, and not as a part of another one.
bool has_identifier(std::string_view text, std::string_view word) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + word.size())) return true;
  return false;
}

/// "node->next = top", but not "old = load(p)" or "a->x == 1".
bool stores_to_memory(std::string_view statement) {
  const std::size_t at = statement.find('=');
  if (at == 0 || at == statement.npos || statement.substr(at).starts_with("==")) return false;
  if (std::string_view("=!<>").find(statement[at - 1]) != std::string_view::npos) return false;
  const std::string_view target = statement.substr(0, at);
  return contains(target, "->") || contains(target, "[") || contains(target, ".");
}

/// Whether the body of a function may be one operation alone: a few statements without a loop, none of which stores to
/// a member or an element.
bool is_short_body(std::string_view body) {
  for (const std::string_view loop : {"for", "while", "do", "goto"})
    if (has_identifier(body, loop)) return false;
  if (std::count(body.begin(), body.end(), ';') > most_statements) return false;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find_first_of(";{}"), body.size());
    if (stores_to_memory(body.substr(0, end))) return false;
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return true;
}

/// Functions whose source cannot be read are taken by their names.
bool may_be_one_operation(const Frame& frame) {
  if (frame.function_line == 0 || frame.file.empty()) return true;
  thread_local std::map<std::pair<std::string, unsigned>, bool> known;
  const auto [entry, is_new] = known.try_emplace({frame.file, frame.function_line}, true);
  if (is_new)
    if (const auto body = body_at(source_lines(frame.file), frame.function_line)) entry->second = is_short_body(*body);
  return entry->second;
}

}  // namespace

bool is_atomic_wrapper(std::string_view function) {
  const std::string name = lower(qualified_name(function));
  const std::size_t last = name.rfind("::");
  const std::string_view own =
      last == std::string::npos ? std::string_view(name) : std::string_view(name).substr(last + 2);
  std::string_view type = last == std::string::npos ? std::string_view() : std::string_view(name).substr(0, last);
  if (const std::size_t outer = type.rfind("::"); outer != type.npos) type.remove_prefix(outer + 2);
  // A method of a class that stands for one atomic object.
  if (contains(type, "atomic") && !contains(type, "queue") &&
      std::any_of(methods.begin(), methods.end(), [&](std::string_view method) { return own.starts_with(method); }))
    return true;
  // The last one is a part of std::atomic<T>::wait, and loads the value with the order that wait() was given.
  if (own.starts_with("ck_pr_") || own.starts_with("smp_") || own.starts_with("__atomic_wait_address")) return true;
  // The name of the library may come first: g_atomic_int_add, vatomic32_write_rel, ao_load_acquire. A word that says
  // what is stored is not of a wrapper: atomic_add_node, push_release.
  const std::vector<std::string_view> words = words_of(own);
  const auto atomic =
      std::find_if(words.begin(), words.end(), [](std::string_view word) { return contains(word, "atomic"); });
  const bool has_atomic = atomic != words.end();
  const auto first = has_atomic ? atomic + 1 : words.begin();
  const auto has_word_of = [&](const auto& list) {
    return std::any_of(first, words.end(), [&](std::string_view word) { return is_one_of(word, list); });
  };
  if (!has_word_of(operation_words) || !(has_atomic || has_word_of(order_words))) return false;
  const auto unusual = std::find_if_not(first, words.end(), is_usual);
  return unusual == words.end() ||
         (!has_atomic && unusual == words.begin() && std::all_of(unusual + 1, words.end(), is_usual));
}

bool is_atomic_wrapper(const Frame& frame) {
  return is_atomic_wrapper(std::string_view(frame.function)) && may_be_one_operation(frame);
}

EditedFrame edited_frame(const std::vector<Frame>& frames) {
  EditedFrame edited;
  const Frame* wrapper = nullptr;
  for (const Frame& frame : frames) {
    if (frame.file.empty() || frame.line == 0) continue;
    if (edited.frame == nullptr) edited.frame = &frame;
    if (is_library_frame(frame)) continue;
    if (is_atomic_wrapper(frame)) {
      if (wrapper == nullptr) edited.frame = &frame;  // if its caller is not known
      wrapper = &frame;
      continue;
    }
    return {&frame, wrapper};
  }
  return edited;
}

}  // namespace heddle::findings
