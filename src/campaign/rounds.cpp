#include "campaign/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "base/arena.hpp"

namespace heddle::campaign {

using strategies::Lot;

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
  end_ = round_end(begin_);
}

void Rounds::announce(ChannelMemory& channel) const {
  channel.announce_round(number_, end_, learner_ ? &learner_->plan() : nullptr);
}

bool Rounds::is_awaited_by(const ChannelMemory& channel) const {
  return channel.progress().awaits_round.load(std::memory_order_acquire) == number_ + 1;
}

void Rounds::add_tallies(const ChannelMemory& channel, Learner::Totals& totals) {
  const channel::Progress& progress = channel.progress();
  for (std::size_t lot = 0; lot < strategies::lot_count; ++lot) {
    for (std::size_t value = 0; value < strategies::most_values; ++value) {
      totals.sums[lot][value].executions += progress.tallies[lot][value].executions.load();
      totals.sums[lot][value].buggy += progress.tallies[lot][value].buggy.load();
    }
  }
  for (std::size_t member = 0; member < strategies::member_count; ++member) {
    const channel::LengthCounts& from = progress.lengths[member];
    Learner::Lengths& to = totals.lengths[member];
    for (std::size_t i = 0; i < strategies::length_classes; ++i) to.executions[i] += from.executions[i].load();
    to.longest = std::max(to.longest, from.longest.load());
  }
}

void Rounds::add_worker(const ChannelMemory& channel) {
  if (learner_) add_tallies(channel, totals_);
}

void Rounds::credit(std::uint64_t execution, std::uint64_t Learner::Sums::*what) {
  const strategies::Assignment drawn = assignment_of(execution);
  for (std::size_t lot = 0; lot < strategies::lot_count; ++lot)
    if (drawn.values[lot] != strategies::Assignment::unused) ++(totals_.sums[lot][drawn.values[lot]].*what);
}

void Rounds::add_lost_execution(std::uint64_t execution, bool is_buggy) {
  if (!learner_) return;
  credit(execution, &Learner::Sums::executions);
  if (is_buggy) credit(execution, &Learner::Sums::buggy);
}

void Rounds::add_graphs(const std::vector<channel::GraphRecord>& fresh) {
  if (!learner_) return;
  for (const channel::GraphRecord& record : fresh) credit(record.execution, &Learner::Sums::graphs);
}

void Rounds::see_findings(const std::map<std::uint64_t, findings::Finding>& findings) {
  if (!learner_) return;
  for (const auto& [key, finding] : findings)
    if (findings_seen_.try_emplace(key, finding.execution).second) credit(finding.execution, &Learner::Sums::findings);
}

void Rounds::next(const std::vector<ChannelMemory*>& waiting) {
  Learner::Totals now = totals_;
  for (const ChannelMemory* channel : waiting) add_tallies(*channel, now);
  learner_->learn(now);
  ++number_;
  begin_ = end_;
  end_ = round_end(begin_);
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

findings::Learnt Rounds::learnt() const {
  findings::Learnt result;
  if (!learner_) return result;
  result.length = learner_->plan().length.usual;
  result.longest = learner_->plan().length.longest;
  result.communications = learner_->plan().communications.usual;
  result.most_communications = learner_->plan().communications.longest;
  for (std::size_t i = 0; i < strategies::lot_count; ++i) {
    const auto lot = static_cast<Lot>(i);
    for (std::size_t value = 0; value < strategies::most_values; ++value) {
      const Learner::Sums& sums = totals_.of(lot, value);
      if (sums.executions == 0) continue;
      result.parts.push_back({lot_name(lot), value_name(lot, value), sums.executions, sums.buggy, sums.graphs});
    }
  }
  return result;
}

}  // namespace heddle::campaign
