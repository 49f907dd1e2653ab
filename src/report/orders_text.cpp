#include "report/orders_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "report/orders_words.hpp"
#include "report/text.hpp"

namespace heddle::report {

namespace {

using orders::AuditedSite;
using orders::Judgement;
using orders::OrderAnswer;
using orders::OrderBug;
using orders::OrderQuestion;
using orders::OrderResults;
using orders::OrderSite;
using orders::SiteVerdict;

// More places do not help a reader.
constexpr std::size_t most_places = 8;

/// Rows with columns of equal width. The last column is as long as it needs.
class Table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i == widths.size()) widths.push_back(0);
        widths[i] = std::max(widths[i], row[i].size());
      }
    std::string text;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i)
        line += "  " + (i + 1 == row.size() ? row[i] : fmt::format("{:<{}}", row[i], widths[i]));
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

class OrdersText {
 public:
  explicit OrdersText(const OrderResults& results) : results_(results) {}

  std::string text() const {
    std::string text = bugs();
    if (results_.question == OrderQuestion::audit)
      text += audit();
    else
      text += answers();
    return text + notes() + last_line();
  }

  std::string last_line() const {
    const orders::TrialCounts& counts = results_.counts;
    std::string text = "heddle: " + result();
    text += fmt::format(", {} run", counted(counts.trials, "choice") + " of orders");
    if (counts.excluded != 0)
      text += fmt::format(", {} excluded by {}", counts.excluded, counted(counts.witnesses, "witness execution"));
    return text + fmt::format(", {} executions, {:.2f} s\n", counts.executions, results_.seconds);
  }

 private:
  std::string result() const {
    const std::size_t bugs = results_.bugs.size() + (results_.bugs.empty() ? results_.incurable.size() : 0);
    switch (results_.question) {
      case OrderQuestion::audit: {
        const orders::MutationScore score = orders::mutation_score(results_);
        std::string text = fmt::format("{} of {} orders needed", score.needed, score.judged);
        return bugs == 0 ? text : text + ", " + bugs_text(bugs);
      }
      case OrderQuestion::fix:
        if (bugs == 0) return "no bug";
        return counted(results_.answers.size(), results_.answers.size() == 1 ? "fix" : "fixe");
      case OrderQuestion::weaken:
        if (bugs != 0) return "the orders are not right as they are: " + bugs_text(bugs);
        return counted(results_.answers.size(), results_.answers.size() == 1 ? "answer" : "answer");
    }
    return "";
  }

  bool is_incurable(const OrderBug& bug) const {
    return std::any_of(results_.incurable.begin(), results_.incurable.end(),
                       [&](const OrderBug& other) { return other.key == bug.key; });
  }

  static std::string bug_text(const OrderBug& bug) {
    std::string text = "  " + printable(bug.message, Controls::escape) + "\n";
    if (!bug.trace.empty()) text += fmt::format("    heddle replay {}\n", shell_word(bug.trace));
    return text;
  }

  std::string bugs() const {
    std::string curable, incurable;
    for (const OrderBug& bug : results_.bugs)
      if (!is_incurable(bug)) curable += bug_text(bug);
    for (const OrderBug& bug : results_.incurable) {
      incurable += bug_text(bug);
      for (const orders::PlainAccess& access : bug.plain)
        incurable += fmt::format("    {} has to become atomic: {}\n", plain_place(access), access.what);
    }
    std::string text;
    if (!curable.empty()) text += "heddle: the program has bugs as it is\n" + curable;
    if (!incurable.empty())
      text += fmt::format("heddle: no {} cures these\n",
                          all_can_change() ? "memory order" : "order that heddle can change") +
              incurable;
    return text;
  }

  /// Whether the search could change all operations that were executed.
  bool all_can_change() const {
    return !results_.has_unwanted && std::none_of(results_.sites.all().begin(), results_.sites.all().end(),
                                                  [](const OrderSite& site) { return site.has_several_orders(); });
  }

