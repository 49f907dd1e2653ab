#include "strategies/portfolio.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "strategies/recording.hpp"

namespace heddle::strategies {

namespace {

// One execution in 8 draws its change points from the length of the longest execution seen: see learnt_length().
constexpr std::uint64_t longest_odds = 8;
// The generator gives the number for that before this draw. The place is fixed, so that a strategy that is added at the
// end of the registry leaves the executions of the other strategies as they were.
constexpr std::size_t longest_comes_before = 5;

/// The value whose share covers `position`. Counts the values that end before it, without a branch: the processor could
/// not predict one.
std::uint8_t value_at(const std::uint32_t* shares, std::uint64_t position) {
  const auto wanted = static_cast<std::uint32_t>(position);
  std::uint32_t end = 0, value = 0;
  for (std::size_t i = 0; i + 1 < most_values; ++i) {
    end += shares[i];
    value += wanted >= end ? 1 : 0;
  }
  return static_cast<std::uint8_t>(value);
}

void set_first_shares(std::span<const std::uint8_t> weights, std::uint32_t* shares) {
  std::uint32_t sum = 0, given = 0;
  for (const std::uint8_t weight : weights) sum += weight;
  for (std::size_t i = 0; i < weights.size(); ++i) given += shares[i] = weights[i] * PortfolioPlan::whole / sum;
  *std::max_element(shares, shares + weights.size()) += PortfolioPlan::whole - given;
}

}  // namespace

std::size_t length_class(std::uint32_t length) {
  if (length < 8) return length;
  const auto octave = static_cast<std::size_t>(std::bit_width(length)) - 1;  // 3 or more
  return 8 + (octave - 3) * 4 + ((length >> (octave - 2)) & 3);
}

std::uint32_t longest_of_class(std::size_t length_class) {
  if (length_class < 8) return static_cast<std::uint32_t>(length_class);
  const std::size_t octave = (length_class - 8) / 4 + 3;
  const std::uint64_t quarter = (length_class - 8) % 4;
  return static_cast<std::uint32_t>(((5 + quarter) << (octave - 2)) - 1);
}

PortfolioScope::PortfolioScope(const StrategySpecification& specification) : given_(specification.given) {
  const auto registry = registered_strategies();
  for (std::size_t s = 0; s < registry.size(); ++s)
    if (registry[s] == specification.strategy) only_ = s;
  draws_[count_++] = {.strategy = 0, .parameter = 0, .described = nullptr, .is_open = !only_};
  for (std::size_t s = 0; s < registry.size(); ++s) {
    for (std::size_t p = 0; p < registry[s]->parameters.size(); ++p) {
      const Parameter& parameter = registry[s]->parameters[p];
      if (parameter.values.empty()) continue;
      HEDDLE_CHECK(count_ < most_draws, "more learnable parameters than most_draws");
      const bool is_open = !only_ || (only_ == s && !given_[p] && !parameter.default_value);
      draws_[count_++] = {.strategy = s, .parameter = p, .described = &parameter, .is_open = is_open};
    }
  }
}

bool PortfolioScope::uses_corpus() const {
  const auto registry = registered_strategies();
  if (only_) return registry[*only_]->uses_corpus;
  for (const StrategyDescriptor* strategy : registry)
    if (strategy->uses_corpus) return true;
  return false;
}

PortfolioPlan first_plan(const PortfolioScope& scope) {
  PortfolioPlan plan{};
  const auto registry = registered_strategies();
  std::uint8_t weights[most_strategies] = {};
  for (std::size_t s = 0; s < registry.size(); ++s)
    weights[s] = !scope.only() || scope.only() == s ? registry[s]->first_weight : 0;
  set_first_shares({weights, registry.size()}, plan.news[strategy_draw]);
  for (std::size_t i = 1; i < scope.draws().size(); ++i)
    set_first_shares(scope.draws()[i].described->first_weights, plan.news[i]);
  std::memcpy(plan.bugs, plan.news, sizeof plan.bugs);
  return plan;
}

// Strategies take turns in the order of the golden ratio's multiples, which keeps every run of executions close to the
// shares. If the draws were independent, one campaign in a hundred would first try a strategy with a tenth of the
// shares after 45 executions.
Assignment assign(const PortfolioPlan& plan, const PortfolioScope& scope, std::uint64_t seed, std::uint64_t number) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
  std::uint64_t mixed = seed ^ golden;
  const std::uint64_t turn = base::splitmix64(mixed) + number * golden;
  base::Random random(mixed, number);
  Assignment drawn;
  std::memset(drawn.values, Assignment::unused, sizeof drawn.values);
  const auto& shares = random.below(PortfolioPlan::whole) < plan.for_bugs ? plan.bugs : plan.news;
  drawn.values[strategy_draw] =
      scope.only() ? static_cast<std::uint8_t>(*scope.only()) : value_at(shares[strategy_draw], turn >> 48);
  const auto draws = scope.draws();
  for (std::size_t i = 1; i < draws.size() || i <= longest_comes_before; ++i) {
    if (i == longest_comes_before) drawn.takes_longest = random.one_in(longest_odds);
    if (i >= draws.size()) continue;
    const std::uint64_t position = random.below(PortfolioPlan::whole);
    const bool is_used = draws[i].strategy == drawn.strategy() && draws[i].is_open;
    if (is_used) drawn.values[i] = value_at(shares[i], position);
  }
  return drawn;
}

