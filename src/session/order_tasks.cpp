#include "session/order_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "campaign/workers/signal_watch.hpp"
#include "orders/cost.hpp"
#include "orders/site_verdict.hpp"
#include "report/text.hpp"
#include "session/program_trial.hpp"
#include "session/site_counter.hpp"

namespace heddle::session {

using orders::Assignment;
using orders::AuditedSite;
using orders::Judgement;
using orders::MemoryOrder;
using orders::OrderAnswer;
using orders::OrderQuestion;
using orders::OrderSite;
using orders::SiteChange;
using orders::SiteOperation;
using orders::SiteVerdict;
using orders::WeakerOrder;

namespace {

// Findings that no order cures hide others at first: a search stops where it fails.
constexpr int most_rounds = 8;
// The audit names the sites that are too weak, and needs few answers for that.
constexpr std::size_t answers_of_audit = 4;
constexpr std::uint64_t most_events_of_wrong_orders = 2'000;

/// "queue.hpp:50" names line 50 of a file with this name or path.
bool names_site(std::string_view wanted, const OrderSite& site) {
  const std::string& file = site.place.line != 0 ? site.place.file : site.path;
  unsigned line = 0;
  if (const std::size_t colon = wanted.rfind(':'); colon != wanted.npos) {
    const char* end = wanted.data() + wanted.size();
    const auto [last, error] = std::from_chars(wanted.data() + colon + 1, end, line);
    if (error == std::errc{} && last == end)
      wanted = wanted.substr(0, colon);
    else
      line = 0;
  }
  if (line != 0 && line != site.place.line) return false;
  return file.ends_with(wanted) && (file.size() == wanted.size() || file[file.size() - wanted.size() - 1] == '/');
}

/// As a shell takes it.
std::string command_of(const campaign::Subject& program) {
  std::string command = report::shell_word(program.program_name);
  for (const std::string& argument : program.args) command += " " + report::shell_word(argument);
  return command;
}

class OrderRun {
 public:
  OrderRun(const OrderTask& task, OrderQuestion question)
      : task_(task), programs_(task.programs), begin_(Clock::now()) {
    std::map<std::string, std::shared_ptr<const orders::ProgramSites>> known;
    std::vector<const orders::ProgramSites*> sites;
    for (campaign::Subject& program : programs_) {
      auto& read = known[program.program.path];
      if (!read) read = std::make_shared<orders::ProgramSites>(orders::ProgramSites::read(program.program.path));
      program.sites = read;
      sites.push_back(read.get());
    }
    results_ = std::make_unique<OrderResults>(OrderResults{question, orders::SiteList(sites)});
    for (const campaign::Subject& program : programs_) results_->programs.push_back(command_of(program));
    // The time is that of the whole search. A judgement does not depend on it.
    const auto time = programs_.front().run.time;
    if (time.count() != 0) deadline_ = Clock::now() + time;
    for (campaign::Subject& program : programs_) program.run.time = std::chrono::milliseconds(0);
  }

  Result<OrderResults> audit() {
    if (auto problem = begin()) return *problem;
    const std::vector<OrderDimension> sites = weaker_orders();
    OrderTrials trials = make_trials(sites);
    if (auto problem = try_own(trials)) return *problem;
    trials.ignore(results_->bugs);
    trials.write_traces_to(out() + "/weaker-", /*is_numbered=*/true);
    std::vector<Assignment> weaker;
    std::vector<std::pair<std::size_t, MemoryOrder>> meaning;
    for (std::size_t d = 0; d < sites.size(); ++d)
      for (const MemoryOrder order : orders::one_step_weaker(sites[d].operation, trials.program_orders()[d])) {
        weaker.push_back(trials.program_orders());
        weaker.back()[d] = order;
        meaning.emplace_back(sites[d].site, order);
      }
    std::map<std::size_t, std::vector<WeakerOrder>> tried;
    for (std::size_t begin = 0; begin < weaker.size() && !trials.was_interrupted(); begin += batch) {
      show(trials, 0, weaker.size() - begin);
      const auto part = std::span(weaker).subspan(begin, std::min(batch, weaker.size() - begin));
      auto judged = trials.run_all(part);
      for (std::size_t i = 0; i < judged.size(); ++i)
        tried[meaning[begin + i].first].push_back(weaker_order(meaning[begin + i].second, std::move(judged[i])));
    }
    const std::map<std::size_t, MemoryOrder> too_weak = sites_to_strengthen();
    for (std::size_t site = 0; site < results_->sites.size(); ++site)
      results_->audit.push_back(judge(site, std::move(tried[site]), too_weak));
    finish(trials);
    return std::move(*results_);
  }

