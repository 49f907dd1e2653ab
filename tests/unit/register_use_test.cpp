// Code after a call: whether it looks at the result, or at a register that the call has preserved.
#include "machine/register_use.hpp"

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
  EXPECT_FALSE(is_unused({0x49, 0x90, 0x31, 0xc0}));              // xchg r8, rax: r8 gets it
  EXPECT_FALSE(is_unused({0x66, 0x58, 0x31, 0xc0}));              // pop ax: the upper bits stay
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

bool is_dead(Register number, std::vector<std::uint8_t> code, Calls calls = Calls::may_throw) {
  return is_register_dead(code, 0, number, calls);
}

TEST(DeadRegisterTest, AFunctionThatComesBackPreservesTheRegister) {
  const std::vector<std::uint8_t> direct = {0xe8, 0, 0, 0, 0, 0x89, 0xc3},         // call; mov ebx, eax
      indirect = {0xff, 0x15, 0, 0, 0, 0, 0x89, 0xc3},                             // call *[rip]; mov ebx, eax
      read_later = {0xe8, 0, 0, 0, 0, 0x83, 0xfb, 2, 0x31, 0xdb},                  // call; cmp ebx, 2; xor ebx, ebx
      returns = {0xe8, 0, 0, 0, 0, 0xc3}, by_register = {0xff, 0xd3, 0x31, 0xdb};  // call *rbx; xor ebx, ebx
  EXPECT_TRUE(is_dead(rbx, direct, Calls::come_back));
  EXPECT_TRUE(is_dead(rbx, indirect, Calls::come_back));
  EXPECT_FALSE(is_dead(rbx, read_later, Calls::come_back));
  EXPECT_FALSE(is_dead(rbx, returns, Calls::come_back));
  EXPECT_FALSE(is_dead(rbx, by_register, Calls::come_back));
  EXPECT_FALSE(is_dead(rbx, direct, Calls::may_throw));
}

TEST(DeadRegisterTest, ARegisterThatIsOverwrittenIsDead) {
  EXPECT_TRUE(is_dead(rbx, {0x31, 0xf6, 0x4c, 0x89, 0xf7, 0x89, 0xc3}));     // xor esi, esi; mov rdi, r14; mov ebx, eax
  EXPECT_TRUE(is_dead(rbx, {0x31, 0xdb}));                                   // xor ebx, ebx
  EXPECT_TRUE(is_dead(rbp, {0xbd, 1, 0, 0, 0}));                             // mov ebp, 1
  EXPECT_TRUE(is_dead(r12, {0x41, 0xbc, 1, 0, 0, 0}));                       // mov r12d, 1
  EXPECT_TRUE(is_dead(r13, {0x44, 0x8b, 0x6c, 0x24, 8}));                    // mov r13d, [rsp + 8]
  EXPECT_TRUE(is_dead(rbx, {0x5b, 0xc3}));                                   // pop rbx; ret
  EXPECT_TRUE(is_dead(r14, {0x74, 3, 0x45, 0x31, 0xf6, 0x4c, 0x8d, 0x30}));  // je; xor r14d, r14d; lea r14, [rax]
}

TEST(DeadRegisterTest, ARegisterThatIsReadIsAlive) {
  EXPECT_FALSE(is_dead(rbx, {0x8d, 0x34, 0x03, 0x89, 0xc3}));              // lea esi, [rbx + rax]; mov ebx, eax
  EXPECT_FALSE(is_dead(rbx, {0x8d, 0x34, 0x18, 0x89, 0xc3}));              // lea esi, [rax + rbx]
  EXPECT_FALSE(is_dead(rbx, {0x83, 0xc3, 1, 0x31, 0xdb}));                 // add ebx, 1
  EXPECT_FALSE(is_dead(rbx, {0x88, 0xf8, 0x31, 0xdb}));                    // mov al, bh
  EXPECT_FALSE(is_dead(rbx, {0x66, 0xbb, 0, 0}));                          // mov bx, 0
  EXPECT_FALSE(is_dead(rbx, {0x66, 0x5b, 0x89, 0xd8}));                    // pop bx: the upper bits stay; mov eax, ebx
  EXPECT_FALSE(is_dead(rbx, {0x66, 0x31, 0xdb}));                          // xor bx, bx
  EXPECT_FALSE(is_dead(rbp, {0xc9, 0xc3}));                                // leave
  EXPECT_FALSE(is_dead(rbp, {0x8b, 0x45, 0xf8, 0x31, 0xed}));              // mov eax, [rbp - 8]
  EXPECT_FALSE(is_dead(r12, {0x4d, 0x89, 0xe5, 0x45, 0x31, 0xe4}));        // mov r13, r12; xor r12d, r12d
  EXPECT_FALSE(is_dead(r12, {0x42, 0x8b, 0x04, 0xa0, 0x45, 0x31, 0xe4}));  // mov eax, [rax + 4 * r12]
  EXPECT_FALSE(is_dead(r14, {0x74, 3, 0x45, 0x31, 0xf6, 0xc3}));           // je: one side returns
}

TEST(DeadRegisterTest, OtherRegistersOfTheSameLowBitsAreToldApart) {
  EXPECT_FALSE(is_dead(rbx, {0x41, 0x89, 0xc3, 0xc3}));          // mov r11d, eax; ret
  EXPECT_TRUE(is_dead(rbx, {0x41, 0x83, 0xc3, 1, 0x31, 0xdb}));  // add r11d, 1; xor ebx, ebx
}

TEST(DeadRegisterTest, AFunctionThatIsCalledMayThrow) {
  EXPECT_FALSE(is_dead(rbx, {0xff, 0x15, 0, 0, 0, 0, 0x31, 0xdb}));              // call [rip]; xor ebx, ebx
  EXPECT_FALSE(is_dead(rbx, {0xe8, 2, 0, 0, 0, 0x31, 0xdb, 0x31, 0xdb, 0xc3}));  // call of a function of the module
  EXPECT_FALSE(is_dead(rbx, {0xff, 0x25, 0, 0, 0, 0}));                          // jmp [rip]
}

}  // namespace
}  // namespace heddle::machine
