#include "campaign/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "base/arena.hpp"

namespace heddle::campaign {

using strategies::Lot;
using strategies::Totals;

std::vector<channel::GraphRecord> GraphSet::add(std::vector<channel::GraphRecord> records) {
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
    return std::pair(a.hash, a.execution) < std::pair(b.hash, b.execution);
  });
  std::vector<channel::GraphRecord> fresh;
  std::size_t known = 0;
  for (const channel::GraphRecord& record : records) {
    if (!fresh.empty() && fresh.back().hash == record.hash) continue;
    while (known < hashes_.size() && hashes_[known] < record.hash) ++known;
    if (known < hashes_.size() && hashes_[known] == record.hash) continue;
    fresh.push_back(record);
  }
  const auto middle = static_cast<std::ptrdiff_t>(hashes_.size());
  for (const channel::GraphRecord& record : fresh) hashes_.push_back(record.hash);
  std::inplace_merge(hashes_.begin(), hashes_.begin() + middle, hashes_.end());
  return fresh;
}

Rounds::Rounds(const std::string& specification, std::uint64_t seed, std::uint64_t first_execution)
    : seed_(seed), begin_(first_execution), end_(std::numeric_limits<std::uint64_t>::max()) {
  constexpr std::size_t size = 1 << 16;
  const std::unique_ptr<std::byte[]> memory(new std::byte[size]);
  base::Arena arena({memory.get(), size});
  strategies::SpecificationError error;
  strategies::Strategy* strategy = strategies::make_strategy(specification, seed, arena, error);
  if (strategy == nullptr || strategy->portfolio() == nullptr) return;
  learner_.emplace(strategy->portfolio()->scope());
  end_ = strategies::round_end(begin_);
}

void Rounds::announce(ChannelMemory& channel) const {
  channel.announce_round(number_, end_, learner_ ? &learner_->plan() : nullptr);
}

bool Rounds::is_awaited_by(const ChannelMemory& channel) const {
  return channel.progress().awaits_round.load(std::memory_order_acquire) == number_ + 1;
}

std::string Rounds::strategy_of(std::uint64_t execution) const {
  if (!learner_) return {};
  const auto drawn = assignment_of(execution);
  return strategies::specification_of(strategies::parameters_of(learner_->plan(), learner_->scope(), drawn)).text;
}

void Rounds::add_worker(const ChannelMemory& channel) {
  if (learner_) totals_ += channel.totals();
}

void Rounds::add_lost_execution(std::uint64_t execution, bool is_buggy) {
  if (!learner_) return;
  totals_.add_execution(assignment_of(execution), is_buggy, 0);
}

void Rounds::add_graphs(const std::vector<channel::GraphRecord>& fresh) {
  if (!learner_) return;
  for (const channel::GraphRecord& record : fresh) totals_.add(assignment_of(record.execution), &Totals::Sums::graphs);
}

void Rounds::see_findings(const std::map<std::uint64_t, findings::Finding>& findings) {
  if (!learner_) return;
  for (const auto& [key, finding] : findings)
    if (findings_seen_.try_emplace(key, finding.execution).second)
      totals_.add(assignment_of(finding.execution), &Totals::Sums::findings);
}

void Rounds::next(const std::vector<ChannelMemory*>& waiting) {
  Totals now = totals_;
  for (const ChannelMemory* channel : waiting) now += channel->totals();
  learner_->learn(now);
  ++number_;
  begin_ = end_;
  end_ = strategies::round_end(begin_);
  for (ChannelMemory* channel : waiting) announce(*channel);
}

namespace {

std::string value_name(Lot lot, std::size_t value) {
  switch (lot) {
    case Lot::member: return strategies::member_name(static_cast<strategies::Member>(value));
    case Lot::switching: return fmt::format("{}", strategies::switch_probabilities[value]);
    case Lot::pct_depth: return fmt::format("{}", strategies::least_pct_depth + value);
    case Lot::pctwm_depth: return fmt::format("{}", strategies::least_pctwm_depth + value);
    case Lot::history: return fmt::format("{}", strategies::least_history + value);
  }
  return {};
}

const char* lot_name(Lot lot) {
  constexpr const char* names[strategies::lot_count] = {"strategy", "random:switch", "pct:d", "pctwm:d", "pctwm:h"};
  return names[static_cast<std::size_t>(lot)];
}

}  // namespace

findings::Learnt describe(const Totals& totals, const strategies::PortfolioPlan& plan) {
  findings::Learnt result;
  result.length = plan.length.usual;
  result.longest = plan.length.longest;
  result.communications = plan.communications.usual;
  result.most_communications = plan.communications.longest;
  for (std::size_t i = 0; i < strategies::lot_count; ++i) {
    const auto lot = static_cast<Lot>(i);
    for (std::size_t value = 0; value < strategies::most_values; ++value) {
      const Totals::Sums& sums = totals.of(lot, value);
      if (sums.executions == 0) continue;
      result.parts.push_back({lot_name(lot), value_name(lot, value), sums.executions, sums.buggy, sums.graphs});
    }
  }
  return result;
}

findings::Learnt Rounds::learnt() const { return learner_ ? describe(totals_, learner_->plan()) : findings::Learnt{}; }

}  // namespace heddle::campaign