  Result<OrderResults> fix() {
    if (auto problem = begin()) return *problem;
    std::vector<OrderDimension> changes = stronger_orders();
    if (task_.adds_fences) add_fences(changes);
    OrderTrials trials = make_trials(std::move(changes));
    if (auto problem = try_own(trials)) return *problem;
    if (!results_->bugs.empty() && !trials.was_interrupted()) strengthen(trials, task_.most_answers);
    finish(trials);
    return std::move(*results_);
  }

  Result<OrderResults> weaken() {
    if (auto problem = begin()) return *problem;
    count_under_weakest();
    OrderTrials trials = make_trials(weaker_orders());
    if (auto problem = try_own(trials)) return *problem;
    if (results_->bugs.empty() && !trials.was_interrupted()) {
      orders::Box box;
      for (const OrderDimension& dimension : trials.dimensions()) {
        box.operations.push_back(dimension.operation);
        box.lowest.push_back(orders::weakest(dimension.operation));
      }
      box.highest = trials.program_orders();
      search(box, trials, task_.most_answers);
    }
    finish(trials);
    return std::move(*results_);
  }

 private:
  static constexpr std::size_t batch = 8;

  /// Finds out which sites are executed, and with which orders.
  Outcome begin() {
    if (results_->sites.size() == 0)
      return test_problem("the program has no atomic operations that heddle can change: compile it with heddle c++");
    for (const campaign::Subject& program : programs_)
      if (auto problem = counter().count(program)) return problem;
    return std::nullopt;
  }

  SiteCounter counter() { return {results_->sites, task_.budget, deadline_}; }

  /// Weaker orders can lead to operations that the program's own orders do not lead to. What is not found here keeps
  /// its order.
  void count_under_weakest() {
    const std::vector<OrderDimension> known = weaker_orders();
    const OrderTrials trials = make_trials(known);
    Assignment weakest;
    for (const OrderDimension& dimension : known) weakest.push_back(orders::weakest(dimension.operation));
    for (std::size_t number = 0; number < programs_.size(); ++number) {
      campaign::Subject program = programs_[number];
      // Loops that never end are usual with orders that are wrong.
      program.run.max_events = std::min<std::uint64_t>(program.run.max_events, most_events_of_wrong_orders);
      if (program.run.orders.assign(trials.orders_text(weakest, number))) (void)counter().count(program);
    }
  }

  bool is_wanted(const OrderSite& site) const {
    return task_.wanted_sites.empty() ||
           std::any_of(task_.wanted_sites.begin(), task_.wanted_sites.end(),
                       [&](const std::string& wanted) { return names_site(wanted, site); });
  }

  /// The sites whose orders can change.
  template <typename Predicate>
  std::vector<OrderDimension> dimensions(Predicate can_change) const {
    std::vector<OrderDimension> found;
    for (std::size_t i = 0; i < results_->sites.size(); ++i) {
      const OrderSite& site = results_->sites[i];
      const auto order = site.order();
      if (order && is_wanted(site) && can_change(site, *order)) found.push_back({i, site.operation});
    }
    return found;
  }

  std::vector<OrderDimension> weaker_orders() const {
    return dimensions(
        [](const OrderSite& site, MemoryOrder order) { return order != orders::weakest(site.operation); });
  }

  std::vector<OrderDimension> stronger_orders() const {
    return dimensions(
        [](const OrderSite& site, MemoryOrder order) { return order != orders::strongest(site.operation); });
  }

  /// Before and after each operation that is executed.
  void add_fences(std::vector<OrderDimension>& changes) const {
    for (std::size_t i = 0; i < results_->sites.size(); ++i) {
      const OrderSite& site = results_->sites[i];
      if (site.executed == 0 || !is_wanted(site) || orders::is_fence(site.operation)) continue;
      if (site.operation == SiteOperation::failed_exchange) continue;  // it is at the place of the compare-exchange
      changes.push_back({i, SiteOperation::fence_before});
      changes.push_back({i, SiteOperation::fence_after});
    }
  }

