#pragma once

#include "models/memory_model.hpp"

namespace heddle::models {

extern const ModelDescriptor rc11_model;

class Rc11 final : public MemoryModel {
 public:
  /// With more seq_cst events than this, choices that need the exact search over psc are not offered. That loses
  /// behaviours but never adds one. The search is quadratic in the number of seq_cst events: an execution with 200 of
  /// them takes about twice as long, with 600 four times.
  static constexpr std::size_t exact_psc_limit = 256;

  /// `exact` is the same model without that limit, for the exhaustive search, which must not leave anything out.
  Rc11(ReleaseSequence release_sequence, const Rc11& exact) : release_sequence_(release_sequence), exact_(&exact) {}
  /// Without a limit.
  explicit Rc11(ReleaseSequence release_sequence) : release_sequence_(release_sequence) {}

  ModelState& begin_execution(graph::ExecutionGraph& graph, base::Arena& arena) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override;
  bool can_forget() const override { return exact_ != nullptr && release_sequence_ == ReleaseSequence::cpp20; }
  const MemoryModel* for_exploration() const override { return exact_ != nullptr ? exact_ : this; }

 private:
  ReleaseSequence release_sequence_;
  const Rc11* exact_ = nullptr;
};

}  // namespace heddle::models
