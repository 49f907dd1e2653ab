// Passes the choices and events of an execution to its strategy. The strategy is wrapped in decorators, which forward
// every call. Where the strategy's fast path allows it, the decider calls the innermost strategy directly, or draws a
// uniform choice itself, and tells only the recorder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/fast_paths.hpp"
#include "base/random.hpp"
#include "exploration/step.hpp"
#include "strategies/strategy.hpp"
#include "trace/decisions.hpp"

namespace heddle::engine {

class Decider {
 public:
  void use(strategies::Strategy& strategy) {
    strategy_ = &strategy;
    const strategies::Facets facets = strategy.facets();
    control_ = facets.control;
    adjustable_ = facets.adjustable;
  }
  /// The recorder from which findings take their decisions; null: findings have none.
  void set_recorder(trace::Recorder* recorder) { recorder_ = recorder; }
  trace::Recorder* recorder() const { return recorder_; }

  /// Called after the strategy's begin_execution().
  void begin_execution() {
    const bool is_recorded = strategy_ == recorder_;
    const strategies::FastPath path = !base::fast_paths ? strategies::FastPath{strategy_}
                                      : is_recorded     ? recorder_->fast_path()
                                                        : strategy_->fast_path();
    calls_ = path.calls;
    needs_events_ = calls_.executed || control_ != nullptr;
    innermost_ = path.decider;
    direct_ = base::fast_paths && is_recorded ? path.decider : nullptr;
    uniform_ = direct_ == nullptr ? nullptr : path.uniform;
  }
  void end_execution(strategies::Outcome outcome) {
    if (calls_.end_execution) strategy_->end_execution(outcome);
  }

  // ---- repetition (graph::ExecutionGraph::cut) ----------------------------------------------------------------
  // The first steps of an execution may be those of the execution before it. They are repeated without the strategy,
  // which knows them. Their decisions are in the recorder.

  /// To be called after begin_execution().
  void repeat(std::span<const exploration::Step> steps, std::uint32_t decisions) {
    next_step_ = steps.data();
    steps_end_ = steps.data() + steps.size();
    has_diverged_ = false;
    if (!steps.empty()) recorder_->keep(decisions);
  }
  /// The execution begins with so many decisions of the last one, and repeats nothing.
  void keep(std::uint32_t decisions) {
    repeat({}, 0);
    recorder_->keep(decisions);
  }
  bool is_repeating() const { return next_step_ != steps_end_; }
  /// The thread that makes the next step.
  graph::ThreadId repeated_thread() const { return next_step_->name.thread; }
  /// The event, of those to be repeated, has been made.
  void repeated(graph::EventId event) {
    if (event == next_step_->id) ++next_step_;
  }
  /// The program did not do the same again.
  void mark_diverged() { has_diverged_ = true; }
  bool has_diverged() const { return has_diverged_; }
  /// How many decisions the execution has taken, for repeat().
  std::uint32_t decisions() const { return recorder_->noted(); }
  /// Whether the recorder can keep so many more decisions of this execution.
  bool has_room_for(std::size_t decisions) const { return recorder_->has_room_for(decisions); }

  /// The index of the option to take.
  std::uint32_t decide(const strategies::Choice& choice) {
    if (is_repeating()) [[unlikely]]
      return next_step_->detail;
    if (direct_ == nullptr) return strategy_->choose(choice);
    const std::uint32_t index = direct_->choose(choice);
    recorder_->note(choice.kind, choice.options.size(), index);
    return index;
  }
  /// May the caller use draw_uniformly() for the choices that FastPath::uniform names?
  bool draws_uniformly() const { return uniform_ != nullptr; }
  /// Decides such a choice without listing its options.
  std::uint32_t draw_uniformly(strategies::ChoiceKind kind, std::size_t options) {
    const auto index = static_cast<std::uint32_t>(uniform_->below(options));
    recorder_->note(kind, options, index);
    return index;
  }

  /// The calls that the strategy needs in this execution.
  strategies::FastPath::Calls calls() const { return calls_; }
  /// False: the strategy repeats a trace, and the program has left it.
  bool about_to_execute(graph::ThreadId thread, const strategies::PendingOperation& operation) {
    return control_ == nullptr || is_repeating() || control_->about_to_execute(thread, operation);
  }
  /// False: the strategy abandons the execution.
  bool executed(const graph::Event& event) {
    if (!needs_events_) return true;
    if (calls_.executed) innermost_->executed(event);
    return !is_abandoned();
  }
  /// The strategy has no use for the execution.
  bool is_abandoned() const { return control_ != nullptr && control_->is_abandoned(); }
  /// See strategies::Adjustable.
  std::uint64_t escapes() const { return adjustable_ == nullptr ? 0 : adjustable_->escapes(); }
  bool waits_for_ever(graph::ThreadId thread) const { return control_ != nullptr && control_->waits_for_ever(thread); }
  void set_twin(graph::ThreadId thread, graph::ThreadId twin) {
    if (control_ != nullptr) control_->set_twin(thread, twin);
  }

 private:
  strategies::Strategy* strategy_ = nullptr;
  strategies::ExecutionControl* control_ = nullptr;  ///< of strategy_; null: it controls nothing
  const strategies::Adjustable* adjustable_ = nullptr;
  strategies::Strategy* innermost_ = nullptr;  ///< FastPath::decider
  strategies::Strategy* direct_ = nullptr;     ///< decides instead of strategy_; null: the decorators must see choices
  base::Random* uniform_ = nullptr;            ///< FastPath::uniform of direct_
  trace::Recorder* recorder_ = nullptr;
  strategies::FastPath::Calls calls_;
  bool needs_events_ = false;
  const exploration::Step* next_step_ = nullptr;  ///< of those to be repeated
  const exploration::Step* steps_end_ = nullptr;
  bool has_diverged_ = false;
};

}  // namespace heddle::engine
