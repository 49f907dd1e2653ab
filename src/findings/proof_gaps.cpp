#include "findings/proof_gaps.hpp"

namespace heddle::findings {

using channel::ProofGap;

namespace {

std::string sentence_of(ProofGap gap, const std::string& code) {
  return gap == ProofGap::uninstrumented_code && !code.empty() ? code : channel::reason_of(gap);
}

}  // namespace

std::vector<std::string> ProofGaps::sentences() const {
  std::vector<std::string> all;
  for (unsigned i = 0; i <= static_cast<unsigned>(ProofGap::last); ++i)
    if (const auto gap = static_cast<ProofGap>(i); set.has(gap)) all.push_back(sentence_of(gap, code));
  return all;
}

std::string ProofGaps::text() const {
  std::string text;
  for (const std::string& sentence : sentences()) text += (text.empty() ? "" : ". ") + sentence;
  return text;
}

}  // namespace heddle::findings
