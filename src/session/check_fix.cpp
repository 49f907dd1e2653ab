#include "session/check_fix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "models/sc.hpp"
#include "orders/order_table.hpp"
#include "session/minimise.hpp"
#include "session/sample.hpp"
#include "story/stronger_orders.hpp"
#include "story/words.hpp"

namespace heddle::session {

namespace {

using channel::SiteOperation;
using findings::Explanation;
using findings::Finding;
using findings::SuggestedChange;
using graph::MemoryOrder;
using Changes = std::vector<SuggestedChange>;

// A trial has so many executions that a fix without effect would show the finding with a probability of 99.9 %.
const double sure = std::log(1000.0);
constexpr std::uint64_t least_executions = 300;
constexpr std::uint64_t most_executions = 5'000;
constexpr std::uint64_t most_events = 3'000'000;
// Fewer executions of a program that has long ones say nothing.
constexpr std::uint64_t fewest_useful = 30;
// How often the orders that a trial still lacks are added, and how many trials all of it may take.
constexpr int most_rounds = 6;
constexpr int most_trials = 40;
constexpr std::chrono::milliseconds longest_trial{20'000};

SiteOperation operation_of(const std::string& noun) {
  if (noun == "load") return SiteOperation::load;
  if (noun == "store") return SiteOperation::store;
  if (noun == "fence") return SiteOperation::fence;
  if (noun == "compare_exchange") return SiteOperation::compare_exchange;
  if (noun == "failed compare_exchange") return SiteOperation::failed_exchange;
  return SiteOperation::read_modify_write;
}
SiteOperation operation_of(const SuggestedChange& change) { return operation_of(change.operation); }
bool is_atomic_operation(const story::Event& event) {
  using enum story::EventKind;
  return event.kind == load || event.kind == store || event.kind == rmw || event.kind == failed_exchange ||
         event.kind == fence;
}

std::vector<orders::OrderChange> table_of(const Changes& changes) {
  std::vector<orders::OrderChange> table;
  for (const SuggestedChange& change : changes)
    table.push_back(
        {change.place.file, change.place.line, change.place.column, operation_of(change), story::order_of(change.to)});
  return table;
}

/// The orders that are weaker than `order`, the weakest first, for an operation that has the order `now`.
std::vector<MemoryOrder> weaker_orders(SiteOperation operation, MemoryOrder now, MemoryOrder order) {
  std::vector<MemoryOrder> weaker;
  for (const MemoryOrder candidate : {MemoryOrder::acquire, MemoryOrder::release, MemoryOrder::acq_rel})
    if (candidate != order && story::joined(candidate, order) == order && story::joined(candidate, now) == candidate &&
        candidate != now && orders::can_have(operation, candidate))
      weaker.push_back(candidate);
  return weaker;
}

class FixChecker {
 public:
  FixChecker(const FixTask& task, Finding& finding, const story::ExecutionLog& log)
      : task_(task), finding_(finding), log_(log), subject_(task.subject) {
    subject_.sites = std::make_shared<orders::ProgramSites>(orders::ProgramSites::read(subject_.program.path));
    const double wanted = task.rate > 0 ? std::ceil(sure / task.rate) : 0;
    executions_ = wanted < most_executions ? static_cast<std::uint64_t>(wanted) : most_executions;
    executions_ = std::max(executions_, least_executions);
    executions_ = std::min<std::uint64_t>(executions_, most_events / (log.events.size() + 1));
  }

  void check() {
    Explanation& explanation = *finding_.explanation;
    explanation.fix.why_not = why_not_checkable(explanation.changes);
    if (!explanation.fix.why_not.empty()) return;
    // First for a fix after which no finding of this kind is left, then for one that removes this finding.
    for (const Aim aim : {Aim::no_such_kind, Aim::not_this_one}) {
      aim_ = aim;
      Changes changes = explanation.changes;
      for (SuggestedChange& change : changes) keep_other_orders(change);
      std::optional<Trial> cure = find_cure(changes);
      if (!cure) continue;
      drop_needless(changes, *cure);
      weaken(changes, *cure);
      explanation.changes = std::move(changes);
      explanation.advice = story::advice_text(log_, explanation.changes);
      explanation.fix.executions = cure->executions;
      explanation.fix.is_proved = cure->is_proved;
      return;
    }
    if (has_passed(task_.deadline)) {
      explanation.fix.why_not = "the time of --time has passed";
      return;
    }
    // The cause named orders that do not help. Another explanation may be right.
    Explanation other = story::explain(finding_, log_, needs_stale_reads(explanation.models), story::OrdersHelp::no);
    explanation.steps = std::move(other.steps);
    explanation.nature = other.nature;
    explanation.cause = std::move(other.cause);
    explanation.advice = std::move(other.advice);
    explanation.changes.clear();
  }

 private:
  enum class Aim : std::uint8_t { no_such_kind, not_this_one };
  struct Trial {
    bool cures = false;
    bool is_proved = false;
    std::uint64_t executions = 0;
    std::optional<Finding> left;  ///< the first finding that should be gone
    campaign::Subject subject;    ///< with which it was found
  };

  std::string why_not_checkable(const Changes& changes) const {
    if (subject_.check != 0) return "the test runs inside another program";
    if (executions_ < fewest_useful) return "the executions are too long";
    const auto sites = orders::find_sites(table_of(changes), *subject_.sites);
    if (!sites) return "heddle cannot change the order of these accesses in the compiled program";
    if (run::Text text; !text.assign(orders::text_of(table_of(changes)))) return "the suggestion is too long";
    return "";
  }

  /// Several operations of a library can have the same place in the program. None of them gets a weaker order than it
  /// has.
  void keep_other_orders(SuggestedChange& change) const {
    MemoryOrder order = story::order_of(change.to);
    for (const story::Event& event : log_.events)
      if (is_atomic_operation(event) && operation_of(story::operation_noun(event)) == operation_of(change) &&
          story::place_of(event) == change.place)
        order = story::joined(order, event.order);
    if (orders::can_have(operation_of(change), order)) change.to = story::order_name(order);
  }

  bool should_be_gone(const Finding& left) const {
    if (!findings::is_bug(left) || left.is_known) return false;
    if (left.key == finding_.key) return true;
    const bool is_variant = std::any_of(finding_.variants.begin(), finding_.variants.end(),
                                        [&](const Finding& variant) { return variant.key == left.key; });
    if (is_variant) return true;
    if (aim_ == Aim::no_such_kind && left.kind == finding_.kind) return true;
    return std::find(task_.others.begin(), task_.others.end(), left.key) == task_.others.end();
  }

  /// Nothing: the trial could not be made.
  std::optional<Trial> run_trial(const Changes& changes) {
    Trial trial;
    if (++trials_ > most_trials || has_passed(task_.deadline)) return std::nullopt;
    Sample sample{subject_, executions_, task_.isolation, task_.others.empty(), {longest_trial, task_.deadline}};
    if (!sample.subject.run.orders.assign(orders::text_of(table_of(changes)))) return std::nullopt;
    auto sampled = run(sample);
    if (!sampled || !sampled->results.failure.empty() || sampled->results.statistics.executions == 0)
      return std::nullopt;
    trial.subject = std::move(sampled->subject);
    findings::Results& results = sampled->results;
    trial.executions = results.statistics.executions;
    for (Finding& left : results.findings)
      if (should_be_gone(left) && (!trial.left || left.key == finding_.key)) trial.left = std::move(left);
    trial.cures = !trial.left;
    trial.is_proved = trial.cures && results.search.is_proof();
    isolation_ = results.isolation;
    return trial;
  }

  /// Adds changes until the program is cured: those that the executions need that are still wrong. Nothing: memory
  /// orders do not help.
  std::optional<Trial> find_cure(Changes& changes) {
    for (int round = 0; round < most_rounds; ++round) {
      std::optional<Trial> trial = run_trial(changes);
      if (!trial) return std::nullopt;
      if (trial->cures) return trial;
      if (!add_changes(changes, *trial)) return std::nullopt;
    }
    return std::nullopt;
  }

  /// Adds what the explanation of the finding that is left suggests. False: nothing new.
  bool add_changes(Changes& changes, Trial& trial) {
    auto replay = Replay::of_finding(trial.subject, isolation_, *trial.left);
    if (!replay) return false;
    replay->limit = {longest_trial, task_.deadline};
    auto minimized = run(Minimise{*replay, trial.left->key});
    if (!minimized || !minimized->log.log) return false;
    const Explanation next = story::explain(minimized->finding, *minimized->log.log, story::NeedsStaleReads::perhaps);
    bool has_new = false;
    for (const SuggestedChange& change : next.changes) {
      const auto same = std::find_if(changes.begin(), changes.end(), [&](const SuggestedChange& known) {
        return known.place == change.place && known.operation == change.operation;
      });
      if (same == changes.end()) {
        changes.push_back(change);
        keep_other_orders(changes.back());
        has_new = true;
        continue;
      }
      const auto both = story::order_name(story::joined(story::order_of(same->to), story::order_of(change.to)));
      has_new |= same->to != both;
      same->to = both;
    }
    return has_new && why_not_checkable(changes).empty();
  }

  void drop_needless(Changes& changes, Trial& cure) {
    for (std::size_t i = 0; changes.size() > 1 && i < changes.size();) {
      Changes fewer = changes;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (std::optional<Trial> trial = run_trial(fewer); trial && trial->cures) {
        changes = std::move(fewer);
        cure = std::move(*trial);
      } else {
        ++i;
      }
    }
  }

  void weaken(Changes& changes, Trial& cure) {
    for (SuggestedChange& change : changes) {
      const std::string wanted = change.to;
      for (const MemoryOrder order :
           weaker_orders(operation_of(change), story::order_of(change.from), story::order_of(wanted))) {
        change.to = story::order_name(order);
        std::optional<Trial> trial = run_trial(changes);
        if (trial && trial->cures) {
          cure = std::move(*trial);
          break;
        }
        change.to = wanted;
      }
    }
  }

  const FixTask& task_;
  Finding& finding_;
  const story::ExecutionLog& log_;
  campaign::Subject subject_;
  std::uint64_t executions_ = 0;  ///< of a trial
  int trials_ = 0;
  Aim aim_ = Aim::no_such_kind;
  run::Isolation isolation_ = run::Isolation::automatic;  ///< of the newest trial
};

}  // namespace

void check_fix(const FixTask& task, Finding& finding, const story::ExecutionLog& log) {
  if (finding.explanation && !finding.explanation->changes.empty()) FixChecker(task, finding, log).check();
}

story::NeedsStaleReads needs_stale_reads(const std::vector<findings::ModelVerdict>& models) {
  const bool shows_under_sc = std::any_of(models.begin(), models.end(), [](const findings::ModelVerdict& verdict) {
    return verdict.model == models::sc_model.name && verdict.shows;
  });
  return shows_under_sc ? story::NeedsStaleReads::no : story::NeedsStaleReads::perhaps;
}

}  // namespace heddle::session
