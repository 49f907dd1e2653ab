#include "orders/source_edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "orders/site_list.hpp"

namespace heddle::orders {

namespace {

/// The order of a failed compare-exchange that names only one order.
MemoryOrder failure_of(MemoryOrder success) {
  if (success == MemoryOrder::acq_rel) return MemoryOrder::acquire;
  return success == MemoryOrder::release ? MemoryOrder::relaxed : success;
}

bool is_exchange(SiteOperation operation) {
  return operation == SiteOperation::compare_exchange || operation == SiteOperation::failed_exchange;
}

bool adds_fence(SiteOperation operation) {
  return operation == SiteOperation::fence_before || operation == SiteOperation::fence_after;
}

constexpr const char* has_no_argument =
    "no argument here names its order: it is an operator, or inside a macro or another function";

class FileEditor {
 public:
  FileEditor(const SourceText& source, std::span<const PlacedChange> changes) : source_(source), changes_(changes) {}

  FileEdits edit() {
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (is_edited_with_earlier(i)) continue;
      const Outcome problem = adds_fence(changes_[i].operation) ? add_fence(changes_[i]) : change_order(i);
      if (!problem) continue;
      result_.unedited.push_back({i, problem->text});
      if (const auto other = other_order(i)) result_.unedited.push_back({*other, problem->text});
    }
    std::stable_sort(result_.edits.begin(), result_.edits.end(),
                     [](const TextEdit& a, const TextEdit& b) { return a.range.begin < b.range.begin; });
    return std::move(result_);
  }

 private:
  /// The change of the other order of the same compare-exchange.
  std::optional<std::size_t> other_order(std::size_t change) const {
    for (std::size_t i = 0; i < changes_.size(); ++i)
      if (i != change && is_exchange(changes_[i].operation) && is_exchange(changes_[change].operation) &&
          changes_[i].operation != changes_[change].operation &&
          changes_[i].place.line == changes_[change].place.line &&
          changes_[i].place.column == changes_[change].place.column)
        return i;
    return std::nullopt;
  }

  bool is_edited_with_earlier(std::size_t change) const {
    const auto other = other_order(change);
    return other && *other < change;
  }

  Outcome change_order(std::size_t number) {
    const PlacedChange& change = changes_[number];
    const auto call = find_call(source_, change.place.line, change.place.column, change.operation);
    if (!call) {
      const bool is_missing = call.problem().text == "the line has no call of such an operation";
      return is_missing ? test_problem(has_no_argument) : call.problem();
    }
    std::vector<MemoryOrder> now;
    for (const std::size_t argument : call->orders) {
      auto order = order_named(source_.text(call->arguments[argument]));
      if (!order) order = constant(source_.text(call->arguments[argument]));
      if (!order)
        return test_problem(fmt::format("the source computes the order: {}", source_.text(call->arguments[argument])));
      now.push_back(*order);
    }
    if (is_exchange(change.operation)) return change_exchange(number, *call, std::move(now));
    const MemoryOrder own = now.empty() ? MemoryOrder::seq_cst : now[0];
    if (auto problem = check_own(change, own)) return problem;
    if (change.operation == SiteOperation::fence && change.to == MemoryOrder::plain) return remove_fence(*call);
    write_orders(*call, {change.to});
    return std::nullopt;
  }

  /// The order that a constant of this file stands for.
  std::optional<MemoryOrder> constant(std::string_view name) const {
    for (std::size_t i = 1; i + 2 < source_.tokens().size(); ++i) {
      if (source_.word(i) != name || source_.word(i + 1) != "=") continue;
      std::size_t first = i;
      while (first > 0 && !begins_statement(first)) --first;
      std::size_t last = i + 2;
      while (last < source_.tokens().size() && source_.word(last) != ";") ++last;
      if (last == source_.tokens().size()) return std::nullopt;
      for (std::size_t word = first; word < i; ++word)
        if (source_.word(word) == "constexpr")
          return order_named(source_.text({source_.tokens()[i + 2].range.begin, source_.tokens()[last - 1].range.end}));
    }
    return std::nullopt;
  }

  Outcome change_exchange(std::size_t number, const AtomicCallText& call, std::vector<MemoryOrder> now) {
    const bool has_both = now.size() == 2;
    if (now.empty()) now.push_back(MemoryOrder::seq_cst);
    if (now.size() == 1) now.push_back(failure_of(now[0]));
    std::vector<MemoryOrder> wanted = now;
    std::vector<std::size_t> made{number};
    if (const auto other = other_order(number)) made.push_back(*other);
    for (const std::size_t change : made) {
      const std::size_t position = changes_[change].operation == SiteOperation::compare_exchange ? 0 : 1;
      if (auto problem = check_own(changes_[change], now[position])) return problem;
      wanted[position] = changes_[change].to;
    }
    // The builtins and explicit functions of C always have both.
    const bool may_have_one = call.style == CallStyle::member && !has_both;
    if (may_have_one && failure_of(wanted[0]) == wanted[1]) wanted.pop_back();
    write_orders(call, wanted);
    return std::nullopt;
  }

