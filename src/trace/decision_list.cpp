#include "trace/decision_list.hpp"

namespace heddle::trace {

using strategies::ChoiceKind;

std::optional<Decision> DecisionReader::next() {
  using namespace decision_bytes;
  if (repeats_ != 0) {
    --repeats_;
    return last_;
  }
  if (bytes_.empty()) return std::nullopt;
  const std::uint32_t first = bytes_[0];
  bytes_ = bytes_.subspan(1);
  if (first >= repeat) {
    if (last_.options == 0) return std::nullopt;
    repeats_ = first - repeat;
    return last_;
  }
  if (first < known_options) {
    const std::uint32_t rest = first / packed_indices;
    last_ = {static_cast<ChoiceKind>(rest / packed_options), rest % packed_options + 2, first % packed_indices};
  } else {
    const bool has_options = first >= new_options;
    const std::uint32_t kind = first - (has_options ? new_options : known_options);
    if (has_options) {
      const auto options = base::read_varint(bytes_);
      if (!options || *options > 0xffffffffU) return std::nullopt;
      options_[kind] = static_cast<std::uint32_t>(*options);
    }
    const auto index = base::read_varint(bytes_);
    if (!index || *index > 0xffffffffU) return std::nullopt;
    last_ = {static_cast<ChoiceKind>(kind), options_[kind], static_cast<std::uint32_t>(*index)};
  }
  if (last_.index < last_.options) return last_;
  last_.options = 0;
  return std::nullopt;
}

namespace {
struct VectorSink {
  base::ArenaVector<std::uint8_t>& out;
  base::Arena& arena;
  void put(std::uint8_t byte) { out.push_back(arena, byte); }
  void increment_last() { ++out.back(); }
};
}  // namespace

void encode_decisions(std::span<const Decision> decisions, base::Arena& arena, base::ArenaVector<std::uint8_t>& out) {
  VectorSink sink{out, arena};
  DecisionEncoder encoder;
  for (const Decision& decision : decisions) encoder.encode(decision, sink);
}

std::optional<base::ArenaVector<Decision>> decode_decisions(std::span<const std::uint8_t> bytes, base::Arena& arena) {
  base::ArenaVector<Decision> decisions;
  DecisionReader reader(bytes);
  while (!reader.at_end()) {
    const auto decision = reader.next();
    if (!decision) return std::nullopt;
    decisions.push_back(arena, *decision);
  }
  return decisions;
}

bool is_decision_list(std::span<const std::uint8_t> bytes) {
  DecisionReader reader(bytes);
  while (!reader.at_end())
    if (!reader.next()) return false;
  return true;
}

}  // namespace heddle::trace
