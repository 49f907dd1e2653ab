// Estimates the number of runs of a search, before it. A probe follows one random path of the search tree. The product
// of the numbers of options on the path is, on average, the number of runs of the whole search (Knuth, Estimating the
// efficiency of backtrack programs, 1975).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/random.hpp"
#include "exploration/step.hpp"

namespace heddle::exploration {

class Probe {
 public:
  void start(std::uint64_t seed) {
    is_on_ = true;
    random_ = base::Random(seed, 0);
  }
  void stop() { is_on_ = false; }
  bool is_on() const { return is_on_; }

  /// A run has ended, with these alternatives, those of one position after the other. At the first position for which
  /// an alternative is drawn, the probe continues with that alternative. Null: the run itself was drawn everywhere, so
  /// the probe is complete.
  Alternative* draw(std::span<Alternative> alternatives) {
    for (std::size_t begin = 0, end = 0; begin < alternatives.size(); begin = end) {
      while (end < alternatives.size() && alternatives[end].position == alternatives[begin].position) ++end;
      const std::uint64_t options = end - begin + 1;
      weight_ *= static_cast<double>(options);
      const std::uint64_t chosen = random_.below(options);
      if (chosen + 1 != options) return &alternatives[begin + chosen];
    }
    estimates_ += weight_;
    ++completed_;
    weight_ = 1;
    return nullptr;
  }

  std::uint64_t completed() const { return completed_; }
  /// The estimated number of runs of the search. A probe must have been completed.
  double estimate() const { return estimates_ / static_cast<double>(completed_); }

 private:
  bool is_on_ = false;
  base::Random random_;
  std::uint64_t completed_ = 0;  ///< probes
  double weight_ = 1;            ///< the product of the numbers of options so far in this probe
  double estimates_ = 0;         ///< the sum over all probes
};

}  // namespace heddle::exploration