  OrderTrials make_trials(std::vector<OrderDimension> changes) const {
    return OrderTrials({programs_, results_->sites, std::move(changes), task_.budget, task_.uses_witnesses, deadline_});
  }

  std::string out() const { return programs_.front().run.out.c_str(); }

  /// The program as it is.
  Outcome try_own(OrderTrials& trials) {
    const Assignment own = trials.program_orders();
    trials.write_traces_to(out());
    std::vector<Trial> judged = trials.run_all(std::span(&own, 1));
    trials.write_traces_to("");
    if (judged.empty()) return std::nullopt;
    if (judged[0].judgement == Judgement::unknown)
      return test_problem(fmt::format("the program cannot be judged as it is: {}", judged[0].problem));
    results_->own = std::move(judged[0].certificates);
    results_->bugs = std::move(judged[0].bugs);
    if (!results_->bugs.empty()) results_->own.clear();
    return std::nullopt;
  }

  /// All smallest changes that cure what orders can cure. The trials change all sites that can be stronger.
  void strengthen(OrderTrials& trials, std::size_t most_answers) {
    orders::Box box;
    box.lowest = trials.program_orders();
    for (const OrderDimension& dimension : trials.dimensions()) {
      box.operations.push_back(dimension.operation);
      box.highest.push_back(orders::strongest(box.operations.back()));
    }
    for (int round = 0; round < most_rounds; ++round) {
      trials.write_traces_to(out());
      const std::vector<Trial> judged = trials.run_all(std::span(&box.highest, 1));
      trials.write_traces_to("");
      if (judged.empty() || judged[0].judgement != Judgement::wrong) break;
      // No order cures these. They do not count from now on.
      trials.ignore(judged[0].bugs);
      results_->incurable.insert(results_->incurable.end(), judged[0].bugs.begin(), judged[0].bugs.end());
    }
    const bool has_curable = std::any_of(results_->bugs.begin(), results_->bugs.end(), [&](const OrderBug& bug) {
      return std::none_of(results_->incurable.begin(), results_->incurable.end(),
                          [&](const OrderBug& other) { return other.key == bug.key; });
    });
    if (!results_->incurable.empty() && !has_curable) {
      // Findings that orders cure may come after those that they do not.
      const std::vector<Trial> judged = trials.run_all(std::span(&box.lowest, 1));
      if (judged.empty() || judged[0].judgement != Judgement::wrong) {
        results_->is_complete = !trials.was_interrupted();
        return;
      }
    }
    search(box, trials, most_answers);
  }

  void search(orders::Box& box, OrderTrials& trials, std::size_t most_answers) {
    box.priority.resize(box.operations.size());
    std::iota(box.priority.begin(), box.priority.end(), std::size_t{0});
    // What is expensive is lowered first, so that a cheap answer is found early.
    std::stable_sort(box.priority.begin(), box.priority.end(), [&](std::size_t a, std::size_t b) {
      return orders::cost_of(box.operations[a], box.highest[a]).weight >
             orders::cost_of(box.operations[b], box.highest[b]).weight;
    });
    trials.set_highest(box.highest);
    orders::SearchLimits limits;
    limits.most_answers = most_answers;
    limits.batch = batch;
    limits.on_batch = [&](const orders::MinimalAnswers& found, std::size_t nodes) {
      show(trials, found.answers.size(), nodes);
    };
    const orders::MinimalAnswers found = orders::find_minimal(box, trials, limits);
    results_->is_complete = found.is_complete;
    results_->reached_limit = !found.is_complete && found.answers.size() >= most_answers;
    results_->unknown = found.unknown;
    for (const Assignment& assignment : found.answers) results_->answers.push_back(answer_of(assignment, trials));
    std::stable_sort(results_->answers.begin(), results_->answers.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.cost, a.changes.size(), std::cref(a.orders).get()) <
             std::tuple(b.cost, b.changes.size(), std::cref(b.orders).get());
    });
  }

