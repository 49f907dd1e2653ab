#include "trace/decisions.hpp"

#include "base/fast_paths.hpp"
#include "base/hash.hpp"

namespace heddle::trace {

using strategies::Choice;

bool Recorder::begin_execution(std::uint64_t number) {
  noted_ = 0;
  has_encoded_ = false;
  bytes_.clear();
  encoder_ = {};
  const bool begun = inner_.begin_execution(number);
  if (base::fast_paths) {
    // Member by member: a copy of the whole would wait for the stores of the single members.
    const strategies::FastPath path = inner_.fast_path();
    fast_path_.decider = path.decider;
    fast_path_.uniform = path.uniform;
    fast_path_.calls = path.calls;
  }
  return begun;
}

std::uint32_t Recorder::choose(const Choice& choice) {
  const std::uint32_t index = fast_path_.decider->choose(choice);
  note(choice.kind, choice.options.size(), index);
  return index;
}

void Recorder::encode_noted() {
  if (noted_ != 0) has_encoded_ = true;
  for (std::uint32_t i = 0; i < noted_; ++i) encoder_.encode(notes_[i], bytes_);
  noted_ = 0;
}

void Recorder::Bytes::use_next_block() {
  if (used_blocks_ == blocks_.size())
    blocks_.push_back(arena_, static_cast<Block*>(arena_.allocate(sizeof(Block), alignof(Block))));
  next_ = blocks_[used_blocks_++]->bytes;
  end_ = next_ + block_size;
}

void Recorder::Bytes::copy_to(std::uint8_t* out) const {
  for (std::size_t done = 0; done < size(); done += block_size)
    std::memcpy(out + done, blocks_[done / block_size]->bytes, size() - done < block_size ? size() - done : block_size);
}

bool Replayer::begin_execution(std::uint64_t) {
  next_ = DecisionReader(decisions_);
  taken_ = 0;
  diverged_at_.reset();
  return true;
}

std::uint32_t Replayer::choose(const Choice& choice) {
  if (diverged_at_) return 0;
  const auto decision = next_.next();
  if (!decision || decision->kind != choice.kind || decision->options != choice.options.size()) {
    diverged_at_ = taken_;
    return 0;
  }
  ++taken_;
  return decision->index;
}

bool NondeterminismCheck::begin_execution(std::uint64_t number) {
  current_.clear();
  differs_at_.reset();
  return inner_.begin_execution(number);
}

std::uint32_t NondeterminismCheck::choose(const Choice& choice) {
  std::uint64_t fingerprint = base::hash_words(static_cast<std::uint64_t>(choice.kind), number(choice.current));
  for (const strategies::Option& option : choice.options) {
    fingerprint = base::hash_words(fingerprint, number(option.thread), number(option.write), option.number);
    if (option.pending != nullptr)
      fingerprint = base::hash_words(fingerprint, static_cast<std::uint64_t>(option.pending->kind),
                                     option.pending->operation, number(option.pending->location));
  }
  if (current_.size() == most_kept) {
    current_[most_kept - 1] = base::hash_words(current_[most_kept - 1], fingerprint);
    return inner_.choose(choice);
  }
  const std::size_t at = current_.size();
  if (at == most_kept - 1) {
    current_.push_back(arena_, fingerprint);
    return inner_.choose(choice);
  }
  if (has_previous_ && !differs_at_ && (at >= previous_.size() || previous_[at] != fingerprint)) differs_at_ = at;
  current_.push_back(arena_, fingerprint);
  return inner_.choose(choice);
}

strategies::FastPath NondeterminismCheck::fast_path() {
  strategies::FastPath path = inner_.fast_path();
  path.calls.end_execution = true;
  return path;
}

void NondeterminismCheck::end_execution(strategies::Outcome outcome) {
  inner_.end_execution(outcome);
  if (has_previous_ && !differs_at_ && current_.size() < previous_.size()) differs_at_ = current_.size();
  if (has_previous_ && !differs_at_ && current_.size() == most_kept &&
      (previous_.size() != most_kept || current_.back() != previous_.back()))
    differs_at_ = most_kept - 1;
  const auto older = previous_;
  previous_ = current_;
  current_ = older;
  has_previous_ = true;
}

}  // namespace heddle::trace
