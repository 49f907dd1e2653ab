#include "strategies/learner.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace heddle::strategies {

namespace {

constexpr std::uint64_t first_round = 16;
// Later rounds would change little, and all workers wait while the driver merges the totals of a round.
constexpr std::uint64_t last_round_begins = 1 << 20;

// After the first bug, this part of the executions repeats what showed bugs; the rest looks for something new.
constexpr double bug_part = 0.8;
// A new finding counts as many new graphs as this.
constexpr double worth_of_finding = 32;
// A value in use gets at least this part of an even share.
constexpr double floor_part = 0.25;
// A value has been tried when this many executions used it.
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

/// Converts `weights`, which sum up to 1, to shares, which sum up to PortfolioPlan::whole.
void write_shares(const Weights& weights, std::uint32_t* shares) {
  std::uint32_t left = PortfolioPlan::whole;
  for (std::size_t value = 0; value < weights.size(); ++value) {
    shares[value] = std::min(left, static_cast<std::uint32_t>(weights[value] * PortfolioPlan::whole));
    left -= shares[value];
  }
  *std::max_element(shares, shares + weights.size()) += left;
}

// The longest execution is often one in which a thread polled for long. If change points were drawn from its length,
// most of them would fall behind the end of the other executions. So the usual length ignores the longest tenth of
// executions.
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

/// e^-x, for x >= 0, by additions and multiplications only: they give the same result on every machine and need no
/// library in the program under test. e^-x is (e^-(x/1024))^1024, and for x/1024 five terms of the series give 16
/// digits.
double falling(double x) {
  if (x > 64) return 0;  // smaller than any share
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
  for (std::size_t draw = 0; draw < most_draws; ++draw)
    if (drawn.values[draw] != Assignment::unused) sums[draw][drawn.values[draw]].*what += number;
}

void Totals::add_execution(const Assignment& drawn, bool is_buggy, const Observation& observation) {
  add(drawn, &Sums::executions);
  if (is_buggy) add(drawn, &Sums::buggy);
  if (!observation.threads.empty()) threads.add(observation.threads);
  if (observation.length == 0) return;
  Lengths& seen = lengths[drawn.strategy()];
  ++seen.executions[length_class(observation.length)];
  if (observation.length > seen.longest) seen.longest = observation.length;
}

Totals& Totals::operator+=(const Totals& other) {
  for (std::size_t draw = 0; draw < most_draws; ++draw) {
    for (std::size_t value = 0; value < most_values; ++value) {
      Sums& to = sums[draw][value];
      const Sums& from = other.sums[draw][value];
      to.executions += from.executions;
      to.buggy += from.buggy;
      to.graphs += from.graphs;
      to.findings += from.findings;
    }
  }
  for (std::size_t strategy = 0; strategy < most_strategies; ++strategy) {
    Lengths& to = lengths[strategy];
    const Lengths& from = other.lengths[strategy];
    for (std::size_t i = 0; i < length_classes; ++i) to.executions[i] += from.executions[i];
    to.longest = std::max(to.longest, from.longest);
  }
  threads += other.threads;
  return *this;
}

Learner::Learner(const PortfolioScope& scope) : scope_(scope), plan_(first_plan(scope)) {
  for (std::size_t draw = 0; draw < scope_.draws().size(); ++draw)
    for (std::size_t value = 0; value < most_values; ++value)
      if (plan_.news[draw][value] != 0) in_use_[draw] = value + 1;
}

void Learner::learn(const Totals& totals) {
  for (std::size_t strategy = 0; strategy < most_strategies; ++strategy)
    plan_.lengths[strategy] = learnt_length(totals.lengths[strategy]);
  plan_.threads = averages(totals.threads);
  for (std::size_t draw = 0; draw < scope_.draws().size(); ++draw) {
    for (std::size_t value = 0; value < most_values; ++value) {
      const Totals::Sums& now = totals.sums[draw][value];
      const Totals::Sums& then = before_.sums[draw][value];
      News& news = news_[draw][value];
      news.executions = news.executions / 2 + static_cast<double>(now.executions - then.executions);
      news.found = news.found / 2 + static_cast<double>(now.graphs - then.graphs) +
                   worth_of_finding * static_cast<double>(now.findings - then.findings);
    }
    if (scope_.draws()[draw].is_open) set_shares(draw, totals);
  }
  std::uint64_t buggy = 0;
  for (const Totals::Sums& sums : totals.sums[strategy_draw]) buggy += sums.buggy;
  plan_.for_bugs = buggy != 0 ? static_cast<std::uint32_t>(bug_part * PortfolioPlan::whole) : 0;
  before_ = totals;
}

/// How many of the draw's values differ in their effect. Depths above the length of the longest execution do not: see
/// parameters_of().
std::size_t Learner::useful_values(const Draw& draw) const {
  const std::size_t all = draw.value_count();
  if (draw.described == nullptr || draw.described->role != Parameter::Role::depth) return all;
  const auto length = registered_strategies()[draw.strategy]->find(Parameter::Role::length);
  if (!length) return all;
  const double longest =
      scope_.only() && scope_.given()[*length] ? *scope_.given()[*length] : plan_.lengths[draw.strategy].longest;
  if (longest == 0) return all;
  std::size_t useful = 1;
  while (useful < all && draw.described->values[useful] <= longest) ++useful;
  return useful;
}

/// Adds half a buggy execution and half a correct one to what was counted, so that few executions give no certainty.
Learner::Rate Learner::rate_of(const Totals::Sums& sums) {
  const auto tries = static_cast<double>(sums.executions);
  const double mean = (static_cast<double>(sums.buggy) + 0.5) / (tries + 1);
  return {mean, mean * (1 - mean) / (tries + 2)};
}

/// The rate that the value can reach. A strategy is judged by the best value of its parameters, not by their average,
/// because its executions will use that value more and more.
Learner::Rate Learner::bug_rate(std::size_t draw, std::size_t value, const Totals& totals) const {
  Rate best = rate_of(totals.sums[draw][value]);
  if (draw != strategy_draw) return best;
  const auto cautious = [](const Rate& rate) { return rate.mean - root(rate.variance); };
  for (std::size_t i = 1; i < scope_.draws().size(); ++i) {
    if (scope_.draws()[i].strategy != value || !scope_.draws()[i].is_open) continue;
    for (std::size_t v = 0; v < most_values; ++v) {
      const Rate rate = rate_of(totals.sums[i][v]);
      if (plan_.news[i][v] != 0 && cautious(rate) > cautious(best)) best = rate;
    }
  }
  return best;
}

/// 1 for the best rate; falls with the distance to it, in standard deviations. So a value that is clearly worse gets
/// next to nothing, and a value with few executions is tried.
double Learner::may_be_best(const Rate& rate, const Rate& best) {
  const double distance = best.mean - rate.mean;
  return distance <= 0 ? 1 : falling(distance * distance / (rate.variance + best.variance));
}

void Learner::set_shares(std::size_t draw, const Totals& totals) {
  const auto& sums = totals.sums[draw];
  const auto& news = news_[draw];
  std::size_t& in_use = in_use_[draw];
  const std::size_t useful = useful_values(scope_.draws()[draw]);
  std::size_t values = std::min(in_use, useful);

  Rate best{0, 0};
  for (std::size_t value = 0; value < values; ++value)
    if (const Rate rate = bug_rate(draw, value, totals); rate.mean > best.mean) best = rate;
  Weights for_bugs{}, for_news{};
  for (std::size_t value = 0; value < values; ++value) {
    for_bugs[value] = may_be_best(bug_rate(draw, value, totals), best);
    // The root limits a strategy that makes every graph a new one by chance alone.
    for_news[value] = root((news[value].found + 1) / (news[value].executions + 1));
  }
  // If no value pays better than the last one in use, and that one was tried, the next value comes into use.
  const std::size_t last = values - 1;
  const bool has_been_tried = sums[last].executions >= tried_after;
  if (values == in_use && in_use < useful && has_been_tried &&
      (is_greatest(for_bugs, last) || is_greatest(for_news, last))) {
    for_bugs[values] = for_bugs[last];
    for_news[values] = for_news[last];
    ++values;
    ++in_use;
  }
  normalise(for_news);
  for (double& weight : for_news)
    if (weight > 0) weight = std::max(weight, floor_part / static_cast<double>(values));
  normalise(for_news);
  normalise(for_bugs);
  write_shares(for_news, plan_.news[draw]);
  write_shares(for_bugs, plan_.bugs[draw]);
}

}  // namespace heddle::strategies
