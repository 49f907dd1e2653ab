#include "prediction/directed_cycle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "base/hash.hpp"

namespace heddle::prediction {

namespace {

using strategies::Cycle;
using strategies::CyclePair;
using strategies::CycleTable;

/// A hash of the places of the cycle, so that it is the same in every run and for every numbering of labels.
std::uint64_t name_of(const Cycle& cycle, const std::vector<Label>& labels) {
  std::string text;
  for (std::uint32_t i = 0; i < cycle.size; ++i)
    for (const std::uint32_t number : {cycle.pairs[i].first, cycle.pairs[i].second}) {
      const Label& label = labels[number];
      text += fmt::format("{}:{}:{} {};", label.file, label.line, label.column, static_cast<int>(label.kind));
    }
  return base::hash_text(text);
}

void set_sites(CycleTable& table, std::vector<strategies::LabelledSite> sites) {
  std::sort(sites.begin(), sites.end(), [](const auto& a, const auto& b) { return a.site < b.site; });
  table.site_count = static_cast<std::uint32_t>(std::min<std::size_t>(sites.size(), CycleTable::most_sites));
  std::copy_n(sites.begin(), table.site_count, table.sites);
}

template <typename Number>
bool read_number(std::string_view& text, Number& number, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool read_character(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool read_sites(std::string_view& word, DirectedCycle& result) {
  std::vector<std::uint64_t>& sites = result.sites.emplace_back();
  do {
    if (!read_number(word, sites.emplace_back(), 16)) return false;
  } while (read_character(word, ','));
  return true;
}

bool read_word(std::string_view word, DirectedCycle& result) {
  std::uint32_t number = 0;
  if (!read_number(word, number, 10)) return false;
  if (read_character(word, '=')) return number == result.sites.size() && read_sites(word, result) && word.empty();
  if (result.cycle.size == Cycle::most_pairs || !result.sites.empty()) return false;
  CyclePair pair{number, number, 1};
  if (read_character(word, '-')) {
    pair.is_single = 0;
    if (!read_number(word, pair.second, 10)) return false;
  }
  result.cycle.pairs[result.cycle.size++] = pair;
  return word.empty();
}

}  // namespace

DirectedCycle directed_cycle(const Cycle& cycle, const std::vector<Label>& labels) {
  DirectedCycle result{cycle, name_of(cycle, labels), {}};
  std::vector<std::uint32_t> numbers;
  const auto renumbered = [&](std::uint32_t label) {
    const auto known = std::find(numbers.begin(), numbers.end(), label);
    if (known != numbers.end()) return static_cast<std::uint32_t>(known - numbers.begin());
    numbers.push_back(label);
    result.sites.push_back(labels[label].sites);
    return static_cast<std::uint32_t>(numbers.size() - 1);
  };
  for (std::uint32_t i = 0; i < cycle.size; ++i) {
    result.cycle.pairs[i].first = renumbered(cycle.pairs[i].first);
    result.cycle.pairs[i].second = renumbered(cycle.pairs[i].second);
  }
  return result;
}

std::string to_text(const DirectedCycle& cycle) {
  std::string text = fmt::format("{:x}", cycle.name);
  for (std::uint32_t i = 0; i < cycle.cycle.size; ++i) {
    const CyclePair& pair = cycle.cycle.pairs[i];
    text += pair.is_single != 0 ? fmt::format(" {}", pair.first) : fmt::format(" {}-{}", pair.first, pair.second);
  }
  for (std::size_t label = 0; label < cycle.sites.size(); ++label) {
    text += fmt::format(" {}=", label);
    for (std::size_t i = 0; i < cycle.sites[label].size(); ++i)
      text += fmt::format("{}{:x}", i == 0 ? "" : ",", cycle.sites[label][i]);
  }
  return text;
}

std::optional<DirectedCycle> parse_cycle(std::string_view text) {
  DirectedCycle result;
  if (!read_number(text, result.name, 16)) return std::nullopt;
  while (read_character(text, ' ')) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    if (!read_word(word, result)) return std::nullopt;
  }
  if (!text.empty() || result.cycle.size < 2) return std::nullopt;
  for (std::uint32_t i = 0; i < result.cycle.size; ++i)
    if (std::max(result.cycle.pairs[i].first, result.cycle.pairs[i].second) >= result.sites.size()) return std::nullopt;
  return result;
}

void write_table(const std::vector<Cycle>& cycles, const std::vector<Label>& labels, CycleTable& table) {
  table.cycle_count = static_cast<std::uint32_t>(std::min<std::size_t>(cycles.size(), CycleTable::most_cycles));
  std::set<std::uint32_t> used;
  for (std::uint32_t i = 0; i < table.cycle_count; ++i) {
    table.cycles[i] = cycles[i];
    table.names[i] = name_of(cycles[i], labels);
    for (std::uint32_t j = 0; j < cycles[i].size; ++j)
      used.insert({cycles[i].pairs[j].first, cycles[i].pairs[j].second});
  }
  std::vector<strategies::LabelledSite> sites;
  for (const std::uint32_t label : used)
    for (const std::uint64_t site : labels[label].sites) sites.push_back({site, label, 0});
  set_sites(table, std::move(sites));
}

void write_table(const DirectedCycle& cycle, CycleTable& table) {
  table.cycle_count = 1;
  table.cycles[0] = cycle.cycle;
  table.names[0] = cycle.name;
  table.trials = table.executions = std::numeric_limits<std::uint32_t>::max();
  std::vector<strategies::LabelledSite> sites;
  for (std::uint32_t label = 0; label < cycle.sites.size(); ++label)
    for (const std::uint64_t site : cycle.sites[label]) sites.push_back({site, label, 0});
  set_sites(table, std::move(sites));
}

}  // namespace heddle::prediction
