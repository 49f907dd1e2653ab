#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>

namespace heddle::report {

using findings::Activity;
using findings::FindingKind;
using findings::LimitKind;
using findings::Place;

namespace {

/// The length of the well-formed UTF-8 character at the front of `bytes`; 0 if there is none.
std::size_t character_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and code points beyond Unicode.
  const bool wrong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                     (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
  return wrong ? 0 : length;
}

bool is_control(std::string_view character) {
  const auto first = static_cast<std::uint8_t>(character[0]);
  if (first == '\n' || first == '\t') return false;
  if (first < 0x20 || first == 0x7f) return true;
  return character.size() == 2 && first == 0xc2 && static_cast<std::uint8_t>(character[1]) < 0xa0;
}

/// The memory that a finding with accesses is about.
std::string title_object(const findings::Finding& finding) {
  if (!finding.accesses[0].address.symbol.empty()) return address_name(finding.accesses[0].address);
  if (finding.object && !finding.object->address.symbol.empty()) return address_name(finding.object->address);
  if (finding.object && finding.object->place == Place::heap) {
    return fmt::format("a heap block of {} bytes, at offset {}", finding.object->block_size,
                       finding.object->address.value - finding.object->block);
  }
  if (finding.object && finding.object->place == Place::mapped) {
    return fmt::format("mapped memory of {} bytes, at offset {}", finding.object->block_size,
                       finding.object->address.value - finding.object->block);
  }
  if (finding.object && finding.object->place == Place::stack) return "a variable on a stack";
  return fmt::format("the memory at {:#x}", finding.accesses[0].address.value);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Replaces the content of the outermost pairs of `open` and `close` by "..."; operators that contain them stay.
std::string without_content(const std::string& name, char open, char close) {
  std::string result;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_operator = result.ends_with("operator") || result.ends_with("operator<") ||
                             result.ends_with("operator>") || result.ends_with("operator-") ||
                             (i > 0 && name[i - 1] == '-');
    if (depth == 0 && is_operator) {
      result += name[i];
      continue;
    }
    if (name[i] == close && depth > 0 && --depth == 0) result += "...";
    if (depth == 0) result += name[i];
    if (name[i] == open) ++depth;
  }
  return result;
}

bool is_safe_in_shell(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("-_./+:=@%,").find(c) != std::string::npos;
}

std::string kind_words(FindingKind kind) {
  if (kind == FindingKind::assertion) return "assertion failed";
  if (kind == FindingKind::signal_unsafe) return "signal-unsafe call";
  if (kind == FindingKind::signal_errno) return "spoilt errno";
  if (kind == FindingKind::linearizability) return "not linearizable";
  std::string words(channel::name_of(kind));
  std::replace(words.begin(), words.end(), '-', ' ');
  return words;
}

}  // namespace

std::string printable(std::string_view bytes, Controls controls) {
  std::string result;
  while (!bytes.empty()) {
    const std::size_t length = character_length(bytes);
    const std::string_view character = bytes.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || (controls == Controls::escape && is_control(character))) {
      for (const char c : character) result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(c));
    } else {
      result += character;
    }
    bytes.remove_prefix(character.size());
  }
  return result;
}

std::string json_text(std::string_view bytes) { return printable(bytes, Controls::keep); }

ShellWords shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool is_inside = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      is_inside = true;
    } else if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      is_inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (is_inside) words.push_back(std::move(word));
      word.clear();
      is_inside = false;
    } else {
      word += c;
      is_inside = true;
    }
  }
  if (is_inside) words.push_back(std::move(word));
  return {std::move(words), quote != '\0'};
}

std::string short_path(const std::string& path) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  return path.starts_with(here) ? path.substr(here.size()) : path;
}

std::string shell_word(const std::string& text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_safe_in_shell)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string short_function_name(std::string name) {
  constexpr std::size_t long_name = 80;
  replace_all(name, "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string");
  replace_all(name, "std::__cxx11::", "std::");
  if (name.size() > long_name) name = without_content(name, '<', '>');
  if (name.size() > long_name) name = without_content(name, '(', ')');
  return name;
}

std::string address_name(const findings::DataAddress& address) {
  if (address.symbol.empty()) return fmt::format("{:#x}", address.value);
  if (address.offset == 0) return fmt::format("`{}`", address.symbol);
  return fmt::format("`{}`+{}", address.symbol, address.offset);
}

const char* place_name(Place place) {
  constexpr const char* names[] = {"heap", "stack", "global", "mapped"};
  return names[static_cast<std::size_t>(place)];
}

std::string state_text(const findings::ThreadState& thread) {
  switch (thread.activity) {
    case Activity::spins: return "spins, and nothing it reads changes";
    case Activity::waits_for_object:
    case Activity::waits_for_thread: return fmt::format("waits for {}", thread.what);
    case Activity::is_before: return fmt::format("is before {}", thread.what);
  }
  return {};
}