  /// The text must be that of the program.
  Outcome check_own(const PlacedChange& change, MemoryOrder in_text) const {
    if (effective(change.operation, in_text) == change.from) return std::nullopt;
    return test_problem(fmt::format("the source says {}, but the program uses {}: compile it again", name_of(in_text),
                                    name_of(change.from)));
  }

  void write_orders(const AtomicCallText& call, const std::vector<MemoryOrder>& orders) {
    for (std::size_t i = 0; i < std::min(orders.size(), call.orders.size()); ++i) {
      const TextRange range = call.arguments[call.orders[i]];
      auto now = order_named(source_.text(range));
      if (!now) now = constant(source_.text(range));
      if (now != orders[i]) result_.edits.push_back({range, spelled(orders[i], call, source_.text(range))});
    }
    std::string added;
    for (std::size_t i = call.orders.size(); i < orders.size(); ++i)
      added += (call.arguments.empty() && added.empty() ? "" : ", ") + spelled(orders[i], call, like_of(call));
    if (added.empty()) return;
    if (call.style == CallStyle::implicit) {
      const std::size_t end = source_.tokens()[call.name].range.end;
      result_.edits.push_back({{end, end}, "_explicit"});
    }
    const std::size_t end = source_.tokens()[call.close].range.begin;
    result_.edits.push_back({{end, end}, added});
  }

  /// An order that the call or the file already spells.
  std::string_view like_of(const AtomicCallText& call) const {
    if (!call.orders.empty()) return source_.text(call.arguments[call.orders[0]]);
    return {};
  }

  std::string spelled(MemoryOrder order, const AtomicCallText& call, std::string_view like) const {
    if (call.style == CallStyle::builtin && (like.empty() || like.starts_with("__ATOMIC_"))) {
      std::string name = name_of(order);
      for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
      return "__ATOMIC_" + name;
    }
    return prefix(like) + name_of(order);
  }

  /// "std::memory_order_", as the text `like` or the file spells it.
  std::string prefix(std::string_view like) const {
    constexpr std::array<std::string_view, 3> spellings = {"std::memory_order::", "std::memory_order_",
                                                           "memory_order_"};
    for (const std::string_view text : {like, std::string_view(source_.text())})
      for (const std::string_view spelling : spellings)
        if (text.find(spelling) != text.npos) return std::string(spelling);
    const bool is_cpp = source_.text().find("std::") != std::string::npos;
    return is_cpp ? "std::memory_order_" : "memory_order_";
  }

  /// Removes the statement; a fence that is a part of another statement becomes a relaxed one, which has no effect.
  Outcome remove_fence(const AtomicCallText& call) {
    const std::size_t first = begin_of_name(call.name);
    const bool is_statement =
        begins_statement(first) && call.close + 1 < source_.tokens().size() && source_.word(call.close + 1) == ";";
    if (!is_statement) {
      write_orders(call, {MemoryOrder::relaxed});
      return std::nullopt;
    }
    TextRange range{source_.tokens()[first].range.begin, source_.tokens()[call.close + 1].range.end};
    const std::string& text = source_.text();
    const TextRange line = whole_lines(range);
    const auto is_blank = [&](std::size_t begin, std::size_t end) {
      return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin),
                         text.begin() + static_cast<std::ptrdiff_t>(end),
                         [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    };
    const std::size_t comment = text.find("//", range.end);
    const bool has_comment = comment < line.end && is_blank(range.end, comment);
    if (is_blank(line.begin, range.begin) && (has_comment || is_blank(range.end, line.end))) range = line;
    result_.edits.push_back({range, ""});
    return std::nullopt;
  }

  std::size_t begin_of_name(std::size_t name) const {
    if (name >= 2 && source_.word(name - 1) == ":" && source_.word(name - 2) == ":")
      return name >= 3 && source_.word(name - 3) == "std" ? name - 3 : name - 2;
    return name;
  }

  /// Whether a statement begins with the token, which is not the only one of an `if` or a loop.
  bool begins_statement(std::size_t token) const {
    if (token == 0) return false;
    const std::string_view before = source_.word(token - 1);
    return before == ";" || before == "{" || before == "}";
  }

