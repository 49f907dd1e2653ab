// Strategies that record the decisions of one execution, replay them, and check that a repetition meets the same
// choices again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "strategies/strategy.hpp"
#include "trace/decision_list.hpp"

namespace heddle::trace {

/// Records the decisions of the inner strategy.
class Recorder final : public strategies::Strategy {
 public:
  Recorder(strategies::Strategy& inner, base::Arena& arena) : inner_(inner), fast_path_{&inner}, bytes_(arena) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const strategies::Choice& choice) override;
  strategies::FastPath fast_path() override { return fast_path_; }
  void executed(const graph::Event& event) override { inner_.executed(event); }
  strategies::Facets facets() override { return inner_.facets(); }
  void end_execution(strategies::Outcome outcome) override { inner_.end_execution(outcome); }

  /// Records a decision that the driver took from the inner strategy without calling choose().
  void note(strategies::ChoiceKind kind, std::size_t options, std::uint32_t index) {
    if (noted_ == notes_.size()) [[unlikely]]
      encode_noted();
    notes_[noted_++] = {kind, static_cast<std::uint32_t>(options), index};
  }

  // ---- executions that begin with decisions of the execution before ---------------------------------------------
  /// From now on, all decisions of an execution with up to `most` of them can be kept.
  void keep_many(base::Arena& arena, std::size_t most) { notes_ = arena.create_array<Decision>(most); }
  /// How many decisions the execution has taken, if can_keep().
  std::uint32_t noted() const { return noted_; }
  bool has_room_for(std::size_t decisions) const { return noted_ + decisions <= notes_.size(); }
  /// False: some of the execution's decisions are encoded already.
  bool can_keep() const { return !has_encoded_; }
  /// After begin_execution(): the execution begins with the first `count` decisions of the one before, without calls of
  /// choose() and note(). At the end of that one, can_keep() held.
  void keep(std::uint32_t count) { noted_ = count; }

  /// The size of the decision list so far, in bytes: see trace/decision_list.hpp.
  std::size_t size() {
    encode_noted();
    return bytes_.size();
  }
  void copy_to(std::uint8_t* out) {
    encode_noted();
    bytes_.copy_to(out);
  }

 private:
  /// Storage in blocks: growing an array in an arena would leave the old one behind.
  class Bytes {
   public:
    explicit Bytes(base::Arena& arena) : arena_(arena) {}
    void clear() {
      used_blocks_ = 0;
      next_ = end_ = nullptr;
    }
    std::size_t size() const { return used_blocks_ * block_size - static_cast<std::size_t>(end_ - next_); }
    void put(std::uint8_t byte) {
      if (next_ == end_) [[unlikely]]
        use_next_block();
      *next_++ = byte;
    }
    void increment_last() { ++next_[-1]; }
    void copy_to(std::uint8_t* out) const;

   private:
    static constexpr std::size_t block_size = 1 << 14;
    struct Block {
      std::uint8_t bytes[block_size];
    };
    [[gnu::cold, gnu::noinline]] void use_next_block();

    base::Arena& arena_;  ///< outlives executions; blocks are reused
    base::ArenaVector<Block*> blocks_;
    std::size_t used_blocks_ = 0;
    std::uint8_t* next_ = nullptr;  ///< in the last block that is used
    std::uint8_t* end_ = nullptr;
  };

  [[gnu::noinline]] void encode_noted();

  strategies::Strategy& inner_;
  strategies::FastPath fast_path_;  ///< of the inner strategy, in this execution
  // Most executions are short, and their decisions are never needed. Encoding looks for repetitions, with branches that
  // the processor cannot predict, so decisions are encoded only when the array is full or the list is read.
  static constexpr std::uint32_t few = 256;
  std::uint32_t noted_ = 0;
  bool has_encoded_ = false;
  Decision few_notes_[few];
  std::span<Decision> notes_ = few_notes_;
  DecisionEncoder encoder_;
  Bytes bytes_;
};

/// Replays a decision list. If the execution meets another choice than the recorded one, or a choice behind the end of
/// the list, the program behaved differently: diverged_at() tells at which decision. The execution then ends.
class Replayer final : public strategies::Strategy, public strategies::ExecutionControl {
 public:
  explicit Replayer(std::span<const std::uint8_t> decisions) : decisions_(decisions), next_(decisions) {}

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const strategies::Choice& choice) override;

  strategies::Facets facets() override { return {.control = this}; }
  bool about_to_execute(graph::ThreadId, const strategies::PendingOperation&) override { return !diverged_at_; }
  std::optional<std::size_t> diverged_at() const { return diverged_at_; }
  bool used_all() const { return !diverged_at_ && next_.at_end(); }

 private:
  std::span<const std::uint8_t> decisions_;
  DecisionReader next_;
  std::size_t taken_ = 0;
  std::optional<std::size_t> diverged_at_;
};

/// Compares the choices of an execution with those of the execution before it, by a fingerprint of each choice's
/// options. For pairs of executions that must be equal: after the second one, differs_at() tells where it differs.
class NondeterminismCheck final : public strategies::Strategy {
 public:
  NondeterminismCheck(strategies::Strategy& inner, base::Arena& arena) : inner_(inner), arena_(arena) {}

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const strategies::Choice& choice) override;
  strategies::FastPath fast_path() override;
  void executed(const graph::Event& event) override { inner_.executed(event); }
  strategies::Facets facets() override { return inner_.facets(); }
  void end_execution(strategies::Outcome outcome) override;

  /// The first choice of the newest execution that differed, if one did.
  std::optional<std::size_t> differs_at() const { return differs_at_; }

 private:
  strategies::Strategy& inner_;
  base::Arena& arena_;
  // Behind this many choices, one fingerprint covers all the rest.
  static constexpr std::size_t most_kept = 1 << 20;
  base::ArenaVector<std::uint64_t> previous_;
  base::ArenaVector<std::uint64_t> current_;
  bool has_previous_ = false;
  std::optional<std::size_t> differs_at_;
};

}  // namespace heddle::trace