std::string access_text(const findings::Access& access) {
  std::string text = channel::name_of(access.kind);
  if (access.order != graph::MemoryOrder::plain) text += fmt::format(" ({})", order_name(access.order));
  const bool is_lock = access.kind == channel::AccessKind::lock || access.kind == channel::AccessKind::held_lock;
  if (is_lock && !access.address.symbol.empty()) text += " " + address_name(access.address);
  if (access.size != 0) text += fmt::format(" of {} {}", access.size, access.size == 1 ? "byte" : "bytes");
  return text;
}

bool headline_shows_address(const findings::Finding& finding) {
  if (finding.kind != FindingKind::race || finding.accesses.empty()) return false;
  const bool has_symbol =
      !finding.accesses[0].address.symbol.empty() || (finding.object && !finding.object->address.symbol.empty());
  return !has_symbol && (!finding.object || finding.object->place == Place::global);
}

std::string headline(const findings::Finding& finding) {
  if (finding.kind == FindingKind::race && !finding.accesses.empty()) {
    const std::uint64_t size = finding.accesses[0].size;
    std::string text = fmt::format("data race on {}", title_object(finding));
    const bool is_block = finding.accesses[0].address.symbol.empty() && finding.object &&
                          (finding.object->place == Place::heap || finding.object->place == Place::mapped);
    if (size != 0 && !is_block) text += fmt::format(" ({} {})", size, size == 1 ? "byte" : "bytes");
    return text;
  }
  if (finding.message_names_kind) return finding.message;
  const std::string kind = kind_words(finding.kind);
  return finding.message.empty() ? kind : fmt::format("{}: {}", kind, finding.message);
}

namespace {

std::string span_text(std::uint64_t nanoseconds) {
  constexpr std::pair<std::uint64_t, const char*> units[] = {
      {1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}};
  for (const auto& [unit, name] : units)
    if (nanoseconds >= unit)
      return fmt::format("{:.4g} {}", static_cast<double>(nanoseconds) / static_cast<double>(unit), name);
  return "0 s";
}

}  // namespace

std::string bugs_text(std::uint64_t bugs) { return fmt::format("{} {}", bugs, bugs == 1 ? "bug" : "bugs"); }

std::string variant_text(const findings::Finding& variant, const findings::Finding& finding) {
  if (variant.kind == FindingKind::lock_order) return headline(variant);
  if (variant.kind != finding.kind && !variant.message.empty()) return headline(variant);
  const auto place = [](const findings::Stack& stack) -> std::string {
    for (const findings::Frame& frame : stack.frames) {
      if (frame.file.empty() || frame.line == 0) continue;
      const auto slash = frame.file.rfind('/');
      return fmt::format(" at {}:{}", slash == frame.file.npos ? frame.file : frame.file.substr(slash + 1), frame.line);
    }
    return {};
  };
  std::string text;
  for (const findings::Access& access : variant.accesses)
    text += fmt::format("{}{}{}", text.empty() ? "" : " and ", channel::name_of(access.kind), place(access.stack));
  for (const findings::ThreadState& thread : variant.threads)
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", thread.thread, state_text(thread), place(thread.stack));
  if (text.empty()) return headline(variant) + place(variant.stack);
  const bool is_elsewhere = !variant.accesses.empty() && !variant.accesses[0].address.symbol.empty() &&
                            !finding.accesses.empty() &&
                            address_name(variant.accesses[0].address) != address_name(finding.accesses[0].address);
  return is_elsewhere ? fmt::format("{}, on {}", text, address_name(variant.accesses[0].address)) : text;
}

std::string early_end_text(const findings::Finding& finding) {
  if (!findings::needs_early_end(finding)) return {};
  if (finding.early_end.kind == channel::EarlyEnd::Kind::spurious_wake_up)
    return finding.count > 1 ? "the finding needs a spurious wake-up: a wait that ends without a signal"
                             : "in the execution that showed it, a wait ended without a signal (a spurious wake-up)";
  const bool is_sleep = finding.early_end.kind == channel::EarlyEnd::Kind::sleep;
  const std::string wait =
      fmt::format("{} of {}", is_sleep ? "sleep" : "timed wait", span_text(finding.early_end.nanoseconds));
  // One execution does not show that the early end is needed.
  return finding.count > 1
             ? fmt::format("the finding needs a {} to end before a thread that was ready ran", wait)
             : fmt::format("in the execution that showed it, a {} ended before a thread that was ready ran", wait);
}

std::string consequence_text(const findings::Consequence& consequence) {
  return fmt::format("leads to: {}, in {} execution{}", consequence.message, consequence.count,
                     consequence.count == 1 ? "" : "s");
}

std::string limit_advice(const findings::Finding& finding) {
  switch (finding.limit) {
    case LimitKind::check_timeout: return "the option timeout of the check raises this limit";
    // The message names the option, or there is no option.
    case LimitKind::none:
    case LimitKind::events:
    case LimitKind::memory:
    case LimitKind::address_space:
    case LimitKind::timeout:
    case LimitKind::unseen:
    case LimitKind::hang:
    case LimitKind::process_memory:
    case LimitKind::output: return {};
  }
  return {};
}

