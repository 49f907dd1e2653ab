#include "exploration/subtree.hpp"

#include <cstring>
#include <iterator>

#include "base/varint.hpp"

namespace heddle::exploration {

namespace {

constexpr std::size_t size_bytes = sizeof(std::uint32_t);
constexpr std::size_t head_size = size_bytes + sizeof(double);
// Eight numbers of 32 bits take at most 5 bytes each, and the flags take one.
constexpr std::size_t most_event_bytes = 8 * 5 + 1;

// The members that are either true or false, one bit each. All flags fit into 7 bits, a varint of one byte.
constexpr bool PlannedEvent::*flags[] = {&PlannedEvent::fixes_detail, &PlannedEvent::fixes_reads_from,
                                         &PlannedEvent::fixes_slot,   &PlannedEvent::has_to_write,
                                         &PlannedEvent::revisits,     &PlannedEvent::may_wait,
                                         &PlannedEvent::overtakes};
constexpr unsigned all_flags = (1U << std::size(flags)) - 1;

/// Does not compile if PlannedEvent gets another member: it has to be written and read below, too.
[[maybe_unused]] void check_that_all_members_are_written(const PlannedEvent& event) {
  [[maybe_unused]] const auto& [name, reads_from, mo_predecessor, added, detail, flag0, flag1, flag2, flag3, flag4,
                                flag5, flag6] = event;
}

std::uint8_t flags_of(const PlannedEvent& event) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < std::size(flags); ++i)
    if (event.*flags[i]) bits |= 1U << i;
  return static_cast<std::uint8_t>(bits);
}

/// Threads are written with 1 added, so that no_thread, the largest number, takes one byte.
std::uint32_t number_of(graph::ThreadId thread) { return number(thread) + 1; }

std::size_t write_event(const PlannedEvent& event, std::uint8_t* out) {
  std::size_t size = 0;
  for (const std::uint32_t value :
       {number_of(event.name.thread), event.name.index, number_of(event.reads_from.thread), event.reads_from.index,
        number_of(event.mo_predecessor.thread), event.mo_predecessor.index, event.added, event.detail})
    size += base::write_varint(value, out + size);
  out[size++] = flags_of(event);
  return size;
}

bool read_event(Bytes& bytes, PlannedEvent& event) {
  std::uint32_t values[8];
  for (std::uint32_t& value : values) {
    const auto read = base::read_varint(bytes);
    if (!read || *read > 0xffffffffU) return false;
    value = static_cast<std::uint32_t>(*read);
  }
  if (bytes.empty() || bytes[0] > all_flags) return false;
  const unsigned bits = bytes[0];
  bytes = bytes.subspan(1);
  const auto name = [&](std::size_t i) { return EventName{graph::ThreadId{values[i] - 1}, values[i + 1]}; };
  event.name = name(0);
  event.reads_from = name(2);
  event.mo_predecessor = name(4);
  event.added = values[6];
  event.detail = values[7];
  for (std::size_t i = 0; i < std::size(flags); ++i) event.*flags[i] = (bits & (1U << i)) != 0;
  return true;
}

}  // namespace

std::size_t write_branch(const Branch& branch, std::span<std::uint8_t> out) {
  if (out.size() < head_size + base::max_varint_size) return 0;
  std::size_t size = head_size;
  size += base::write_varint(branch.plan.size(), out.data() + size);
  for (const PlannedEvent& event : branch.plan) {
    if (out.size() - size < most_event_bytes) return 0;
    size += write_event(event, out.data() + size);
  }
  if (size - size_bytes > 0xffffffffU) return 0;
  const auto rest = static_cast<std::uint32_t>(size - size_bytes);
  std::memcpy(out.data(), &rest, sizeof rest);
  std::memcpy(out.data() + size_bytes, &branch.share, sizeof branch.share);
  return size;
}

std::optional<Bytes> split_branch(Bytes& bytes) {
  std::uint32_t size = 0;
  if (bytes.size() < head_size + 1) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof size);
  if (size < sizeof(double) + 1 || size > bytes.size() - size_bytes) return std::nullopt;
  const Bytes branch = bytes.first(size_bytes + size);
  bytes = bytes.subspan(branch.size());
  return branch;
}

bool is_subtree(Bytes bytes) {
  if (bytes.empty()) return false;
  while (!bytes.empty())
    if (!split_branch(bytes)) return false;
  return true;
}

double share_of_branch(Bytes bytes) {
  double share = 0;
  std::memcpy(&share, bytes.data() + size_bytes, sizeof share);
  return share >= 0 && share <= 1 ? share : 0;
}

std::optional<double> read_branch(Bytes bytes, base::ArenaVector<PlannedEvent>& plan, base::Arena& arena) {
  const double share = share_of_branch(bytes);
  bytes = bytes.subspan(head_size);
  const auto count = base::read_varint(bytes);
  if (!count || *count > bytes.size()) return std::nullopt;
  plan.reserve(arena, plan.size() + *count);
  for (std::uint64_t i = 0; i < *count; ++i) {
    PlannedEvent event;
    if (!read_event(bytes, event)) return std::nullopt;
    plan.push_back(arena, event);
  }
  if (!bytes.empty()) return std::nullopt;
  return share;
}

}  // namespace heddle::exploration
