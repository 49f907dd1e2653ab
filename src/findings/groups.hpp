// Findings with one root are one finding: see docs/findings.md for the rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "findings/finding.hpp"

namespace heddle::findings {

/// Sets of findings that share a root, directly or through other findings. The result does not depend on the order in
/// which findings are added.
class RootGroups {
 public:
  /// The finding has names. Returns its number: 0, 1, ...
  std::size_t add(const Finding& finding);
  /// The first finding that was added to the group of this one.
  std::size_t group_of(std::size_t number) const;
  std::size_t groups() const;

 private:
  std::map<std::string, std::size_t> owners_;  ///< by root
  mutable std::vector<std::size_t> parents_;   ///< by number; smaller numbers are nearer to the first of the group
};

/// Which executions of a campaign had a wait that ended early.
enum class EarlyEnds : std::uint8_t {
  explored,       ///< a search has explored executions with and without
  rare_wake_ups,  ///< spurious wake-ups are in one of four executions, others are not known
  not_known,
};

/// Marks the findings that need the early end of a wait: too many executions showed both for a coincidence. They have
/// one cause, whatever they show.
void mark_early_ends(std::vector<Finding>& findings, EarlyEnds ends);

/// The findings that share a root with an earlier one become its variants. The finding counts the executions of its
/// variants, too, of which there are `executions` at most. The findings have names.
void group_by_root(std::vector<Finding>& findings, std::uint64_t executions);

/// The bugs of a campaign that still runs, without variants.
class LiveBugs {
 public:
  /// Whether the finding, which has names, is a bug with a root that is new.
  bool is_new(const Finding& finding);
  std::size_t count() const { return groups_.groups(); }

 private:
  std::set<std::uint64_t> keys_;
  RootGroups groups_;
};

}  // namespace heddle::findings
