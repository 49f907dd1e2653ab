// Why an exhaustive search is no proof, as the reports say it.
#pragma once

#include <string>
#include <vector>

#include "channel/proof_gap.hpp"

namespace heddle::findings {

struct ProofGaps {
  channel::ProofGaps set;
  std::string code;  ///< ProofGap::uninstrumented_code: which code, and why, a clause; empty: not known

  bool empty() const { return set.empty(); }
  void add(const ProofGaps& other) {
    set.add(other.set);
    if (code.empty()) code = other.code;
  }
  /// One for each reason, without a full stop.
  std::vector<std::string> sentences() const;
  /// The sentences as one text; empty: there is no reason.
  std::string text() const;
};

}  // namespace heddle::findings
