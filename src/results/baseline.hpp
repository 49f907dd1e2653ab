// A baseline: the findings of an earlier JSON report, which are known and do not fail a build.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "findings/finding.hpp"

namespace heddle::results {

class Baseline {
 public:
  /// Reads a report of heddle test, verify or merge.
  static Result<Baseline> read(const std::string& path);

  /// Sets is_known of the findings that the baseline has. Which of several findings with one root a campaign meets is
  /// chance, so a finding is known if it, or one of its variants, is.
  void mark(std::vector<findings::Finding>& findings) const;

 private:
  std::set<std::string> keys_;
};

}  // namespace heddle::results
