#include "campaign/learning/learning_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "strategies/fuzz.hpp"

namespace heddle::campaign {

using strategies::Totals;

std::vector<channel::GraphRecord> ShownGraphs::add(std::vector<channel::GraphRecord> records) {
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

LearningRounds::LearningRounds()
    : seed_(0), begin_(0), end_(std::numeric_limits<std::uint64_t>::max()), learner_end_(end_) {}

LearningRounds::LearningRounds(const strategies::StrategySpecification& specification, std::uint64_t seed,
                               std::uint64_t first_execution)
    : seed_(seed), begin_(first_execution), end_(std::numeric_limits<std::uint64_t>::max()), learner_end_(end_) {
  is_sampling_ = !specification.is_exhaustive();
  if (!specification.learns()) return;
  const strategies::PortfolioScope scope(specification);
  learner_.emplace(scope);
  if (scope.uses_corpus()) corpus_ = std::make_unique<CampaignCorpus>(strategies::corpus_rule(scope.given()), seed);
  set_ends();
}

Result<std::string> LearningRounds::keep_corpus_in(const std::string& path, const ProgramFile& program) {
  if (!corpus_)
    return usage_problem(fmt::format("--corpus {}: the strategy keeps no corpus; use -s fuzz or -s auto", path));
  folder_.emplace(path, program);
  if (auto problem = folder_->open()) return *problem;
  return folder_->load(corpus_->keeper());
}

Outcome LearningRounds::finish() {
  if (corpus_) corpus_->end_round([this](std::uint64_t execution) { return continues_an_entry(execution); });
  return folder_ ? folder_->save(corpus_->keeper().corpus()) : Outcome{};
}

CorpusSummary LearningRounds::corpus_summary() const {
  CorpusSummary summary;
  if (!corpus_) return summary;
  const strategies::CorpusKeeper& keeper = corpus_->keeper();
  summary.exists = true;
  for (const auto& count : keeper.graphs().table())
    if (count.hash != 0) summary.graphs.push_back({count.hash, count.count});
  for (const auto& count : keeper.pairs().table())
    if (count.hash != 0) summary.pairs.push_back(count.hash);
  summary.plans = keeper.plans();
  summary.planned_events = keeper.planned_events();
  return summary;
}

std::string LearningRounds::save() const {
  StateWriter out;
  for (const std::uint64_t number : {begin_, end_, skipped_, learner_end_}) out.value(number);
  out.value(number_);
  out.value(learner_.has_value());
  if (!learner_) return out.take();
  const auto memory = std::make_unique<strategies::Learner::Memory>();
  learner_->save(*memory);
  out.value(*memory);
  out.value(totals_);
  std::vector<std::uint64_t> seen;
  for (const auto& [key, execution] : findings_seen_) seen.insert(seen.end(), {key, execution});
  out.list(std::span<const std::uint64_t>(seen));
  out.value(corpus_ != nullptr);
  if (corpus_) corpus_->save(out);
  return out.take();
}

void LearningRounds::restore(std::string_view bytes) {
  StateReader in(bytes);
  for (std::uint64_t* number : {&begin_, &end_, &skipped_, &learner_end_}) in.value(*number);
  in.value(number_);
  bool has_learner = false, has_corpus = false;
  in.value(has_learner);
  if (has_learner != learner_.has_value()) throw BadValue{};
  if (!has_learner) return;
  const auto memory = std::make_unique<strategies::Learner::Memory>();
  in.value(*memory);
  learner_->restore(*memory);
  in.value(totals_);
  const auto seen = in.list<std::uint64_t>();
  for (std::size_t i = 0; i + 1 < seen.size(); i += 2) findings_seen_.emplace(seen[i], seen[i + 1]);
  in.value(has_corpus);
  if (has_corpus != (corpus_ != nullptr)) throw BadValue{};
  if (corpus_) corpus_->restore(in);
}

void LearningRounds::set_ends() {
  learner_end_ = strategies::round_end(begin_);
  end_ = corpus_ ? std::min(learner_end_, strategies::corpus_round_end(begin_)) : learner_end_;
}

void LearningRounds::announce(ChannelMemory& channel) const {
  // The other ranks have copies of the corpus, from which they give it to their workers.
  if (corpus_ && !channel.is_mirror()) corpus_->give_to(channel);
  channel.announce_round(number_, {begin_, end_}, learner_ ? &learner_->plan() : nullptr);
}

bool LearningRounds::is_awaited_by(const ChannelMemory& channel) const {
  return channel.progress().awaits_round.load(std::memory_order_acquire) == number_ + 1;
}

std::string LearningRounds::strategy_of(std::uint64_t execution) const {
  if (!learner_) return {};
  const auto drawn = assignment_of(execution);
  return strategies::specification_of(learner_->plan(), learner_->scope(), drawn).to_text().text;
}

void LearningRounds::add_worker(ChannelMemory& channel) {
  if (learner_) totals_ += channel.totals();
  if (corpus_) corpus_->collect(channel);
}

void LearningRounds::add_lost_execution(std::uint64_t execution, bool is_buggy) {
  if (!learner_) return;
  totals_.add_execution(assignment_of(execution), is_buggy, {});
}

void LearningRounds::add_graphs(const std::vector<channel::GraphRecord>& fresh) {
  if (!learner_) return;
  for (const channel::GraphRecord& record : fresh) totals_.add(assignment_of(record.execution), &Totals::Sums::graphs);
}

void LearningRounds::see_findings(const std::map<std::uint64_t, findings::Finding>& findings) {
  if (!learner_) return;
  // A finding from behind this round is one of the search, which no strategy of a round has shown.
  for (const auto& [key, finding] : findings)
    if (findings_seen_.try_emplace(key, finding.execution).second && finding.execution < end_)
      totals_.add(assignment_of(finding.execution), &Totals::Sums::findings);
}

void LearningRounds::next(const std::vector<ChannelMemory*>& waiting) {
  if (corpus_) {
    for (ChannelMemory* channel : waiting) corpus_->collect(*channel);
    corpus_->end_round([this](std::uint64_t execution) { return continues_an_entry(execution); });
  }
  if (end_ == learner_end_) {
    Totals now = totals_;
    for (const ChannelMemory* channel : waiting) now += channel->totals();
    learner_->learn(now);
    // A problem with the folder is reported when the campaign ends.
    if (folder_) (void)folder_->save(corpus_->keeper().corpus());
  }
  ++number_;
  begin_ = end_ + std::exchange(skipped_, 0);
  set_ends();
  for (ChannelMemory* channel : waiting) announce(*channel);
}

namespace {

std::string draw_name(const strategies::Draw& draw) {
  if (draw.described == nullptr) return "strategy";
  return fmt::format("{}:{}", strategies::registered_strategies()[draw.strategy]->name, draw.described->name);
}

std::string value_name(const strategies::Draw& draw, std::size_t value) {
  if (draw.described == nullptr) return strategies::registered_strategies()[value]->name;
  if (draw.described->type == strategies::Parameter::Type::word) return draw.described->words[value];
  return fmt::format("{}", draw.described->values[value]);
}

}  // namespace

findings::Learnt describe(const Totals& totals, const strategies::PortfolioPlan& plan) {
  findings::Learnt result;
  const auto registry = strategies::registered_strategies();
  for (std::size_t s = 0; s < registry.size(); ++s) {
    const auto length = registry[s]->find(strategies::Parameter::Role::length);
    if (!length || plan.lengths[s].usual == 0) continue;
    result.lengths.push_back({fmt::format("{}:{}", registry[s]->name, registry[s]->parameters[*length].name),
                              plan.lengths[s].usual, plan.lengths[s].longest});
  }
  const strategies::PortfolioScope scope;
  for (std::size_t i = 0; i < scope.draws().size(); ++i) {
    const strategies::Draw& draw = scope.draws()[i];
    for (std::size_t value = 0; value < draw.value_count(); ++value) {
      const Totals::Sums& sums = totals.sums[i][value];
      if (sums.executions == 0) continue;
      result.parts.push_back({draw_name(draw), value_name(draw, value), sums.executions, sums.buggy, sums.graphs});
    }
  }
  return result;
}

findings::Learnt LearningRounds::learnt() const {
  return learner_ ? describe(totals_, learner_->plan()) : findings::Learnt{};
}

}  // namespace heddle::campaign
