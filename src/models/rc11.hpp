#pragma once

#include "models/memory_model.hpp"

namespace heddle::models {

class Rc11 final : public MemoryModel {
 public:
  /// Beyond this many seq_cst events the exact search over psc gives way to its sufficient condition: choices that need
  /// the search are not offered. That loses behaviours, never adds one. The search is quadratic in their number: with
  /// 200 of them an execution takes about twice its time, with 600 four times.
  static constexpr std::size_t exact_psc_limit = 256;

  /// `exact` is the same model without that limit, for the exhaustive search, which promises to leave nothing out.
  Rc11(ReleaseSequence release_sequence, const Rc11& exact) : release_sequence_(release_sequence), exact_(&exact) {}
  /// Without a limit.
  explicit Rc11(ReleaseSequence release_sequence) : release_sequence_(release_sequence) {}

  void readable_writes(graph::ExecutionGraph& graph, const graph::Event& read,
                       base::ArenaVector<graph::EventId>& out) const override;
  std::uint32_t readable_from(graph::ExecutionGraph& graph, const graph::Event& read) const override;
  bool commits_clocks_only() const override { return release_sequence_ == ReleaseSequence::cpp20; }
  bool goes_last(graph::ExecutionGraph& graph, const graph::Event& write) const override;
  void mo_slots(graph::ExecutionGraph& graph, const graph::Event& write,
                base::ArenaVector<std::uint32_t>& out) const override;
  void commit(graph::ExecutionGraph& graph, graph::EventId event) const override;
  std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const override;
  bool can_forget() const override { return exact_ != nullptr && release_sequence_ == ReleaseSequence::cpp20; }
  const char* name() const override { return "rc11"; }
  const MemoryModel* for_exploration() const override { return exact_ != nullptr ? exact_ : this; }

 private:
  std::size_t psc_limit() const { return exact_ != nullptr ? exact_psc_limit : ~std::size_t{0}; }

  ReleaseSequence release_sequence_;
  const Rc11* exact_ = nullptr;
};

}  // namespace heddle::models
