#include "engine/threads/call_stacks.hpp"

namespace heddle::engine {

namespace {
std::size_t slot_of(std::uint32_t parent, std::uint64_t address, std::size_t size) {
  return ((address * 0x9e3779b97f4a7c15ULL) ^ (parent * 0xff51afd7ed558ccdULL)) >> 24 & (size - 1);
}
}  // namespace

std::uint32_t CallStackTree::find_or_add(std::uint32_t parent, std::uint64_t return_address) {
  if (nodes_.size() * 2 >= table_.size()) grow();
  std::size_t slot = slot_of(parent, return_address, table_.size());
  while (table_[slot] != 0) {
    const Node& node = nodes_[table_[slot] - 1];
    if (node.parent == parent && node.return_address == return_address) return table_[slot];
    slot = (slot + 1) & (table_.size() - 1);
  }
  nodes_.push_back(arena_, {return_address, parent});
  return table_[slot] = static_cast<std::uint32_t>(nodes_.size());
}

void CallStackTree::grow() {
  const std::size_t size = table_.empty() ? 1024 : table_.size() * 2;
  table_ = arena_.create_array<std::uint32_t>(size);
  for (std::uint32_t number = 1; number <= nodes_.size(); ++number) {
    const Node& node = nodes_[number - 1];
    std::size_t slot = slot_of(node.parent, node.return_address, size);
    while (table_[slot] != 0) slot = (slot + 1) & (size - 1);
    table_[slot] = number;
  }
}

std::size_t CallStackTree::unwind(std::uint32_t stack, std::span<std::uint64_t> out) const {
  std::size_t count = 0;
  while (stack != 0 && count < out.size()) {
    out[count++] = nodes_[stack - 1].return_address;
    stack = nodes_[stack - 1].parent;
  }
  return count;
}

std::uint32_t CallStack::intern_new(CallStackTree& tree) {
  Frame& last = frames_.back();
  const std::uint32_t caller = frames_.size() == 1 ? 0 : (&last)[-1].node;
  if (frames_.size() == 1 || caller != 0) return last.node = tree.child(caller, last.return_address);
  // Interned frames form a prefix: a frame's node is set only after its callers'.
  std::size_t first = frames_.size();
  while (first > 0 && frames_[first - 1].node == 0) --first;
  std::uint32_t node = first == 0 ? 0 : frames_[first - 1].node;
  for (std::size_t i = first; i < frames_.size(); ++i)
    node = frames_[i].node = tree.child(node, frames_[i].return_address);
  return node;
}

namespace {
constexpr std::size_t word = sizeof(std::uintptr_t);
std::uintptr_t word_at(std::uintptr_t address) { return *reinterpret_cast<const std::uintptr_t*>(address); }
}  // namespace

// An entry was made by a call of __tsan_func_entry: its frame is the address of the saved frame pointer of that call,
// and the return address of the call was above it. The stack pointer stays there in the body of the function, so that
// the same word has the return address of the call that the function is in now.
CallStack::FoundFrame CallStack::find_frame(std::uintptr_t address, std::uintptr_t stack_end) const {
  for (std::size_t i = frames_.size(); i > 0; --i) {
    const Frame& frame = frames_[i - 1];
    const std::uintptr_t stack_pointer = frame.frame + 2 * word;
    // The return address of a function that was called by the next one is below the stack pointer of that one.
    const std::uintptr_t limit = i > 1 ? frames_[i - 2].frame + 2 * word : stack_end;
    if (address >= limit) continue;
    // The word that holds the function's return address is the end of its frame.
    std::uintptr_t end = stack_pointer;
    while (end < limit && word_at(end) != frame.return_address) end += word;
    if (end >= limit || address >= end) continue;
    if (address < stack_pointer) break;
    return {i - 1, end};
  }
  return {frames_.size(), 0};
}

channel::FramePlace CallStack::find_place(std::uintptr_t address, std::uintptr_t stack_end) const {
  const FoundFrame found = find_frame(address, stack_end);
  if (found.index == frames_.size()) return {};
  const std::uintptr_t stack_pointer = frames_[found.index].frame + 2 * word;
  return {word_at(stack_pointer - word), static_cast<std::int64_t>(address - (found.end + word)),
          static_cast<std::int64_t>(address - stack_pointer)};
}

std::uint32_t CallStack::depth_of(std::uintptr_t address, std::uintptr_t stack_end) const {
  const FoundFrame found = find_frame(address, stack_end);
  return found.index == frames_.size() ? 0 : static_cast<std::uint32_t>(found.index + 1);
}

}  // namespace heddle::engine
