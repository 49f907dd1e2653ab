#include "trace/decisions.hpp"

#include "base/hash.hpp"
#include "base/varint.hpp"

namespace heddle::trace {

using strategies::Choice;
using strategies::ChoiceKind;

void encode_decisions(std::span<const Decision> decisions, base::Arena& arena, base::ArenaVector<std::uint8_t>& out) {
  for (const Decision& decision : decisions) {
    for (std::uint64_t number : {std::uint64_t{static_cast<std::uint8_t>(decision.kind)},
                                 std::uint64_t{decision.options}, std::uint64_t{decision.index}}) {
      std::uint8_t bytes[base::max_varint_size];
      const std::size_t size = base::write_varint(number, bytes);
      for (std::size_t i = 0; i < size; ++i) out.push_back(arena, bytes[i]);
    }
  }
}

std::optional<base::ArenaVector<Decision>> decode_decisions(std::span<const std::uint8_t> bytes, base::Arena& arena) {
  base::ArenaVector<Decision> decisions;
  while (!bytes.empty()) {
    const auto kind = base::read_varint(bytes);
    const auto options = base::read_varint(bytes);
    const auto index = base::read_varint(bytes);
    if (!kind || !options || !index) return std::nullopt;
    if (*kind > static_cast<std::uint64_t>(ChoiceKind::value) || *options > 0xffffffffU || *index >= *options)
      return std::nullopt;
    decisions.push_back(arena, {static_cast<ChoiceKind>(*kind), static_cast<std::uint32_t>(*options),
                                static_cast<std::uint32_t>(*index)});
  }
  return decisions;
}

bool Recorder::begin_execution(std::uint64_t number) {
  size_ = count_ = 0;
  return inner_.begin_execution(number);
}

std::uint32_t Recorder::choose(const Choice& choice) {
  const std::uint32_t index = inner_.choose(choice);
  record({choice.kind, static_cast<std::uint32_t>(choice.options.size()), index});
  return index;
}

namespace {
// kind: 0 to 5, options: 2 to 6, index below that. 6 * 5 * 6 = 180 bytes have a meaning; this one says: varints follow.
constexpr std::uint8_t unpacked = 0xff;
constexpr std::uint32_t packed_options = 5;
constexpr std::uint32_t packed_indices = packed_options + 1;
}  // namespace

void Recorder::record(const Decision& decision) {
  ++count_;
  const auto kind = static_cast<std::uint32_t>(decision.kind);
  const std::uint32_t packed = (kind * packed_options + decision.options - 2) * packed_indices + decision.index;
  if (decision.options - 2 < packed_options && packed < unpacked) {
    put(static_cast<std::uint8_t>(packed));
    return;
  }
  put(unpacked);
  for (const std::uint32_t number : {kind, decision.options, decision.index}) {
    std::uint8_t bytes[base::max_varint_size];
    const std::size_t size = base::write_varint(number, bytes);
    for (std::size_t i = 0; i < size; ++i) put(bytes[i]);
  }
}

std::span<const Decision> Recorder::decisions(base::Arena& arena) const {
  const auto result = arena.create_array<Decision>(count_);
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint32_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = get(at++);
      value |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  };
  for (Decision& decision : result) {
    std::uint32_t packed = get(at++);
    if (packed == unpacked) {
      decision.kind = static_cast<ChoiceKind>(varint());
      decision.options = varint();
      decision.index = varint();
      continue;
    }
    decision.index = packed % packed_indices;
    packed /= packed_indices;
    decision.options = packed % packed_options + 2;
    decision.kind = static_cast<ChoiceKind>(packed / packed_options);
  }
  return result;
}

bool Replayer::begin_execution(std::uint64_t) {
  next_ = 0;
  diverged_at_.reset();
  return true;
}

std::uint32_t Replayer::choose(const Choice& choice) {
  if (diverged_at_) return 0;
  if (next_ >= decisions_.size() || decisions_[next_].kind != choice.kind ||
      decisions_[next_].options != choice.options.size()) {
    diverged_at_ = next_;
    return 0;
  }
  return decisions_[next_++].index;
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
