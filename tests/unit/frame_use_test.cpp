#include "machine/frame_use.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::machine {
namespace {

/// A function with a frame; the call that returns is the first instruction of `body`, behind it.
DeadBytes dead_bytes(std::vector<std::uint8_t> body) {
  std::vector<std::uint8_t> code = {0x55, 0x48, 0x89, 0xe5,
                                    0x48, 0x83, 0xec, 0x20};  // push rbp; mov rbp, rsp; sub rsp, 32
  code.insert(code.end(), {0xe8, 0, 0, 0, 0});                // call
  const std::size_t at = code.size();
  code.insert(code.end(), body.begin(), body.end());
  code.insert(code.end(), {0xc9, 0xc3});  // leave; ret
  return find_dead_bytes(code, at);
}

bool is_dead(const DeadBytes& bytes, int below) {
  for (std::size_t i = 0; i < bytes.count; ++i)
    if (below <= bytes.runs[i].begin && below > bytes.runs[i].begin - bytes.runs[i].size) return true;
  return false;
}

TEST(FrameUseTest, WhatIsReadIsAlive) {
  const DeadBytes bytes = dead_bytes({0x8b, 0x45, 0xfc});  // mov eax, [rbp-4]
  EXPECT_TRUE(bytes.has_frame);
  for (const int at : {1, 2, 3, 4}) EXPECT_FALSE(is_dead(bytes, at));
  EXPECT_TRUE(is_dead(bytes, 5));
}

TEST(FrameUseTest, WhatIsOverwrittenFirstIsDead) {
  EXPECT_TRUE(is_dead(dead_bytes({0x89, 0x45, 0xfc, 0x8b, 0x45, 0xfc}), 4));   // mov [rbp-4], eax; mov eax, [rbp-4]
  EXPECT_FALSE(is_dead(dead_bytes({0x88, 0x45, 0xfc, 0x8b, 0x45, 0xfc}), 3));  // one byte of it
  EXPECT_TRUE(is_dead(dead_bytes({0x88, 0x45, 0xfc, 0x8b, 0x45, 0xfc}), 4));
  EXPECT_FALSE(is_dead(dead_bytes({0xff, 0x45, 0xfc}), 4));  // inc [rbp-4]
}

TEST(FrameUseTest, EveryPathCounts) {
  EXPECT_FALSE(is_dead(dead_bytes({0x75, 3, 0x89, 0x45, 0xfc, 0x8b, 0x45, 0xfc}), 4));    // jne over the store
  EXPECT_TRUE(is_dead(dead_bytes({0x89, 0x45, 0xfc, 0x8b, 0x45, 0xfc, 0x75, 0xf8}), 4));  // a loop that stores first
  EXPECT_FALSE(is_dead(dead_bytes({0x75, 0xfe, 0x8b, 0x45, 0xfc}), 4));
  // The second way to the load comes with the byte that the first one has overwritten.
  EXPECT_FALSE(is_dead(dead_bytes({0x75, 5, 0x88, 0x45, 0xfc, 0xeb, 0, 0x8b, 0x45, 0xfc}), 4));
}

TEST(FrameUseTest, CallsUseWhatTheFunctionTakesTheAddressOf) {
  const DeadBytes bytes = dead_bytes({0x48, 0x8d, 0x45, 0xf0});  // lea rax, [rbp-16]
  EXPECT_TRUE(bytes.has_frame);
  EXPECT_FALSE(is_dead(bytes, 16));
  EXPECT_FALSE(is_dead(bytes, 1));
  EXPECT_TRUE(is_dead(bytes, 17));
}

TEST(FrameUseTest, AFunctionThatUsesItsFrameInAnotherWayIsNotUnderstood) {
  EXPECT_FALSE(dead_bytes({0x48, 0x89, 0xe8}).has_frame);        // mov rax, rbp
  EXPECT_FALSE(dead_bytes({0x48, 0x89, 0xe0}).has_frame);        // mov rax, rsp
  EXPECT_FALSE(dead_bytes({0x48, 0x29, 0xc4}).has_frame);        // sub rsp, rax
  EXPECT_FALSE(dead_bytes({0x8b, 0x44, 0x24, 0x04}).has_frame);  // mov eax, [rsp+4]
  EXPECT_FALSE(dead_bytes({0x8b, 0x44, 0x85, 0xf0}).has_frame);  // mov eax, [rbp+4*rax-16]
  EXPECT_FALSE(dead_bytes({0x53}).has_frame);                    // push rbx
  EXPECT_FALSE(dead_bytes({0xf3, 0xa4}).has_frame);              // rep movsb
  EXPECT_FALSE(find_dead_bytes(std::vector<std::uint8_t>{0x48, 0x83, 0xec, 0x20, 0xc3}, 4).has_frame);
}

TEST(FrameUseTest, SavedRegistersAreAlive) {
  // push rbp; mov rbp, rsp; push rbx; sub rsp, 24; call; add rsp, 24; pop rbx; pop rbp; ret
  const std::vector<std::uint8_t> code = {0x55, 0x48, 0x89, 0xe5, 0x53, 0x48, 0x83, 0xec, 0x18, 0xe8, 0,
                                          0,    0,    0,    0x48, 0x83, 0xc4, 0x18, 0x5b, 0x5d, 0xc3};
  const DeadBytes bytes = find_dead_bytes(code, 14);
  EXPECT_TRUE(bytes.has_frame);
  EXPECT_FALSE(is_dead(bytes, 8));
  EXPECT_TRUE(is_dead(bytes, 9));
}

TEST(FrameUseTest, AJumpThroughATableIsNotFollowed) {
  EXPECT_FALSE(is_dead(dead_bytes({0xff, 0xe0}), 4));  // jmp rax
}

}  // namespace
}  // namespace heddle::machine
