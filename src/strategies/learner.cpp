#include "strategies/learner.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace heddle::strategies {

namespace {

constexpr std::uint64_t first_round = 16;
// What has not paid in a million executions will not decide the next; and whoever merges what all workers saw makes
// them wait for it.
constexpr std::uint64_t last_round_begins = 1 << 20;

// Of the executions after the first bug, this part goes to showing bugs; the rest looks for others.
constexpr double bug_part = 0.8;
// A graph more is a small thing, a bug that nobody had met is not.
constexpr double worth_of_finding = 32;
// Nothing in use gets less than this part of an even share.
constexpr double floor_part = 0.25;
// A depth has been tried when this many executions used it.
constexpr std::uint64_t tried_after = 16;

using Weights = std::array<double, most_values>;

void normalise(Weights& weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight = sum > 0 ? weight / sum : 0;
}

bool is_greatest(const Weights& weights, std::size_t value) {
  return weights[value] == *std::max_element(weights.begin(), weights.end());
}

/// Whole numbers in the ratio of `weights`, which sum up to 1.
void write_shares(const Weights& weights, std::uint32_t* shares) {
  std::uint32_t left = PortfolioPlan::whole;
  for (std::size_t value = 0; value < weights.size(); ++value) {
    shares[value] = std::min(left, static_cast<std::uint32_t>(weights[value] * PortfolioPlan::whole));
    left -= shares[value];
  }
  *std::max_element(shares, shares + weights.size()) += left;
}

// The longest execution is often one in which a thread waited, round after round; from its length most change points
// would fall behind the end of all others. So the usual k is the longest but for one execution in ten.
PortfolioPlan::Length learnt_length(const Totals::Lengths& seen) {
  constexpr std::uint64_t most = 1'000'000'000;
  std::uint64_t executions = 0;
  for (const std::uint64_t count : seen.executions) executions += count;
  std::uint64_t shorter = 0;
  std::size_t usual = 0;
  for (; usual < seen.executions.size(); ++usual) {
    shorter += seen.executions[usual];
    if (10 * shorter >= 9 * executions) break;
  }
  const auto longest = static_cast<std::uint32_t>(std::min(seen.longest, most));
  return {std::min(longest, longest_of_class(usual)), longest};
}

/// e^-x, for x >= 0. In a few additions and multiplications, which are the same everywhere, and need no library in the
/// program under test: e^-x is (e^-(x/1024))^1024, and so near to 1 four terms of the series are exact to 16 digits.
double falling(double x) {
  if (x > 64) return 0;  // no share is so small
  const double y = x / 1024;
  double power = 1 - y * (1 - y / 2 * (1 - y / 3 * (1 - y / 4 * (1 - y / 5))));
  for (int doubled = 0; doubled < 10; ++doubled) power *= power;
  return power;
}

double root(double x) { return __builtin_sqrt(x); }

}  // namespace

std::uint64_t round_end(std::uint64_t number) {
  if (number < first_round) return first_round;
  if (number >= last_round_begins) return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t octave = std::bit_floor(number);
  return number < octave + octave / 2 ? octave + octave / 2 : 2 * octave;
}

void Totals::add(const Assignment& drawn, std::uint64_t Sums::*what, std::uint64_t number) {
  for (std::size_t lot = 0; lot < lot_count; ++lot)
    if (drawn.values[lot] != Assignment::unused) sums[lot][drawn.values[lot]].*what += number;
}

void Totals::add_execution(const Assignment& drawn, bool is_buggy, std::uint32_t length) {
  add(drawn, &Sums::executions);
  if (is_buggy) add(drawn, &Sums::buggy);
  if (length == 0) return;
  Lengths& seen = lengths[drawn.of(Lot::member)];
  ++seen.executions[length_class(length)];
  if (length > seen.longest) seen.longest = length;
}

Totals& Totals::operator+=(const Totals& other) {
  for (std::size_t lot = 0; lot < lot_count; ++lot) {
    for (std::size_t value = 0; value < most_values; ++value) {
      Sums& to = sums[lot][value];
      const Sums& from = other.sums[lot][value];
      to.executions += from.executions;
      to.buggy += from.buggy;
      to.graphs += from.graphs;
      to.findings += from.findings;
    }
  }
  for (std::size_t member = 0; member < member_count; ++member) {
    Lengths& to = lengths[member];
    const Lengths& from = other.lengths[member];
    for (std::size_t i = 0; i < length_classes; ++i) to.executions[i] += from.executions[i];
    to.longest = std::max(to.longest, from.longest);
  }
  return *this;
}

Learner::Learner(const PortfolioScope& scope) : scope_(scope), plan_(first_plan(scope)) {
  for (std::size_t lot = 0; lot < lot_count; ++lot)
    for (std::size_t value = 0; value < most_values; ++value)
      if (plan_.news[lot][value] != 0) in_use_[lot] = value + 1;
}