namespace {

/// The number rounded to two digits: 12345 becomes "12000".
std::string round_number(double number) {
  double unit = 1;
  while (number / unit >= 100) unit *= 10;
  return fmt::format("{:.0f}", std::round(number / unit) * unit);
}

/// The executions that the user has excluded, and for which a proof does not hold; empty: none.
const char* restriction_text(const findings::Results& results) {
  return results.excludes_spurious_wake_ups ? ", without spurious wake-ups (--spurious none)" : "";
}

/// What a search of the clients of a data structure has covered if it explored everything; empty: it is none.
std::string clients_text(const findings::Results& results) {
  const findings::Clients& clients = results.clients;
  if (clients.count == 0) return {};
  return fmt::format(", all {} clients of up to {}", clients.count, printable(clients.bounds, Controls::escape));
}

/// How much of the program an exhaustive search has verified, see docs/exhaustive.md.
std::string search_verdict(const findings::Results& results) {
  const findings::Statistics& s = results.statistics;
  if (findings::is_all_explored(results))
    return fmt::format("all explored{}{}", clients_text(results), restriction_text(results));
  if (results.search_finished && s.cut_off == 0)
    return fmt::format("explored, but no proof: {}", printable(results.gaps.text(), Controls::escape));
  if (results.search_finished && results.switches_explored)
    return fmt::format("all executions with at most {} preemptions were explored, {} were cut off",
                       *results.switches_explored, s.cut_off);
  if (results.search_finished) return fmt::format("not exhaustive: {} were cut off at a bound or limit", s.cut_off);
  const double total = findings::estimated_total(results);
  if (total <= 0) return "not all executions were explored";
  return fmt::format("not all executions were explored, there may be about {} in all", round_number(total));
}

std::uint64_t bugs_of(const findings::Results& results) {
  return static_cast<std::uint64_t>(std::count_if(results.findings.begin(), results.findings.end(), findings::is_bug));
}

/// How many of the bugs the baseline has; empty: there is no baseline.
std::string known_text(const findings::Results& results) {
  if (!results.has_baseline) return {};
  const auto known = std::count_if(results.findings.begin(), results.findings.end(),
                                   [](const auto& finding) { return findings::is_bug(finding) && finding.is_known; });
  return fmt::format(" ({} known)", known);
}

std::string search_summary(const findings::Results& results) {
  const findings::Statistics& s = results.statistics;
  return fmt::format("{} execution graphs and {} that wait, {} buggy, {}{}, {:.2f} s, {:.0f}/s: {}",
                     s.executions - s.blocked - s.cut_off, s.blocked, s.buggy, bugs_text(bugs_of(results)),
                     known_text(results), s.seconds, s.rate(), search_verdict(results));
}

/// What the exhaustive search of `auto` has proved, or why it has not; empty: it was not finished.
std::string proof_text(const findings::Results& results) {
  const findings::Search& search = results.search;
  if (!search.is_finished) return {};
  const std::string waiting = search.waiting == 0 ? "" : fmt::format(" and {} that wait", search.waiting);
  const std::string explored = fmt::format(": all {} execution graphs{} were explored, ", search.graphs(), waiting);
  if (search.is_proof())
    return explored + "nothing is left to find for this input" + clients_text(results) + restriction_text(results);
  return explored + "but this is no proof: " + printable(search.gaps.text(), Controls::escape);
}

// Fewer executions do not show whether new graphs still come.
constexpr std::uint64_t least_executions_to_judge = 1000;

}  // namespace

std::string coverage_text(const findings::Results& results) {
  const findings::Coverage& coverage = results.coverage;
  const std::uint64_t executions = results.statistics.executions;
  if (results.is_exhaustive || results.search.is_proof() || coverage.over_time.empty()) return {};
  if (executions < least_executions_to_judge) return {};
  std::string text;
  if (coverage.since_new_graph >= executions / 2) {
    text = fmt::format("no new graph came in the last {} executions", coverage.since_new_graph);
  } else {
    const auto half = std::find_if(coverage.over_time.begin(), coverage.over_time.end(),
                                   [&](const auto& point) { return point.executions >= executions / 2; });
    const auto& last = coverage.over_time.back();
    text = fmt::format("new graphs still come: {} of the last {} executions showed one", last.graphs - half->graphs,
                       last.executions - half->executions);
  }
  if (coverage.unseen && *coverage.unseen >= 1)
    text += fmt::format("; by their frequencies, at least {} graphs are unseen", round_number(*coverage.unseen));
  return text;
}

std::string summary(const findings::Results& results) {
  const findings::Statistics& s = results.statistics;
  const double percent =
      s.executions == 0 ? 0 : 100.0 * static_cast<double>(s.buggy) / static_cast<double>(s.executions);
  if (results.is_exhaustive) return search_summary(results);
  return fmt::format("{} executions, {} buggy ({:.1f}%), {}{}, {} graphs, {:.2f} s, {:.0f}/s{}", s.executions, s.buggy,
                     percent, bugs_text(bugs_of(results)), known_text(results), s.distinct_graphs, s.seconds, s.rate(),
                     proof_text(results));
}

}  // namespace heddle::report