  OrderAnswer answer_of(const Assignment& assignment, const OrderTrials& trials) const {
    OrderAnswer answer;
    std::map<std::size_t, MemoryOrder> changed;
    for (std::size_t d = 0; d < assignment.size(); ++d) {
      const MemoryOrder own = trials.program_orders()[d];
      if (assignment[d] == own) continue;
      const OrderDimension& dimension = trials.dimensions()[d];
      answer.changes.push_back({dimension.site, own, assignment[d], dimension.operation});
      if (dimension.operation == results_->sites[dimension.site].operation)
        changed[dimension.site] = assignment[d];
      else
        answer.cost += orders::cost_of(dimension.operation, assignment[d]).weight;
    }
    answer.cost += orders::cost_of_sites(results_->sites, changed);
    answer.orders = trials.orders_text(assignment);
    if (const Trial* trial = trials.trial_of(assignment)) answer.certificates = trial->certificates;
    return answer;
  }

  /// heddle orders on a program with findings: the sites of the cheapest cure, and their orders.
  std::map<std::size_t, MemoryOrder> sites_to_strengthen() {
    std::map<std::size_t, MemoryOrder> sites;
    if (results_->bugs.empty()) return sites;
    OrderTrials trials = make_trials(stronger_orders());
    strengthen(trials, answers_of_audit);
    counts_ = trials.counts();
    if (!results_->answers.empty())
      for (const SiteChange& change : results_->answers.front().changes) sites[change.site] = change.to;
    return sites;
  }

  AuditedSite judge(std::size_t number, std::vector<WeakerOrder> weaker,
                    const std::map<std::size_t, MemoryOrder>& too_weak) const {
    const OrderSite& site = results_->sites[number];
    AuditedSite audited{number, SiteVerdict::never_executed, std::move(weaker)};
    if (const auto cure = too_weak.find(number); cure != too_weak.end()) {
      audited.verdict = SiteVerdict::too_weak;
      audited.enough = cure->second;
    } else if (site.executed == 0) {
      audited.verdict = SiteVerdict::never_executed;
    } else if (site.has_several_orders()) {
      audited.verdict = SiteVerdict::several_orders;
    } else if (!is_wanted(site)) {
      audited.verdict = SiteVerdict::not_wanted;
    } else if (site.order() == orders::weakest(site.operation)) {
      audited.verdict = SiteVerdict::relaxed;
    } else {
      audited.verdict = orders::verdict_of_weaker(site, audited.weaker);
    }
    return audited;
  }

  static WeakerOrder weaker_order(MemoryOrder order, Trial trial) {
    return {order, trial.judgement, std::move(trial.bugs), std::move(trial.certificates), std::move(trial.problem)};
  }

  void show(const OrderTrials& trials, std::size_t answers, std::size_t open) const {
    if (task_.on_progress) task_.on_progress({trials.counts().trials, trials.counts().excluded, answers, open});
  }

  void finish(const OrderTrials& trials) {
    results_->cost = orders::cost_of_sites(results_->sites, {});
    results_->was_interrupted |= trials.was_interrupted();
    results_->problem = trials.problem();
    results_->has_unwanted = std::any_of(results_->sites.all().begin(), results_->sites.all().end(),
                                         [&](const OrderSite& site) { return !is_wanted(site); });
    results_->seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    results_->counts = trials.counts();
    results_->counts.trials += counts_.trials;
    results_->counts.executions += counts_.executions;
    results_->counts.excluded += counts_.excluded;
    results_->counts.witnesses += counts_.witnesses;
  }

  campaign::SignalWatch signals_;  ///< Ctrl-C between two batches of trials ends the next one
  const OrderTask& task_;
  std::vector<campaign::Subject> programs_;
  std::unique_ptr<OrderResults> results_;
  Clock::time_point begin_;
  Deadline deadline_;
  TrialCounts counts_;  ///< of sites_to_strengthen()
};

}  // namespace

Result<OrderResults> audit_orders(const OrderTask& task) { return OrderRun(task, OrderQuestion::audit).audit(); }
Result<OrderResults> fix_orders(const OrderTask& task) { return OrderRun(task, OrderQuestion::fix).fix(); }
Result<OrderResults> weaken_orders(const OrderTask& task) { return OrderRun(task, OrderQuestion::weaken).weaken(); }

}  // namespace heddle::session
