// The scan of a function's code, without executing it.
#include "machine/code_scan.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace heddle::machine {
namespace {

using Kind = ScannedInstruction::Kind;
constexpr unsigned rax = 0, rdx = 2, rsp = 4, rbp = 5, r12 = 12, r13 = 13;

ScannedInstruction scan(std::initializer_list<std::uint8_t> bytes) {
  const std::vector<std::uint8_t> code(bytes);
  const auto instruction = scan_instruction(code);
  EXPECT_TRUE(instruction);
  EXPECT_EQ(instruction ? instruction->length : 0, code.size());
  return instruction.value_or(ScannedInstruction{});
}

TEST(CodeScanTest, OperandsInMemoryHaveBaseIndexAndDisplacement) {
  const auto load = scan({0x8b, 0x44, 0x95, 0xf8});  // mov eax, [rbp + rdx * 4 - 8]
  EXPECT_TRUE(load.has_memory);
  EXPECT_EQ(load.kind, Kind::move);
  EXPECT_EQ(load.base, rbp);
  EXPECT_EQ(load.index, rdx);
  EXPECT_EQ(load.displacement, -8);
  EXPECT_EQ(load.to, rax);

  const auto store = scan({0x4d, 0x89, 0x65, 0x10});  // mov [r13 + 16], r12
  EXPECT_TRUE(store.has_memory);
  EXPECT_EQ(store.base, r13);

  const auto global = scan({0xff, 0x05, 0x10, 0x00, 0x00, 0x00});  // inc dword [rip + 16]
  EXPECT_TRUE(global.has_memory && global.is_relative);
  EXPECT_EQ(global.displacement, 16);

  EXPECT_TRUE(scan({0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}).is_thread_local);  // mov rax, fs:40
}

TEST(CodeScanTest, AddressesAndMovesNameTheirRegisters) {
  const auto address = scan({0x4c, 0x8d, 0x64, 0x24, 0x08});  // lea r12, [rsp + 8]
  EXPECT_EQ(address.kind, Kind::load_address);
  EXPECT_EQ(address.to, r12);
  EXPECT_EQ(address.base, rsp);
  const auto move = scan({0x48, 0x89, 0xe5});  // mov rbp, rsp
  EXPECT_EQ(move.kind, Kind::move);
  EXPECT_EQ(move.to, rbp);
  EXPECT_EQ(move.from, rsp);
}

TEST(CodeScanTest, JumpsAndCallsHaveTheirDistance) {
  EXPECT_EQ(scan({0xe8, 0xfb, 0xff, 0xff, 0xff}).displacement, -5);
  EXPECT_EQ(scan({0x74, 0x10}).kind, Kind::jump_or_call);
  EXPECT_EQ(scan({0x0f, 0x85, 0x00, 0x01, 0x00, 0x00}).displacement, 256);
}

TEST(CodeScanTest, LengthsAreThoseOfTheManual) {
  scan({0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8});                            // movabs
  scan({0x66, 0x81, 0xf9, 0x34, 0x12});                                  // cmp cx, 0x1234
  scan({0xf7, 0x45, 0xfc, 1, 0, 0, 0});                                  // test dword [rbp - 4], 1
  scan({0xf7, 0xd8});                                                    // neg eax
  scan({0xf3, 0x0f, 0x1e, 0xfa});                                        // endbr64
  scan({0xf0, 0x48, 0x0f, 0xb1, 0x0a});                                  // lock cmpxchg [rdx], rcx
  scan({0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x08});                            // palignr
  scan({0xc5, 0xf8, 0x77});                                              // vzeroupper
  scan({0xc4, 0xe2, 0x7d, 0x58, 0x05, 0, 0, 0, 0});                      // vpbroadcastd ymm0, [rip]
  scan({0x62, 0xf1, 0x7c, 0x48, 0x11, 0x07});                            // vmovups [rdi], zmm0
  EXPECT_EQ(scan({0xf3, 0x48, 0xab}).kind, Kind::string);                // rep stosq
  EXPECT_EQ(scan({0x0f, 0x1f, 0x40, 0x00}).kind, Kind::without_access);  // nop
}

TEST(CodeScanTest, BytesThatAreNoInstructionAreRefused) {
  EXPECT_FALSE(scan_instruction(std::vector<std::uint8_t>{0x06}));
  EXPECT_FALSE(scan_instruction(std::vector<std::uint8_t>{0xe8, 0x00}));
  EXPECT_FALSE(scan_instruction(std::vector<std::uint8_t>{}));
}

}  // namespace
}  // namespace heddle::machine
