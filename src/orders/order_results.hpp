// What is known of a program's memory orders: the result of heddle orders, fix and weaken, for all reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orders/minimal_search.hpp"
#include "orders/site_list.hpp"

namespace heddle::orders {

/// What shows that an assignment is right for one program.
struct Certificate {
  bool is_proved = false;             ///< every execution was explored
  std::uint64_t executions = 0;       ///< proved: execution graphs
  std::optional<double> unseen = {};  ///< sampled: estimate of the chance that one more execution shows something new
};

/// An access of a race that is not atomic.
struct PlainAccess {
  findings::SourcePlace place;  ///< line 0: unknown
  std::string what;             ///< "write of 4 bytes"

  bool operator==(const PlainAccess&) const = default;
};

/// A finding under an assignment.
struct OrderBug {
  std::size_t program = 0;
  std::uint64_t key = 0;
  std::string kind;
  std::string message;
  std::string trace = {};               ///< path; empty: none was written
  std::vector<PlainAccess> plain = {};  ///< races: the accesses that would have to become atomic
};

struct TrialCounts {
  std::uint64_t trials = 0;  ///< assignments that the programs were run with
  std::uint64_t executions = 0;
  std::uint64_t excluded = 0;  ///< assignments that witnesses have shown to be wrong, without a run
  std::uint64_t witnesses = 0;
};

enum class SiteVerdict : std::uint8_t {
  relaxed,      ///< nothing is weaker
  needed,       ///< each weaker order breaks something
  too_strong,   ///< a weaker order breaks nothing, another one does
  not_needed,   ///< no weaker order breaks anything in these programs
  not_reached,  ///< the same, and only one thread accesses the variable in each execution
  too_weak,     ///< a finding goes away if it is stronger
  never_executed,
  several_orders,  ///< the program computes the order: it was not changed
  not_wanted,      ///< --site leaves it out
  unknown,         ///< the runs were not enough for a judgement
};
const char* name_of(SiteVerdict verdict);

/// The programs with an order that is one step weaker at a site.
struct WeakerOrder {
  MemoryOrder order = MemoryOrder::relaxed;
  Judgement judgement = Judgement::unknown;
  std::vector<OrderBug> bugs = {};             ///< wrong: what breaks
  std::vector<Certificate> certificates = {};  ///< right: one for each program
  std::string problem = {};                    ///< unknown: why
};

struct AuditedSite {
  std::size_t site = 0;  ///< in OrderResults::sites
  SiteVerdict verdict = SiteVerdict::never_executed;
  std::vector<WeakerOrder> weaker = {};
  std::optional<MemoryOrder> enough = {};  ///< too_weak: the weakest order of the cheapest cure
};

struct SiteChange {
  std::size_t site = 0;  ///< in OrderResults::sites
  MemoryOrder from = MemoryOrder::relaxed, to = MemoryOrder::relaxed;
  /// That of the site, or a fence that is added before or after it; then `from` is none.
  SiteOperation operation = SiteOperation::load;
};

/// Orders with which the programs are right.
struct OrderAnswer {
  std::vector<SiteChange> changes;        ///< what differs from the program, by site
  int cost = 0;                           ///< of all sites (orders/cost.hpp)
  std::string orders;                     ///< the changes as --orders takes them
  std::vector<Certificate> certificates;  ///< one for each program

  bool is_proved() const;
};

enum class OrderQuestion : std::uint8_t { audit, fix, weaken };

struct OrderResults {
  OrderQuestion question = OrderQuestion::audit;
  SiteList sites;
  std::vector<std::string> programs = {};  ///< with their arguments, as a shell takes them
  int cost = 0;                            ///< of the program's own orders
  std::vector<Certificate> own = {};       ///< the program as it is; empty: it has bugs
  std::vector<OrderBug> bugs = {};         ///< of the program as it is
  std::vector<OrderBug> incurable = {};    ///< those that the strongest orders do not remove
  std::vector<AuditedSite> audit = {};     ///< heddle orders: all sites
  std::vector<OrderAnswer> answers = {};   ///< heddle fix and weaken, the cheapest first
  bool is_complete = false;                ///< there are no other answers
  bool reached_limit = false;              ///< --answers has ended the search
  bool was_interrupted = false;
  bool has_unwanted = false;  ///< --site has left operations out
  TrialCounts counts = {};
  std::uint64_t unknown = 0;  ///< trials without a judgement
  std::string problem = {};   ///< why the newest of them has none
  double seconds = 0;
};

/// Of the sites that are stronger than relaxed, and that were judged.
struct MutationScore {
  std::size_t needed = 0;  ///< that some program needs to be stronger than relaxed
  std::size_t judged = 0;
};
MutationScore mutation_score(const OrderResults& results);

}  // namespace heddle::orders
