// Code after a call: whether it looks at the result.
#include "machine/unused_result.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace heddle::machine {
namespace {

bool is_unused(std::vector<std::uint8_t> code, std::size_t at = 0) { return is_result_unused(code, at); }

TEST(UnusedResultTest, ARegisterThatIsOverwrittenIsUnused) {
  EXPECT_TRUE(is_unused({0x31, 0xc0, 0xc3}));                                      // xor eax, eax; ret
  EXPECT_TRUE(is_unused({0xb8, 1, 0, 0, 0, 0xc3}));                                // mov eax, 1
  EXPECT_TRUE(is_unused({0x48, 0x8b, 0x45, 0xf8, 0xc3}));                          // mov rax, [rbp - 8]
  EXPECT_TRUE(is_unused({0x83, 0xeb, 1, 0x89, 0xe8, 0xc3}));                       // sub ebx, 1; mov eax, ebp
  EXPECT_TRUE(is_unused({0x48, 0x89, 0xdf, 0xff, 0x15, 0, 0, 0, 0, 0xc3}));        // mov rdi, rbx; call [rip]
  EXPECT_TRUE(is_unused({0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0, 0, 0, 0}));  // endbr64; jmp [rip]
  EXPECT_TRUE(is_unused({0x0f, 0xb6, 0x07, 0xc3}));                                // movzx eax, byte [rdi]
}

TEST(UnusedResultTest, ARegisterThatIsReadIsUsed) {
  EXPECT_FALSE(is_unused({0x83, 0xf8, 0xff, 0xb8, 0, 0, 0, 0}));  // cmp eax, -1
  EXPECT_FALSE(is_unused({0x85, 0xc0, 0x31, 0xc0}));              // test eax, eax
  EXPECT_FALSE(is_unused({0x89, 0xc3, 0x31, 0xc0}));              // mov ebx, eax
  EXPECT_FALSE(is_unused({0x89, 0x45, 0xfc, 0x31, 0xc0}));        // mov [rbp - 4], eax
  EXPECT_FALSE(is_unused({0x8b, 0x04, 0x83, 0x31, 0xc0}));        // mov eax, [rbx + 4 * rax]
  EXPECT_FALSE(is_unused({0x8b, 0x00}));                          // mov eax, [rax]
  EXPECT_FALSE(is_unused({0x50, 0x31, 0xc0}));                    // push rax
  EXPECT_FALSE(is_unused({0x88, 0xe3, 0x31, 0xc0}));              // mov bl, ah
  EXPECT_FALSE(is_unused({0x66, 0xb8, 0, 0, 0x31, 0xc0}));        // mov ax, 0
  EXPECT_FALSE(is_unused({0x0f, 0x44, 0xc3, 0x31, 0xc0}));        // cmove eax, ebx
  EXPECT_FALSE(is_unused({0x05, 1, 0, 0, 0, 0x31, 0xc0}));        // add eax, 1
  EXPECT_FALSE(is_unused({0xff, 0xd0}));                          // call rax
  EXPECT_FALSE(is_unused({0xff, 0x24, 0xc2}));                    // jmp [rdx + 8 * rax]
}

TEST(UnusedResultTest, WhatIsNotKnownIsUsed) {
  EXPECT_FALSE(is_unused({0xc3}));              // the caller may look
  EXPECT_FALSE(is_unused({0x0f, 0x05}));        // syscall
  EXPECT_FALSE(is_unused({0x83, 0xeb}));        // the code ends
  EXPECT_FALSE(is_unused({0xe9, 0, 0, 1, 0}));  // jumps out of the code
  EXPECT_FALSE(is_unused({}));
}

TEST(UnusedResultTest, EveryPathHasToOverwriteIt) {
  EXPECT_TRUE(is_unused({0x74, 3, 0x31, 0xc0, 0xc3, 0x33, 0xc0}));   // je: both sides clear it
  EXPECT_FALSE(is_unused({0x74, 3, 0x31, 0xc0, 0xc3, 0x85, 0xc0}));  // one side reads it
  EXPECT_FALSE(is_unused({0x74, 3, 0x85, 0xc0, 0xc3, 0x31, 0xc0}));
  EXPECT_TRUE(is_unused({0x83, 0xeb, 1, 0x75, 0xfb, 0x31, 0xc0}));  // a loop
}

TEST(UnusedResultTest, AFunctionOfTheModuleThatIsCalledIsRead) {
  EXPECT_TRUE(is_unused({0xe8, 2, 0, 0, 0, 0x85, 0xc0, 0x31, 0xc0, 0xc3}));      // it clears eax
  EXPECT_FALSE(is_unused({0xe8, 2, 0, 0, 0, 0x85, 0xc0, 0x83, 0xeb, 1, 0xc3}));  // it returns without doing so
}

}  // namespace
}  // namespace heddle::machine