ParameterValues parameters_of(const PortfolioPlan& plan, const PortfolioScope& scope, const Assignment& drawn) {
  const StrategyDescriptor& strategy = *registered_strategies()[drawn.strategy()];
  static constexpr ParameterValues none_given;
  const ParameterValues& given = scope.only() ? scope.given() : none_given;
  ParameterValues values;
  for (std::size_t i = 0; i < strategy.parameters.size(); ++i)
    values[i] = given[i] ? given[i] : strategy.parameters[i].default_value;
  for (std::size_t i = 1; i < scope.draws().size(); ++i) {
    const Draw& draw = scope.draws()[i];
    if (drawn.values[i] != Assignment::unused) values[draw.parameter] = draw.described->values[drawn.values[i]];
  }
  const auto length = strategy.find(Parameter::Role::length), depth = strategy.find(Parameter::Role::depth);
  if (!length) return values;
  if (!given[*length]) {
    const PortfolioPlan::Length& learnt = plan.lengths[drawn.strategy()];
    const std::uint32_t events = drawn.takes_longest ? learnt.longest : learnt.usual;
    if (events == 0) return values;
    values[*length] = events;
  }
  // Executions cannot draw more events than there are. A depth that the user gave stands, so the length grows instead.
  if (!depth) return values;
  if (given[*depth])
    values[*length] = std::max(*values[*length], *values[*depth]);
  else
    values[*depth] = std::min(*values[*depth], *values[*length]);
  return values;
}

StrategySpecification specification_of(const PortfolioPlan& plan, const PortfolioScope& scope,
                                       const Assignment& drawn) {
  return {.kind = StrategySpecification::Kind::sampling,
          .strategy = registered_strategies()[drawn.strategy()],
          .given = parameters_of(plan, scope, drawn)};
}

Portfolio::Portfolio(std::uint64_t seed, const PortfolioScope& scope, base::Arena& arena)
    : seed_(seed), scope_(scope), plan_(first_plan(scope)) {
  const auto registry = registered_strategies();
  for (std::size_t s = 0; s < registry.size(); ++s) {
    if (scope.only() && scope.only() != s) continue;
    Strategy* strategy = registry[s]->make(seed, arena);
    members_[s] = {strategy, strategy->facets()};
    if (members_[s].facets.adjustable != nullptr) members_[s].facets.adjustable->set_thread_averages(plan_.threads);
  }
}

void Portfolio::set_graph(const graph::ExecutionGraph& graph) {
  for (const Member& member : members_)
    if (member.facets.graph_reader != nullptr) member.facets.graph_reader->set_graph(graph);
}

void Portfolio::set_corpus(Corpus& corpus, const SiteNames& sites) {
  for (const Member& member : members_)
    if (member.facets.corpus_user != nullptr) member.facets.corpus_user->set_corpus(corpus, sites);
}

bool Portfolio::begin_execution(std::uint64_t number) {
  drawn_ = assign(plan_, scope_, seed_, number);
  newest_ = number;
  current_ = &members_[drawn_.strategy()];
  if (Adjustable* adjustable = current_->facets.adjustable)
    adjustable->set_parameters(parameters_of(plan_, scope_, drawn_));
  return current_->strategy->begin_execution(number);
}

Observation Portfolio::observation() {
  Adjustable* adjustable = current_ == nullptr ? nullptr : current_->facets.adjustable;
  return adjustable == nullptr ? Observation{} : adjustable->observation();
}

std::span<const DetailRecord> Portfolio::details() const {
  const CorpusUser* user = current_ == nullptr ? nullptr : current_->facets.corpus_user;
  return user == nullptr ? std::span<const DetailRecord>{} : user->details();
}

std::size_t Portfolio::planned_events() const {
  const CorpusUser* user = current_ == nullptr ? nullptr : current_->facets.corpus_user;
  return user == nullptr ? 0 : user->planned_events();
}

std::size_t Portfolio::inherited_events() const {
  const CorpusUser* user = current_ == nullptr ? nullptr : current_->facets.corpus_user;
  return user == nullptr ? 0 : user->inherited_events();
}

std::uint64_t Portfolio::escapes() const {
  std::uint64_t sum = 0;
  for (const Member& member : members_)
    if (member.facets.adjustable != nullptr) sum += member.facets.adjustable->escapes();
  return sum;
}

}  // namespace heddle::strategies
