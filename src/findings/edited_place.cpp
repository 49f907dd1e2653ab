#include "findings/edited_place.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

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
bool has_word(std::string_view name, std::span<const std::string_view> words) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    if (std::find(words.begin(), words.end(), name.substr(0, end)) != words.end()) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

constexpr std::array<std::string_view, 26> operation_words = {
    "load", "store", "read", "write", "xchg",  "exchange", "cmpxchg", "cas",    "faa",
    "add",  "sub",   "inc",  "dec",   "and",   "or",       "xor",     "fetch",  "get",
    "set",  "swap",  "init", "fas",   "fence", "clear",    "test",    "compare"};
constexpr std::array<std::string_view, 12> order_words = {"rel", "acq", "rlx",    "relaxed", "release",   "acquire",
                                                          "seq", "sc",  "acqrel", "consume", "nonatomic", "ordered"};
constexpr std::array<std::string_view, 9> methods = {"load", "store", "exchange", "compare_", "fetch",
                                                     "test", "clear", "operator", "set"};

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
  if (own.starts_with("ck_pr_") || own.starts_with("smp_")) return true;
  if (!has_word(own, operation_words)) return false;
  return contains(own, "atomic") || has_word(own, order_words);
}

EditedFrame edited_frame(const std::vector<Frame>& frames) {
  EditedFrame edited;
  const Frame* wrapper = nullptr;
  for (const Frame& frame : frames) {
    if (frame.file.empty() || frame.line == 0) continue;
    if (edited.frame == nullptr) edited.frame = &frame;
    if (is_library_frame(frame)) continue;
    if (is_atomic_wrapper(frame.function)) {
      if (wrapper == nullptr) edited.frame = &frame;  // if its caller is not known
      wrapper = &frame;
      continue;
    }
    return {&frame, wrapper};
  }
  return edited;
}

}  // namespace heddle::findings