  static std::string plain_place(const orders::PlainAccess& access) {
    if (access.place.line == 0) return "a place without debug information";
    return printable(fmt::format("{}:{}", short_path(access.place.file), access.place.line), Controls::escape);
  }

  std::string audit() const {
    Table table;
    table.add({"place", "operation", "order", "times", "verdict", ""});
    for (const AuditedSite& audited : results_.audit) {
      const OrderSite& site = results_.sites[audited.site];
      const auto order = site.order();
      table.add({site_place(site), orders::name_of(site.operation),
                 order                       ? orders::name_of(*order)
                 : site.has_several_orders() ? "several"
                                             : "-",
                 fmt::format("{}", site.executed), orders::name_of(audited.verdict),
                 printable(reason_text(audited, site), Controls::escape)});
    }
    return table.text() + replays() + score();
  }

  /// How to see what breaks: one trace for each operation.
  std::string replays() const {
    std::string text;
    for (const AuditedSite& audited : results_.audit)
      for (const orders::WeakerOrder& weaker : audited.weaker) {
        if (weaker.bugs.empty() || weaker.bugs[0].trace.empty()) continue;
        text += fmt::format("  {} {}: heddle replay {}\n", site_place(results_.sites[audited.site]),
                            orders::name_of(weaker.order), shell_word(weaker.bugs[0].trace));
        break;
      }
    return text.empty() ? "" : "heddle: what breaks with a weaker order\n" + text;
  }

  std::string score() const {
    const orders::MutationScore score = orders::mutation_score(results_);
    if (score.judged == 0) return "heddle: no order is stronger than relaxed, so there is nothing to judge\n";
    std::string text = fmt::format("heddle: {} of {} operations that are stronger than relaxed need to be ({} %)\n",
                                   score.needed, score.judged, 100 * score.needed / score.judged);
    std::string rest;
    std::size_t weaker = 0;
    for (const AuditedSite& audited : results_.audit) {
      weaker += audited.verdict == SiteVerdict::too_strong ? 1 : 0;
      const bool is_open = audited.verdict == SiteVerdict::not_needed || audited.verdict == SiteVerdict::not_reached;
      weaker += is_open ? 1 : 0;
      if (is_open) rest += (rest.empty() ? "" : ", ") + site_place(results_.sites[audited.site]);
    }
    if (!rest.empty())
      text +=
          fmt::format("heddle: either the programs test these too little, or the orders are too strong: {}\n", rest);
    if (weaker > 1)
      text += "heddle: each verdict is on one change alone; heddle weaken finds those that can be made together\n";
    return text;
  }

  std::string answers() const {
    std::string text;
    const bool is_fix = results_.question == OrderQuestion::fix;
    for (std::size_t i = 0; i < results_.answers.size(); ++i) {
      const OrderAnswer& answer = results_.answers[i];
      text += fmt::format("heddle: {} {} of {}, {}\n", is_fix ? "fix" : "answer", i + 1, results_.answers.size(),
                          certificates_text(answer.certificates));
      text += changes(answer);
      if (i == 0) text += diff(answer);
    }
    return text;
  }

  std::string changes(const OrderAnswer& answer) const {
    if (answer.changes.empty()) return "  no change: no order can be weaker\n";
    Table table;
    for (const orders::SiteChange& change : answer.changes) {
      const OrderSite& site = results_.sites[change.site];
      std::string operation = operation_text(change, site);
      if (!site.wrapper.empty()) operation += fmt::format(" (in {})", short_function_name(site.wrapper));
      table.add({site_place(site), printable(operation, Controls::escape), change_text(change), cost_text(change)});
    }
    return table.text();
  }

