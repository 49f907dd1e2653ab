#include "session/order_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/descriptor.hpp"
#include "session/forked_tasks.hpp"
#include "session/program_trial.hpp"
#include "session/trial_codec.hpp"

namespace heddle::session {

using orders::Assignment;
using orders::Judgement;

namespace {

// The relations of orders::longest_witness events take a part of it.
constexpr std::size_t scratch_size = std::size_t{64} << 20;
constexpr std::size_t model_size = std::size_t{64} << 10;

}  // namespace

OrderTrials::OrderTrials(Task task)
    : task_(std::move(task)), site_dimensions_(task_.sites.size()),
      model_memory_(task_.uses_witnesses ? model_size : 0), scratch_memory_(task_.uses_witnesses ? scratch_size : 0),
      model_arena_(model_memory_), scratch_(scratch_memory_) {
  for (std::size_t d = 0; d < task_.dimensions.size(); ++d) {
    const OrderDimension& dimension = task_.dimensions[d];
    const auto number = static_cast<std::uint32_t>(d);
    DimensionsOfSite& of_site = site_dimensions_[dimension.site];
    if (dimension.operation == SiteOperation::fence_before)
      of_site.fence_before = number;
    else if (dimension.operation == SiteOperation::fence_after)
      of_site.fence_after = number;
    else
      of_site.order = number;
    const bool is_of_program = dimension.operation == task_.sites[dimension.site].operation;
    const auto order = is_of_program ? task_.sites[dimension.site].order() : std::nullopt;
    own_.push_back(order.value_or(orders::weakest(dimension.operation)));
  }
  if (!task_.uses_witnesses) return;
  const run::RunSpecification& run = task_.programs.front().run;
  const models::MemoryModel* model = models::make_model(run.model.view(), models::options_of(run), model_arena_);
  // The axioms of a model without one for searches use more than the graph.
  model_ = model != nullptr ? model->for_exploration() : nullptr;
}

void OrderTrials::ignore(const std::vector<OrderBug>& bugs) {
  for (const OrderBug& bug : bugs) ignored_.push_back(bug.key);
  // What these findings have shown to be wrong may be right now. Nothing is known of findings without a witness.
  std::erase_if(witnesses_, [&](const orders::WitnessCheck& witness) {
    return std::find(ignored_.begin(), ignored_.end(), witness.finding()) != ignored_.end();
  });
  wrong_.clear();
}

bool OrderTrials::has_witness(const Assignment& assignment) {
  return std::any_of(witnesses_.rbegin(), witnesses_.rend(),
                     [&](orders::WitnessCheck& witness) { return witness.shows_under(assignment, scratch_); });
}

bool OrderTrials::is_known_wrong(const Assignment& assignment) {
  const bool is_below = std::any_of(wrong_.begin(), wrong_.end(),
                                    [&](const Assignment& wrong) { return orders::is_at_most(assignment, wrong); });
  if (is_below) return true;
  if (!has_witness(assignment)) return false;
  ++counts_.excluded;
  return true;
}

std::string OrderTrials::orders_text(const Assignment& assignment, std::optional<std::size_t> program) const {
  std::vector<orders::OrderChange> changes;
  for (std::size_t d = 0; d < assignment.size(); ++d) {
    const OrderDimension& dimension = task_.dimensions[d];
    if (assignment[d] == own_[d] || (program && !task_.sites[dimension.site].programs[*program])) continue;
    changes.push_back(task_.sites.change(dimension.site, dimension.operation, assignment[d]));
  }
  return orders::text_of(changes);
}

std::vector<Trial> OrderTrials::run_batch(std::span<const Assignment> assignments) {
  const auto run_one = [&](std::size_t number) {
    Trial trial;
    trial.judgement = Judgement::right;
    std::uint64_t executions = 0;
    const std::string out = numbered_from_ ? fmt::format("{}{}", out_, *numbered_from_ + number) : out_;
    for (std::size_t program = 0; program < task_.programs.size() && trial.judgement == Judgement::right; ++program) {
      campaign::Subject subject = task_.programs[program];
      if (!subject.run.orders.assign(orders_text(assignments[number], program))) {
        trial.judgement = Judgement::unknown;
        trial.problem = "the orders to try are too many for one run: name fewer sites with --site";
        break;
      }
      session::run(ProgramTrial{subject, program, task_.budget, ignored_, task_.sites,
                                model_ != nullptr ? &site_dimensions_ : nullptr, out},
                   trial, executions);
    }
    return encode_trial(trial, executions);
  };
  const auto results = run_forked(assignments.size(), task_.programs.front().run.jobs, task_.deadline, run_one);
  if (numbered_from_) *numbered_from_ += assignments.size();
  std::vector<Trial> trials;
  if (!results) {
    was_interrupted_ = true;
    return trials;
  }
  for (const std::string& bytes : *results) {
    auto decoded = decode_trial(bytes);
    Trial trial;
    trial.problem = "the process of a trial died";
    if (decoded) {
      trial = std::move(decoded->trial);
      counts_.executions += decoded->executions;
    }
    ++counts_.trials;
    trials.push_back(std::move(trial));
  }
  return trials;
}

std::vector<Trial> OrderTrials::run_all(std::span<const Assignment> assignments) {
  std::vector<Trial> trials = run_batch(assignments);
  for (std::size_t i = 0; i < trials.size(); ++i) learn(assignments[i], trials[i]);
  return trials;
}

void OrderTrials::learn(const Assignment& assignment, Trial& trial) {
  if (trial.judgement == Judgement::unknown) problem_ = trial.problem;
  if (trial.judgement == Judgement::right) right_.emplace_back(assignment, trial);
  if (trial.judgement != Judgement::wrong) return;
  for (orders::Witness& witness : trial.witnesses) {
    witnesses_.emplace_back(std::move(witness), *model_, task_.programs.front().run.release_sequence);
    ++counts_.witnesses;
  }
  trial.witnesses.clear();
  // A witness should show in the orders that it was found with, but there may be none: it is too long, or about
  // accesses that are not in the record.
  if (!has_witness(assignment) && !is_known_wrong(assignment)) wrong_.push_back(raised(assignment));
}

Assignment OrderTrials::raised(Assignment wrong) {
  for (std::size_t d = 0; d < highest_.size(); ++d) {
    if (wrong[d] == highest_[d]) continue;
    Assignment stronger = wrong;
    stronger[d] = highest_[d];
    const std::vector<Trial> trials = run_batch(std::span(&stronger, 1));
    if (trials.empty()) break;
    if (trials[0].judgement == Judgement::wrong) wrong = std::move(stronger);
  }
  return wrong;
}

std::vector<Judgement> OrderTrials::run(std::span<const Assignment> assignments) {
  std::vector<Judgement> judgements;
  for (const Trial& trial : run_all(assignments)) judgements.push_back(trial.judgement);
  return judgements;
}

const Trial* OrderTrials::trial_of(const Assignment& assignment) const {
  for (const auto& [known, trial] : right_)
    if (known == assignment) return &trial;
  return nullptr;
}

}  // namespace heddle::session