void Learner::learn(const Totals& totals) {
  plan_.length = learnt_length(totals.lengths[static_cast<std::size_t>(Member::pct)]);
  plan_.communications = learnt_length(totals.lengths[static_cast<std::size_t>(Member::pctwm)]);
  for (std::size_t lot = 0; lot < lot_count; ++lot) {
    for (std::size_t value = 0; value < most_values; ++value) {
      const Totals::Sums& now = totals.sums[lot][value];
      const Totals::Sums& then = before_.sums[lot][value];
      News& news = news_[lot][value];
      news.executions = news.executions / 2 + static_cast<double>(now.executions - then.executions);
      news.found = news.found / 2 + static_cast<double>(now.graphs - then.graphs) +
                   worth_of_finding * static_cast<double>(now.findings - then.findings);
    }
    if (scope_.draws(static_cast<Lot>(lot))) share_out(static_cast<Lot>(lot), totals);
  }
  std::uint64_t buggy = 0;
  for (const Totals::Sums& sums : totals.sums[static_cast<std::size_t>(Lot::member)]) buggy += sums.buggy;
  plan_.for_bugs = buggy != 0 ? static_cast<std::uint32_t>(bug_part * PortfolioPlan::whole) : 0;
  before_ = totals;
}

// Depths grow; but more than there are events in the longest execution is as many: see parameters_of.
std::size_t Learner::values_that_differ(Lot lot) const {
  const bool is_pct = lot == Lot::pct_depth;
  if (!is_pct && lot != Lot::pctwm_depth) return in_use_[static_cast<std::size_t>(lot)];
  const std::size_t longest = scope_.length ? *scope_.length : (is_pct ? plan_.length : plan_.communications).longest;
  const std::size_t least = is_pct ? least_pct_depth : least_pctwm_depth;
  return longest == 0 ? most_values : std::min(most_values, longest - least + 1);
}

/// With half a hit and half a miss that nobody saw: certainty takes numbers.
Learner::Rate Learner::rate_of(const Totals::Sums& sums) {
  const auto tries = static_cast<double>(sums.executions);
  const double mean = (static_cast<double>(sums.buggy) + 0.5) / (tries + 1);
  return {mean, mean * (1 - mean) / (tries + 2)};
}

// A member is as good as the best value of its parameters, not as their average: it will use that one more and more.
Learner::Rate Learner::bug_rate(Lot lot, std::size_t value, const Totals& totals) const {
  Rate best = rate_of(totals.of(lot, value));
  if (lot != Lot::member) return best;
  const auto cautious = [](const Rate& rate) { return rate.mean - root(rate.variance); };
  for (std::size_t i = 0; i < lot_count; ++i) {
    const auto inner = static_cast<Lot>(i);
    const auto owner = member_of(inner);
    if (!owner || static_cast<std::size_t>(*owner) != value || !scope_.draws(inner)) continue;
    for (std::size_t v = 0; v < most_values; ++v) {
      const Rate rate = rate_of(totals.of(inner, v));
      if (plan_.news[i][v] != 0 && cautious(rate) > cautious(best)) best = rate;
    }
  }
  return best;
}

/// 1 for the best itself; falls with the distance, counted in standard deviations: what is clearly worse gets next to
/// nothing, and what is merely unknown is tried.
double Learner::may_be_best(const Rate& rate, const Rate& best) {
  const double distance = best.mean - rate.mean;
  return distance <= 0 ? 1 : falling(distance * distance / (rate.variance + best.variance));
}

void Learner::share_out(Lot lot, const Totals& totals) {
  std::uint32_t* shares = plan_.news[static_cast<std::size_t>(lot)];
  const auto& sums = totals.sums[static_cast<std::size_t>(lot)];
  const auto& news = news_[static_cast<std::size_t>(lot)];
  std::size_t& in_use = in_use_[static_cast<std::size_t>(lot)];
  const std::size_t different = values_that_differ(lot);
  std::size_t values = std::min(in_use, different);

  Rate best{0, 0};
  for (std::size_t value = 0; value < values; ++value)
    if (const Rate rate = bug_rate(lot, value, totals); rate.mean > best.mean) best = rate;
  Weights for_bugs{}, for_news{};
  for (std::size_t value = 0; value < values; ++value) {
    for_bugs[value] = may_be_best(bug_rate(lot, value, totals), best);
    // The root keeps a strategy that is all noise, where every graph is new, from taking everything.
    for_news[value] = root((news[value].found + 1) / (news[value].executions + 1));
  }
  // Nothing in use pays better than the deepest, and it was tried: there may be more below.
  const std::size_t deepest = values - 1;
  const bool has_been_tried = sums[deepest].executions >= tried_after;
  if (values == in_use && in_use < different && has_been_tried &&
      (is_greatest(for_bugs, deepest) || is_greatest(for_news, deepest))) {
    for_bugs[values] = for_bugs[deepest];
    for_news[values] = for_news[deepest];
    ++values;
    ++in_use;
  }
  normalise(for_news);
  for (double& weight : for_news)
    if (weight > 0) weight = std::max(weight, floor_part / static_cast<double>(values));
  normalise(for_news);
  normalise(for_bugs);
  write_shares(for_news, shares);
  write_shares(for_bugs, plan_.bugs[static_cast<std::size_t>(lot)]);
}

}  // namespace heddle::strategies
