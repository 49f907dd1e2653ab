#include "strategies/portfolio.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace heddle::strategies {

namespace {

// Shares of the first round, in sixteenths. For d: most bugs that people report need two or three constraints. A pctwm
// execution with d = 0 has as many forms as threads have orders, so that few of them see all there is to see. The large
// ones are for when k is not known either, and some of the change points lie behind the end.
constexpr PortfolioPlan::Shares first_shares = {
    {6, 3, 4, 3},           // random, pct, pctwm, pos
    {7, 4, 3, 2},           // switch=1, 0.5, 0.2, 0.05
    {2, 4, 4, 2, 2, 1, 1},  // pct: d from 1
    {2, 3, 4, 3, 2, 1, 1},  // pctwm: d from 0
    {4, 4, 4, 4},           // h from 1
};

// One execution in 8 draws its change points from the whole length of the longest execution seen; see Learner.
constexpr std::uint64_t longest_odds = 8;

/// Without a branch, since nobody could predict it: how many values lie before the position.
std::uint8_t value_at(const std::uint32_t* shares, std::uint64_t position) {
  const auto wanted = static_cast<std::uint32_t>(position);
  std::uint32_t end = 0, value = 0;
  for (std::size_t i = 0; i + 1 < most_values; ++i) {
    end += shares[i];
    value += wanted >= end ? 1 : 0;
  }
  return static_cast<std::uint8_t>(value);
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

std::optional<Member> member_of(Lot lot) {
  switch (lot) {
    case Lot::member: return std::nullopt;
    case Lot::switching: return Member::random;
    case Lot::pct_depth: return Member::pct;
    case Lot::pctwm_depth:
    case Lot::history: return Member::pctwm;
  }
  return std::nullopt;
}

const char* member_name(Member member) {
  constexpr const char* names[member_count] = {"random", "pct", "pctwm", "pos"};
  return names[static_cast<std::size_t>(member)];
}

bool PortfolioScope::draws(Lot lot) const {
  if (lot == Lot::member) return !only;
  if (only && only != member_of(lot)) return false;
  if (lot == Lot::history) return !history;
  return !depth;
}

PortfolioPlan first_plan(const PortfolioScope& scope) {
  PortfolioPlan plan{};
  for (std::size_t lot = 0; lot < lot_count; ++lot)
    for (std::size_t value = 0; value < most_values; ++value)
      plan.news[lot][value] = first_shares[lot][value] * (PortfolioPlan::whole / 16);
  if (scope.only) {
    std::uint32_t* members = plan.news[static_cast<std::size_t>(Lot::member)];
    for (std::size_t member = 0; member < member_count; ++member)
      members[member] = member == static_cast<std::size_t>(*scope.only) ? PortfolioPlan::whole : 0;
  }
  std::memcpy(plan.bugs, plan.news, sizeof plan.bugs);
  return plan;
}

// Members take turns in the order of the golden ratio's multiples, which keeps every stretch of executions close to the
// shares: with plain chance, one in a hundred campaigns would try a member of a tenth first after 45 executions.
Assignment assign(const PortfolioPlan& plan, const PortfolioScope& scope, std::uint64_t seed, std::uint64_t number) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
  std::uint64_t mixed = seed ^ golden;
  const std::uint64_t turn = base::splitmix64(mixed) + number * golden;
  base::Random random(mixed, number);
  Assignment drawn;
  const auto& shares = random.below(PortfolioPlan::whole) < plan.for_bugs ? plan.bugs : plan.news;
  drawn.values[0] = scope.only ? static_cast<std::uint8_t>(*scope.only) : value_at(shares[0], turn >> 48);
  for (std::size_t i = 1; i < lot_count; ++i) {
    const auto lot = static_cast<Lot>(i);
    const std::uint64_t position = random.below(PortfolioPlan::whole);
    const bool concerned = static_cast<std::size_t>(*member_of(lot)) == drawn.values[0] && scope.draws(lot);
    drawn.values[i] = concerned ? value_at(shares[i], position) : Assignment::unused;
  }
  drawn.takes_longest = random.one_in(longest_odds);
  return drawn;
}

MemberParameters parameters_of(const PortfolioPlan& plan, const PortfolioScope& scope, const Assignment& drawn) {
  MemberParameters result;
  result.member = static_cast<Member>(drawn.of(Lot::member));
  // What the user gave, what was learnt, or nothing; never less than there are points to draw from it.
  const auto set_length = [&](const PortfolioPlan::Length& learnt) {
    if (scope.length) {
      result.length = scope.length;
      result.depth = std::min(result.depth, *scope.length);
    } else if (const std::uint32_t k = drawn.takes_longest ? learnt.longest : learnt.usual; k != 0) {
      if (!scope.depth) result.depth = std::min(result.depth, k);
      result.length = std::max(result.depth, k);
    }
  };
  switch (result.member) {
    case Member::random: result.switch_probability = switch_probabilities[drawn.of(Lot::switching)]; break;
    case Member::pct:
      result.depth = scope.depth ? *scope.depth : least_pct_depth + drawn.of(Lot::pct_depth);
      set_length(plan.length);
      break;
    case Member::pctwm:
      result.depth = scope.depth ? *scope.depth : least_pctwm_depth + drawn.of(Lot::pctwm_depth);
      set_length(plan.communications);
      result.history = scope.history ? *scope.history : least_history + drawn.of(Lot::history);
      break;
    case Member::pos: break;
  }
  return result;
}

Specification specification_of(const MemberParameters& parameters) {
  Specification result{};
  const auto write = [&](const char* format, auto... values) {
    const std::size_t used = std::strlen(result.text);
    std::snprintf(result.text + used, sizeof result.text - used, format, values...);
  };
  write("%s", member_name(parameters.member));
  switch (parameters.member) {
    case Member::random:
      if (parameters.switch_probability != 1) write(":switch=%g", parameters.switch_probability);
      return result;
    case Member::pos: return result;
    case Member::pct:
    case Member::pctwm: break;
  }
  write(":d=%u", parameters.depth);
  if (parameters.length) write(",k=%u", *parameters.length);
  if (parameters.member == Member::pctwm) write(",h=%u", parameters.history);
  return result;
}

Portfolio::Portfolio(std::uint64_t seed, const PortfolioScope& scope, base::Arena& arena)
    : seed_(seed), scope_(scope), plan_(first_plan(scope)), random_(seed, 1), pct_(seed, {}, arena),
      pctwm_(seed, {}, arena), pos_(seed, arena) {}

bool Portfolio::begin_execution(std::uint64_t number) {
  drawn_ = assign(plan_, scope_, seed_, number);
  newest_ = number;
  current_ = &prepare(parameters_of(plan_, scope_, drawn_));
  return current_->begin_execution(number);
}

Strategy& Portfolio::prepare(const MemberParameters& parameters) {
  switch (parameters.member) {
    case Member::pct: pct_.set({parameters.depth, parameters.length}); return pct_;
    case Member::pctwm: pctwm_.set({parameters.depth, parameters.length, parameters.history}); return pctwm_;
    case Member::pos: return pos_;
    case Member::random: break;
  }
  random_.set_switch_probability(parameters.switch_probability);
  return random_;
}

std::uint32_t Portfolio::counted() const {
  if (current_ == &pct_) return pct_.schedule().counted();
  if (current_ == &pctwm_) return pctwm_.schedule().counted();
  return 0;
}

}  // namespace heddle::strategies
