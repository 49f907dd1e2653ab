// The decisions of one execution as bytes. Long executions make very many decisions, nearly all among a few options,
// and often the same again: so one byte, or less, is what most of them cost.
//
//   0 to 179     kind, 2 to 6 options, the index taken: (kind * 5 + options - 2) * 6 + index
//   180 + kind   as many options as the last decision of this kind that began with 186 + kind; the index as a varint
//   186 + kind   the number of options and the index, as varints
//   192 to 255   the decision before, 1 to 64 times more
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "base/varint.hpp"
#include "strategies/strategy.hpp"

namespace heddle::trace {

struct Decision {
  strategies::ChoiceKind kind;
  std::uint32_t options;
  std::uint32_t index;

  bool operator==(const Decision&) const = default;
};

namespace decision_bytes {
inline constexpr std::uint32_t kinds = 6;
inline constexpr std::uint32_t packed_options = 5, packed_indices = packed_options + 1;
inline constexpr std::uint8_t known_options = kinds * packed_options * packed_indices;
inline constexpr std::uint8_t new_options = known_options + kinds;
inline constexpr std::uint8_t repeat = new_options + kinds;
inline constexpr std::uint8_t last_repeat = 255;
}  // namespace decision_bytes

/// Turns decisions into bytes. `Sink` has put(byte), and increment_last() for the byte that was put last.
class DecisionEncoder {
 public:
  template <typename Sink>
  void encode(const Decision& decision, Sink& sink) {
    using namespace decision_bytes;
    if (decision == last_) {
      if (repeats_ != 0 && repeats_ <= last_repeat - repeat) {
        ++repeats_;
        sink.increment_last();
      } else {
        repeats_ = 1;
        sink.put(repeat);
      }
      return;
    }
    last_ = decision;
    repeats_ = 0;
    const auto kind = static_cast<std::uint8_t>(decision.kind);
    const std::uint32_t packed = (kind * packed_options + decision.options - 2) * packed_indices + decision.index;
    if (decision.options - 2 < packed_options)
      sink.put(static_cast<std::uint8_t>(packed));
    else
      encode_among_many(decision, sink);
  }

 private:
  template <typename Sink>
  [[gnu::noinline]] void encode_among_many(const Decision& decision, Sink& sink) {
    using namespace decision_bytes;
    const auto kind = static_cast<std::uint8_t>(decision.kind);
    if (options_[kind] == decision.options) {
      sink.put(static_cast<std::uint8_t>(known_options + kind));
    } else {
      options_[kind] = decision.options;
      sink.put(static_cast<std::uint8_t>(new_options + kind));
      put_varint(decision.options, sink);
    }
    put_varint(decision.index, sink);
  }
  template <typename Sink>
  static void put_varint(std::uint32_t number, Sink& sink) {
    std::uint8_t bytes[base::max_varint_size];
    const std::size_t size = base::write_varint(number, bytes);
    for (std::size_t i = 0; i < size; ++i) sink.put(bytes[i]);
  }

  Decision last_{strategies::ChoiceKind::thread, 0, 0};  // no decision has no options
  std::uint32_t repeats_ = 0;                            ///< that the last byte stands for
  std::uint32_t options_[decision_bytes::kinds] = {};
};

/// Reads them one after another.
class DecisionReader {
 public:
  explicit DecisionReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool at_end() const { return repeats_ == 0 && bytes_.empty(); }
  /// Nothing at the end, and where the bytes make no sense.
  std::optional<Decision> next();

 private:
  std::span<const std::uint8_t> bytes_;
  Decision last_{strategies::ChoiceKind::thread, 0, 0};
  std::uint32_t repeats_ = 0;  ///< still to come
  std::uint32_t options_[decision_bytes::kinds] = {};
};

/// Appends the bytes of `decisions` to `out`, which lives in `arena`.
void encode_decisions(std::span<const Decision> decisions, base::Arena& arena, base::ArenaVector<std::uint8_t>& out);
/// Nothing if the bytes are not a decision list.
std::optional<base::ArenaVector<Decision>> decode_decisions(std::span<const std::uint8_t> bytes, base::Arena& arena);
bool is_decision_list(std::span<const std::uint8_t> bytes);

}  // namespace heddle::trace