  TextRange whole_lines(TextRange range) const {
    const std::string& text = source_.text();
    const std::size_t before = range.begin == 0 ? std::string::npos : text.rfind('\n', range.begin - 1);
    const std::size_t after = text.find('\n', range.end);
    return {before == std::string::npos ? 0 : before + 1, after == std::string::npos ? text.size() : after + 1};
  }

  /// In a line of its own, where the operation is the only one of a statement that is neither a condition nor a loop.
  Outcome add_fence(const PlacedChange& change) {
    const auto statement = statement_of(change.place);
    if (!statement) return test_problem("the operation is a part of a longer statement");
    const bool is_before = change.operation == SiteOperation::fence_before;
    const std::string_view first = source_.text(source_.tokens()[token_at(statement->begin)].range);
    if (!is_before && (first == "return" || first == "co_return"))
      return test_problem("the function returns with the operation");
    const TextRange lines = whole_lines(*statement);
    const std::string& text = source_.text();
    const std::string indent = text.substr(lines.begin, statement->begin - lines.begin);
    if (indent.find_first_not_of(" \t") != indent.npos) return test_problem("the statement does not begin its line");
    const bool is_builtin = text.find("memory_order") == text.npos && text.find("__ATOMIC_") != text.npos;
    const bool is_cpp = text.find("std::") != text.npos;
    const std::string order = is_builtin
                                  ? spelled(change.to, {.style = CallStyle::builtin, .arguments = {}, .orders = {}}, "")
                                  : prefix("") + name_of(change.to);
    const std::string name = is_builtin ? "__atomic_thread_fence"
                             : is_cpp   ? "std::atomic_thread_fence"
                                        : "atomic_thread_fence";
    const std::size_t at = is_before ? lines.begin : lines.end;
    const bool ends_line = at == 0 || text[at - 1] == '\n';
    result_.edits.push_back({{at, at}, fmt::format("{}{}{}({});\n", ends_line ? "" : "\n", indent, name, order)});
    return std::nullopt;
  }

  std::size_t token_at(std::size_t byte) const {
    std::size_t token = 0;
    while (source_.tokens()[token].range.begin < byte) ++token;
    return token;
  }

  /// From its first token to behind its semicolon.
  std::optional<TextRange> statement_of(const findings::SourcePlace& place) const {
    const auto call = only_call(place);
    if (!call) return std::nullopt;
    std::size_t first = call->name, last = call->close;
    while (first > 0 && !begins_statement(first)) --first;
    while (last < source_.tokens().size() && source_.word(last) != ";" && source_.word(last) != "{" &&
           source_.word(last) != "}")
      ++last;
    if (first == 0 || last == source_.tokens().size() || source_.word(last) != ";") return std::nullopt;
    constexpr std::array<std::string_view, 9> conditional = {"if",   "else", "for",    "while",  "do",
                                                             "case", "goto", "switch", "default"};
    for (std::size_t i = first; i < last; ++i) {
      const std::string_view word = source_.word(i);
      if (std::find(conditional.begin(), conditional.end(), word) != conditional.end()) return std::nullopt;
      if (word == "?" || word == "&" || word == "|") {
        // "&&", "||" and the conditional operator do not execute all that they name.
        const bool is_double = i + 1 < last && source_.word(i + 1) == word;
        if (word == "?" || is_double) return std::nullopt;
      }
    }
    return TextRange{source_.tokens()[first].range.begin, source_.tokens()[last].range.end};
  }

  std::optional<AtomicCallText> only_call(const findings::SourcePlace& place) const {
    std::optional<AtomicCallText> found;
    for (const SiteOperation operation : {SiteOperation::load, SiteOperation::store, SiteOperation::read_modify_write,
                                          SiteOperation::compare_exchange}) {
      auto call = find_call(source_, place.line, place.column, operation);
      if (!call) {
        if (call.problem().text == "the line has several such calls") return std::nullopt;
        continue;
      }
      if (found) return std::nullopt;
      found = std::move(*call);
    }
    return found;
  }

  const SourceText& source_;
  std::span<const PlacedChange> changes_;
  FileEdits result_;
};

}  // namespace

FileEdits edit_orders(const SourceText& source, std::span<const PlacedChange> changes) {
  return FileEditor(source, changes).edit();
}

std::string apply_edits(const std::string& text, std::span<const TextEdit> edits) {
  std::string edited;
  std::size_t at = 0;
  for (const TextEdit& edit : edits) {
    edited += text.substr(at, edit.range.begin - at) + edit.text;
    at = edit.range.end;
  }
  return edited + text.substr(at);
}

}  // namespace heddle::orders
