// Several strategies, and several values of their parameters, behind one: every execution draws which of them it uses
// from shares. Whoever runs the executions adjusts the shares between rounds of them, by what paid so far
// (strategies/learner.hpp); within a round they are fixed, so that an execution is a function of the seed, its number
// and the plan of its round, and the plan is a function of the rounds before. Nothing depends on who runs it.
#pragma once

#include <cstdint>
#include <optional>

#include "strategies/pct.hpp"
#include "strategies/pctwm.hpp"
#include "strategies/pos.hpp"
#include "strategies/random.hpp"

namespace heddle::strategies {

/// What there is to draw. All but the first concern one member only.
enum class Lot : std::uint8_t { member, switching, pct_depth, pctwm_depth, history };
inline constexpr std::size_t lot_count = 5;
/// Values of a lot are numbered from 0; these many at most.
inline constexpr std::size_t most_values = 16;

enum class Member : std::uint8_t { random, pct, pctwm, pos };
inline constexpr std::size_t member_count = 4;
/// Whose executions the lot concerns; nothing: everybody's.
std::optional<Member> member_of(Lot lot);
const char* member_name(Member member);

/// The values of Lot::switching: how often `random` thinks of leaving the running thread.
inline constexpr double switch_probabilities[] = {1, 0.5, 0.2, 0.05};
/// The values of the others are what their number says: d from 1 (pct) or 0 (pctwm), h from 1.
inline constexpr std::uint32_t least_pct_depth = 1, least_pctwm_depth = 0, least_history = 1;
inline constexpr std::uint32_t most_history = 4;

/// Lengths in classes that grow with them, four an octave: a count of each is a distribution that fits anywhere.
inline constexpr std::size_t length_classes = 128;
std::size_t length_class(std::uint32_t length);
/// The longest of a class.
std::uint32_t longest_of_class(std::size_t length_class);

/// What a round of executions draws from. Plain bytes: it goes through the channel.
struct PortfolioPlan {
  static constexpr std::uint32_t whole = 1 << 16;
  /// Of each lot they sum up to `whole`.
  using Shares = std::uint32_t[lot_count][most_values];

  Shares news;             ///< for executions that look for what is new; 0: the value is not in use
  Shares bugs;             ///< for executions that do what showed bugs
  std::uint32_t for_bugs;  ///< how many of `whole` executions are of the second kind
  struct Length {
    std::uint32_t usual;    ///< that of most executions; 0: nobody knows yet
    std::uint32_t longest;  ///< that of the longest
  };
  Length length;          ///< k of pct
  Length communications;  ///< k of pctwm
};

/// The values that one execution drew; `unused` where the lot concerns another member, or was not up to chance.
struct Assignment {
  static constexpr std::uint8_t unused = 0xff;
  std::uint8_t values[lot_count];
  bool takes_longest;  ///< PortfolioPlan::Length

  std::uint8_t of(Lot lot) const { return values[static_cast<std::size_t>(lot)]; }
};

/// What the user fixed.
struct PortfolioScope {
  std::optional<Member> only;
  std::optional<std::uint32_t> depth;    ///< of `only`
  std::optional<std::uint32_t> length;   ///< of `only`
  std::optional<std::uint32_t> history;  ///< of pctwm

  bool draws(Lot lot) const;
};

/// The plan of the first round, when nothing is known: what suits most programs.
PortfolioPlan first_plan(const PortfolioScope& scope);
Assignment assign(const PortfolioPlan& plan, const PortfolioScope& scope, std::uint64_t seed, std::uint64_t number);

/// What an execution uses: what it drew, what the user gave, and what was learnt.
struct MemberParameters {
  Member member = Member::random;
  double switch_probability = 1;        ///< of random
  std::uint32_t depth = 0;              ///< of pct and pctwm
  std::optional<std::uint32_t> length;  ///< of pct and pctwm; nothing: nobody knows
  std::uint32_t history = 1;            ///< of pctwm
};
MemberParameters parameters_of(const PortfolioPlan& plan, const PortfolioScope& scope, const Assignment& drawn);

/// As make_strategy takes it: with the same seed, the execution of the same number is the same.
struct Specification {
  char text[64];
};
Specification specification_of(const MemberParameters& parameters);

class Portfolio final : public Strategy {
 public:
  /// `arena` outlives executions.
  Portfolio(std::uint64_t seed, const PortfolioScope& scope, base::Arena& arena);

  /// From the next execution on.
  void use(const PortfolioPlan& plan) { plan_ = plan; }
  const PortfolioScope& scope() const { return scope_; }
  Assignment assignment_of(std::uint64_t number) const {
    return number == newest_ ? drawn_ : assign(plan_, scope_, seed_, number);
  }
  Specification specification_of(std::uint64_t number) const {
    return strategies::specification_of(parameters_of(plan_, scope_, assignment_of(number)));
  }
  /// Of the newest execution, if it was one of pct or pctwm: how many events counted; otherwise 0.
  std::uint32_t counted() const;

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const Choice& choice) override { return current_->choose(choice); }
  FastPath fast_path() override { return current_->fast_path(); }
  void executed(const graph::Event& event) override { current_->executed(event); }
  std::uint64_t escapes() const override { return pct_.escapes() + pctwm_.escapes(); }
  Portfolio* portfolio() override { return this; }

 private:
  Strategy& prepare(const MemberParameters& parameters);

  std::uint64_t seed_;
  PortfolioScope scope_;
  PortfolioPlan plan_;
  RandomStrategy random_;
  PctStrategy pct_;
  PctwmStrategy pctwm_;
  PosStrategy pos_;
  std::uint64_t newest_ = ~std::uint64_t{0};  ///< the execution that began last
  Assignment drawn_ = {};                     ///< what it drew
  Strategy* current_ = nullptr;
};

}  // namespace heddle::strategies
