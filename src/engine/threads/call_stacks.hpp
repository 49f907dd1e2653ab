// Call stacks, as the compiler's function entry and exit calls tell them. A stack is interned as a node of a
// tree of return addresses, so that shadow memory and events can keep one as a 32-bit number.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "base/fast_paths.hpp"
#include "channel/frame_place.hpp"

namespace heddle::engine {

/// Number 0 is the empty stack.
class CallStackTree {
 public:
  explicit CallStackTree(base::Arena& forever) : arena_(forever) {}

  std::uint32_t child(std::uint32_t parent, std::uint64_t return_address) {
    Recent& recent = recent_[(return_address ^ parent * 0x9e3779b9U) % recent_size];
    if (!base::fast_paths || recent.return_address != return_address || recent.parent != parent || recent.child == 0)
      recent = {return_address, parent, find_or_add(parent, return_address)};
    return recent.child;
  }
  /// The return addresses of a stack, innermost first; at most `out.size()` of them. Returns how many.
  std::size_t unwind(std::uint32_t stack, std::span<std::uint64_t> out) const;

 private:
  struct Node {
    std::uint64_t return_address;
    std::uint32_t parent;
  };
  [[gnu::noinline]] std::uint32_t find_or_add(std::uint32_t parent, std::uint64_t return_address);
  void grow();

  // A cache: the executions of a program make the same calls again and again.
  static constexpr std::size_t recent_size = 1024;
  struct Recent {
    std::uint64_t return_address = 0;
    std::uint32_t parent = 0;
    std::uint32_t child = 0;
  };
  Recent recent_[recent_size];

  base::Arena& arena_;
  base::ArenaVector<Node> nodes_;  // node n is nodes_[n - 1]
  std::span<std::uint32_t> table_;
};

/// The calls that a thread is in. Entries remember their frame's address, so that frames that longjmp skipped
/// are recognised and dropped.
class CallStack {
 public:
  void enter(base::Arena& arena, std::uint64_t return_address, std::uintptr_t frame) {
    while (!frames_.empty() && frames_.back().frame <= frame) frames_.pop_back();
    frames_.push_back(arena, {return_address, frame, 0});
  }
  /// Pushes the frame if there is room and none to drop. Returns false, without side effects, otherwise.
  bool try_enter(std::uint64_t return_address, std::uintptr_t frame) {
    if (frames_.is_full() || (!frames_.empty() && frames_.back().frame <= frame)) return false;
    frames_.push_back_within_capacity({return_address, frame, 0});
    return true;
  }
  void leave() {
    if (!frames_.empty()) frames_.pop_back();
  }
  void clear() { frames_.clear(); }
  /// Where the address lies in the frame of one of the functions. `stack_end` is the end of the thread's stack. The
  /// thread is in a call, or the current one, which is in an entry point of the runtime.
  channel::FramePlace find_place(std::uintptr_t address, std::uintptr_t stack_end) const;
  /// How many calls there are down to the function in whose frame the address lies, that one included; 0: in none.
  std::uint32_t depth_of(std::uintptr_t address, std::uintptr_t stack_end) const;
  /// The frame of the innermost function if there are so many calls; 0 if there are fewer.
  std::uintptr_t frame_at(std::uint32_t depth) const { return depth > frames_.size() ? 0 : frames_[depth - 1].frame; }
  /// The address of the innermost frame; 0 if there is none.
  std::uintptr_t innermost_frame() const { return frames_.empty() ? 0 : frames_.back().frame; }
  static constexpr std::uint32_t not_interned = 0xffffffffU;
  /// The number of the stack as it is now, if intern() has nothing to do; not_interned otherwise.
  std::uint32_t interned() const {
    if (frames_.empty()) return 0;
    return frames_.back().node != 0 ? frames_.back().node : not_interned;
  }
  /// The number of the stack as it is now.
  [[gnu::always_inline]] std::uint32_t intern(CallStackTree& tree) {
    if (frames_.empty()) return 0;
    Frame& last = frames_.back();
    return last.node != 0 ? last.node : intern_new(tree);
  }

 private:
  [[gnu::noinline]] std::uint32_t intern_new(CallStackTree& tree);
  struct Frame {
    std::uint64_t return_address;
    std::uintptr_t frame;
    std::uint32_t node;  ///< 0: not interned yet
  };
  /// The index of the function in whose frame the address lies, and the end of that frame; none: frames_.size().
  struct FoundFrame {
    std::size_t index;
    std::uintptr_t end;
  };
  FoundFrame find_frame(std::uintptr_t address, std::uintptr_t stack_end) const;

  base::ArenaVector<Frame> frames_;
};

}  // namespace heddle::engine
