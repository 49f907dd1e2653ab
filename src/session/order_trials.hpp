// Runs one or several programs with other memory orders, and judges the orders. heddle orders, fix and weaken consist
// of such trials.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/finding.hpp"
#include "orders/minimal_search.hpp"
#include "orders/order_results.hpp"
#include "orders/site_list.hpp"
#include "orders/witness.hpp"
#include "session/make_witness.hpp"
#include "session/time_limit.hpp"

namespace heddle::session {

/// How much of a program is run to judge one assignment.
struct TrialBudget {
  /// Executions of an exhaustive search: if it ends within them, the judgement is a proof.
  std::uint64_t search = 10'000;
  /// Otherwise: executions by `auto`.
  std::uint64_t samples = 1'000;
};

using orders::Certificate;
using orders::OrderBug;
using orders::SiteOperation;
using orders::TrialCounts;

struct Trial {
  orders::Judgement judgement = orders::Judgement::unknown;
  std::vector<Certificate> certificates;  ///< right: one for each program
  std::vector<OrderBug> bugs;
  std::vector<orders::Witness> witnesses;
  std::string problem;  ///< unknown: why, a sentence without a full stop
};

/// What changes: the order of a site, or a fence that is added before or after it.
struct OrderDimension {
  std::size_t site = 0;
  SiteOperation operation = SiteOperation::load;
};

class OrderTrials final : public orders::Oracle {
 public:
  struct Task {
    std::vector<campaign::Subject> programs;  ///< with `sites`
    const orders::SiteList& sites;
    /// What changes. The other sites keep the order of the program.
    std::vector<OrderDimension> dimensions;
    TrialBudget budget = {};
    bool uses_witnesses = true;
    Deadline deadline = {};  ///< no trial begins afterwards
  };
  explicit OrderTrials(Task task);

  const std::vector<OrderDimension>& dimensions() const { return task_.dimensions; }
  /// The orders of the dimensions in the program.
  const orders::Assignment& program_orders() const { return own_; }

  /// The folder for the traces of bugs that trials show from now on; empty, as at first: none are written.
  /// `is_numbered`: each trial has its own folder, whose name ends with its number, from 1 on. The same bug under
  /// different orders has traces of the same name.
  void write_traces_to(const std::string& folder, bool is_numbered = false) {
    out_ = folder;
    if (is_numbered) numbered_from_ = 1;
    if (!is_numbered) numbered_from_.reset();
  }
  /// No assignment that is run is stronger in any dimension.
  void set_highest(const orders::Assignment& highest) { highest_ = highest; }
  /// Findings that do not count from now on: no order cures them.
  void ignore(const std::vector<OrderBug>& bugs);

  bool is_known_wrong(const orders::Assignment& assignment) override;
  std::vector<orders::Judgement> run(std::span<const orders::Assignment> assignments) override;

  /// run(), with everything that the trials have shown. Fewer than there are assignments: the user asked to stop, or
  /// the deadline has passed.
  std::vector<Trial> run_all(std::span<const orders::Assignment> assignments);
  /// The trial of an assignment that was judged right.
  const Trial* trial_of(const orders::Assignment& assignment) const;

  const TrialCounts& counts() const { return counts_; }
  bool was_interrupted() const { return was_interrupted_; }
  /// Why the newest assignment without a judgement has none.
  const std::string& problem() const { return problem_; }
  /// What --orders takes to run the program with the assignment; only what differs from the program. `program`: only
  /// the sites that it has.
  std::string orders_text(const orders::Assignment& assignment, std::optional<std::size_t> program = {}) const;

 private:
  void learn(const orders::Assignment& assignment, Trial& trial);
  std::vector<Trial> run_batch(std::span<const orders::Assignment> assignments);
  /// Without a witness: the strongest orders above that are still wrong, by a run for each dimension.
  orders::Assignment raised(orders::Assignment wrong);
  bool has_witness(const orders::Assignment& assignment);

  Task task_;
  std::string out_;
  std::optional<std::size_t> numbered_from_;  ///< the number of the next trial
  orders::Assignment own_;
  orders::Assignment highest_;
  SiteDimensions site_dimensions_;
  std::vector<std::uint64_t> ignored_;  ///< keys
  std::list<orders::WitnessCheck> witnesses_;
  std::vector<orders::Assignment> wrong_;
  std::vector<std::pair<orders::Assignment, Trial>> right_;
  std::vector<std::byte> model_memory_, scratch_memory_;
  base::Arena model_arena_, scratch_;
  const models::MemoryModel* model_ = nullptr;  ///< null: witnesses cannot be checked
  TrialCounts counts_;
  std::string problem_;
  bool was_interrupted_ = false;
};

}  // namespace heddle::session
