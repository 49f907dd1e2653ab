// The decoder on single instructions. decoder_comparison.cpp compares it with another disassembler.
#include "machine/decoder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace heddle::machine {
namespace {

Instruction decoded(std::initializer_list<std::uint8_t> bytes) {
  const std::vector<std::uint8_t> code(bytes);
  const auto instruction = decode(code);
  EXPECT_TRUE(instruction);
  EXPECT_EQ(instruction ? instruction->length : 0, code.size());
  return instruction.value_or(Instruction{});
}
bool is_refused(std::initializer_list<std::uint8_t> bytes) { return !decode(std::vector<std::uint8_t>(bytes)); }

TEST(DecoderTest, OperandsInMemoryHaveBaseIndexAndDisplacement) {
  const auto load = decoded({0x8b, 0x44, 0x95, 0xf8});  // mov eax, [rbp + rdx * 4 - 8]
  EXPECT_EQ(load.operation, Operation::move);
  EXPECT_EQ(load.memory.base, rbp);
  EXPECT_EQ(load.memory.index, rdx);
  EXPECT_EQ(load.memory.shift, 2);
  EXPECT_EQ(load.memory.displacement, -8);
  EXPECT_EQ(load.memory.access, Access::read);
  EXPECT_EQ(load.reads, bit_of(rbp) | bit_of(rdx));
  EXPECT_EQ(load.overwrites, bit_of(rax));

  const auto store = decoded({0x4d, 0x89, 0x65, 0x10});  // mov [r13 + 16], r12
  EXPECT_EQ(store.memory.base, r13);
  EXPECT_EQ(store.memory.access, Access::write);
  EXPECT_EQ(store.reads, bit_of(r12) | bit_of(r13));

  const auto global = decoded({0xff, 0x05, 0x10, 0x00, 0x00, 0x00});  // inc dword [rip + 16]
  EXPECT_TRUE(global.memory.is_relative);
  EXPECT_EQ(global.memory.displacement, 16);
  EXPECT_EQ(global.memory.access, Access::read_write);

  EXPECT_TRUE(decoded({0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}).memory.is_thread_local);  // mov rax, fs:40
  const auto absolute = decoded({0xa1, 0x40, 0, 0, 0, 0, 0, 0, 0});                            // mov eax, [0x40]
  EXPECT_TRUE(absolute.accesses_memory());
  EXPECT_EQ(absolute.memory.displacement, 0x40);
}

TEST(DecoderTest, AnAddressThatIsComputedOrHintedIsNotAccessed) {
  const auto address = decoded({0x4c, 0x8d, 0x64, 0x24, 0x08});  // lea r12, [rsp + 8]
  EXPECT_EQ(address.operation, Operation::load_address);
  EXPECT_TRUE(address.operands[0].is_general(r12));
  EXPECT_EQ(address.memory.base, rsp);
  EXPECT_FALSE(address.accesses_memory());
  EXPECT_FALSE(decoded({0x0f, 0x1f, 0x40, 0x00}).accesses_memory());  // nop
  EXPECT_FALSE(decoded({0x0f, 0x18, 0x0f}).accesses_memory());        // prefetcht0
}

TEST(DecoderTest, AWriteOf32BitsOverwritesTheRegisterAndOneOf16BitsDoesNot) {
  EXPECT_EQ(decoded({0x5b}).overwrites, bit_of(rbx) | bit_of(rsp));  // pop rbx
  const auto narrow = decoded({0x66, 0x5b});                         // pop bx
  EXPECT_EQ(narrow.writes, bit_of(rbx) | bit_of(rsp));
  EXPECT_EQ(narrow.overwrites, bit_of(rsp));
  EXPECT_EQ(decoded({0xbb, 1, 0, 0, 0}).overwrites, bit_of(rbx));  // mov ebx, 1
  EXPECT_EQ(decoded({0x66, 0xbb, 1, 0}).overwrites, 0U);           // mov bx, 1
  EXPECT_EQ(decoded({0xb7, 1}).overwrites, 0U);                    // mov bh, 1
  EXPECT_EQ(decoded({0xb7, 1}).writes, bit_of(rbx));
  EXPECT_EQ(decoded({0x40, 0xb7, 1}).writes, bit_of(rdi));  // mov dil, 1
}

TEST(DecoderTest, AnExchangeOfRaxWithItselfIsNothingAndOneWithAnotherRegisterIsNot) {
  EXPECT_EQ(decoded({0x90}).operation, Operation::nothing);
  EXPECT_EQ(decoded({0x48, 0x90}).operation, Operation::nothing);
  EXPECT_EQ(decoded({0xf3, 0x90}).operation, Operation::nothing);  // pause
  EXPECT_EQ(decoded({0x90}).reads | decoded({0x90}).writes, 0U);
  const auto exchange = decoded({0x49, 0x90});  // xchg r8, rax
  EXPECT_EQ(exchange.operation, Operation::exchange);
  EXPECT_EQ(exchange.reads, bit_of(rax) | bit_of(r8));
  EXPECT_EQ(exchange.writes, bit_of(rax) | bit_of(r8));
}

TEST(DecoderTest, ImplicitRegistersAreInTheSets) {
  EXPECT_EQ(decoded({0x48, 0xf7, 0xe1}).reads, bit_of(rax) | bit_of(rcx));  // mul rcx
  EXPECT_EQ(decoded({0x48, 0xf7, 0xe1}).overwrites, bit_of(rax) | bit_of(rdx));
  EXPECT_EQ(decoded({0xf3, 0x48, 0xab}).reads, bit_of(rax) | bit_of(rcx) | bit_of(rdi));  // rep stosq
  EXPECT_EQ(decoded({0xf3, 0x48, 0xab}).writes, bit_of(rcx) | bit_of(rdi));
  EXPECT_EQ(decoded({0xd3, 0xe3}).reads, bit_of(rbx) | bit_of(rcx));                      // shl ebx, cl
  EXPECT_EQ(decoded({0x0f, 0xb1, 0x0a}).reads, bit_of(rax) | bit_of(rcx) | bit_of(rdx));  // cmpxchg [rdx], ecx
  EXPECT_EQ(decoded({0x99}).overwrites, bit_of(rdx));                                     // cdq
}

TEST(DecoderTest, LockedInstructionsAreMarked) {
  EXPECT_TRUE(decoded({0xf0, 0x48, 0x0f, 0xb1, 0x0a}).is_locked);  // lock cmpxchg [rdx], rcx
  EXPECT_TRUE(decoded({0xf0, 0x0f, 0xba, 0x2f, 0x00}).is_locked);  // lock bts dword [rdi], 0
  EXPECT_FALSE(decoded({0x87, 0x07}).is_locked);                   // xchg [rdi], eax, which is atomic all the same
  EXPECT_TRUE(is_refused({0xf0, 0x8b, 0x07}));                     // lock mov
  EXPECT_TRUE(is_refused({0xf0, 0x01, 0xc0}));                     // lock add eax, eax
}

TEST(DecoderTest, JumpsAndCallsHaveTheirDistance) {
  EXPECT_EQ(decoded({0xe8, 0xfb, 0xff, 0xff, 0xff}).immediate, -5);
  EXPECT_EQ(decoded({0x74, 0x10}).operation, Operation::jump_if);
  EXPECT_EQ(decoded({0x74, 0x10}).flags_read, flag::zero);
  EXPECT_EQ(decoded({0x0f, 0x85, 0x00, 0x01, 0x00, 0x00}).immediate, 256);
  EXPECT_TRUE(decoded({0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0}).is_direct());  // a call for thread-local variables
  EXPECT_FALSE(decoded({0xff, 0xd0}).is_direct());                         // call rax
  EXPECT_TRUE(is_refused({0x66, 0xe8, 0, 0, 0, 0}));  // Intel's processors ignore the prefix, AMD's do not
}

TEST(DecoderTest, LengthsAreThoseOfTheManual) {
  decoded({0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8});                             // movabs
  decoded({0x66, 0x81, 0xf9, 0x34, 0x12});                                   // cmp cx, 0x1234
  decoded({0xf7, 0x45, 0xfc, 1, 0, 0, 0});                                   // test dword [rbp - 4], 1
  decoded({0xf7, 0xd8});                                                     // neg eax
  decoded({0xf3, 0x0f, 0x1e, 0xfa});                                         // endbr64
  decoded({0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x08});                             // palignr
  decoded({0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0});              // a long nop
  EXPECT_TRUE(decoded({0xc5, 0xf8, 0x77}).is_known());                       // vzeroupper
  EXPECT_TRUE(decoded({0xc4, 0xe2, 0x7d, 0x58, 5, 0, 0, 0, 0}).is_known());  // vpbroadcastd ymm0, [rip]
  EXPECT_FALSE(decoded({0x62, 0xf1, 0x7c, 0x48, 0x11, 0x07}).is_known());    // vmovups [rdi], zmm0
}

TEST(DecoderTest, BytesThatAreNoInstructionAreRefused) {
  EXPECT_TRUE(is_refused({0x06}));
  EXPECT_TRUE(is_refused({0xe8, 0x00}));
  EXPECT_TRUE(is_refused({0x48}));
  EXPECT_TRUE(is_refused({}));
  EXPECT_TRUE(is_refused({0x48, 0x66, 0x89, 0xc0}));  // REX is not last
  EXPECT_TRUE(
      is_refused({0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x89, 0xc0}));
}

TEST(DecoderTest, AJumpOfTheLinkageTableNamesItsSlot) {
  const auto slot = [](std::vector<std::uint8_t> code) { return linkage_slot(code); };
  EXPECT_EQ(slot({0xff, 0x25, 0x10, 0, 0, 0}), 22);
  EXPECT_EQ(slot({0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0x10, 0, 0, 0}), 27);
  EXPECT_FALSE(slot({0xff, 0x15, 0x10, 0, 0, 0}));  // a call
  EXPECT_FALSE(slot({0xff, 0xe0}));                 // jmp rax
  EXPECT_FALSE(slot({0xf3, 0x0f, 0x1e, 0xfa}));
}

}  // namespace
}  // namespace heddle::machine