  std::string diff(const OrderAnswer& answer) const {
    const orders::SourceDiff diff = orders::source_diff(answer, results_.sites);
    std::string text;
    for (const orders::EditedFile& file : diff.files)
      text += printable(orders::unified_diff(file, working_folder()), Controls::escape);
    std::size_t without_debug_information = 0;
    for (const orders::ChangeByHand& by_hand : diff.by_hand) {
      const bool has_place = results_.sites[answer.changes[by_hand.change].site].place.line != 0;
      without_debug_information += has_place ? 0 : 1;
      if (!has_place) continue;
      const orders::SiteChange& change = answer.changes[by_hand.change];
      const OrderSite& site = results_.sites[change.site];
      text += fmt::format("heddle: to change by hand: {}, {}, {}: {}\n", site_place(site), operation_text(change, site),
                          change_text(change), printable(by_hand.why, Controls::escape));
      if (!by_hand.line.empty()) text += "    " + printable(by_hand.line, Controls::escape) + "\n";
    }
    if (without_debug_information != 0)
      text += fmt::format(
          "heddle: to change by hand: {} without debug information; compile with -g to see {} in the source\n",
          counted(without_debug_information, "operation"), without_debug_information == 1 ? "it" : "them");
    return text;
  }

  std::string notes() const {
    std::string text;
    const bool is_audit = results_.question == OrderQuestion::audit;
    if (results_.was_interrupted)
      text += "heddle: the search was stopped: this is what it had found\n";
    else if (results_.reached_limit)
      text += "heddle: there may be other answers: --answers ended the search\n";
    else if (!is_audit && !results_.answers.empty() && results_.is_complete && results_.unknown == 0)
      text += results_.answers.size() == 1 ? "heddle: there is no other answer\n" : "heddle: these are all answers\n";
    if (results_.question == OrderQuestion::fix && results_.answers.empty() && !results_.bugs.empty() &&
        results_.is_complete && !all_incurable())
      text += "heddle: no choice of memory orders was shown to be right\n";
    if (results_.unknown != 0)
      text += fmt::format("heddle: {} could not be judged, and count as wrong: {}\n",
                          counted(results_.unknown, "choice") + " of orders",
                          printable(results_.problem, Controls::escape));
    if (!is_audit) text += never_executed() + several_orders();
    const bool has_scope = is_audit || !results_.answers.empty();
    return has_scope ? text + "heddle: " + scope_text(results_) + "\n" : text;
  }

  /// Operations that keep their orders because nothing is known of them.
  std::string never_executed() const {
    std::string places;
    std::size_t count = 0;
    for (const OrderSite& site : results_.sites.all()) {
      if (site.executed != 0) continue;
      ++count;
      if (count <= most_places) places += (places.empty() ? "" : ", ") + site_place(site);
    }
    if (count == 0) return "";
    if (count > most_places) places += ", ...";
    return count == 1
               ? fmt::format("heddle: 1 operation was never executed, and keeps its order: {}\n", places)
               : fmt::format("heddle: {} operations were never executed, and keep their orders: {}\n", count, places);
  }

  std::string several_orders() const {
    std::string places;
    std::size_t count = 0;
    for (const OrderSite& site : results_.sites.all()) {
      if (!site.has_several_orders()) continue;
      ++count;
      if (count <= most_places)
        places += fmt::format("{}{} ({})", places.empty() ? "" : ", ", site_place(site), orders_seen_text(site));
    }
    if (count == 0) return "";
    if (count > most_places) places += ", ...";
    return fmt::format("heddle: {} several orders, and {} not changed: {}\n",
                       count == 1 ? "1 operation passes" : fmt::format("{} operations pass", count),
                       count == 1 ? "was" : "were", places);
  }

  bool all_incurable() const {
    return std::all_of(results_.bugs.begin(), results_.bugs.end(),
                       [&](const OrderBug& bug) { return is_incurable(bug); });
  }

  const OrderResults& results_;
};

}  // namespace

std::string orders_text(const OrderResults& results, bool quiet) {
  const OrdersText writer(results);
  return quiet ? writer.last_line() : writer.text();
}

}  // namespace heddle::report
