// The table of opcodes: all that heddle knows of x86-64 instructions is here. Operands, registers and flags are those
// of the Intel 64 manual, volume 2. Of the rows that describe an opcode, the first that fits counts. At the end come
// rows of which only the length and the operand in memory are known.
#pragma once

#include "machine/opcode_row.hpp"

namespace heddle::machine::opcodes {

using enum Operation;

// NOLINTBEGIN(readability-identifier-naming): the names of the manual
inline constexpr Form Eb{Place::rm, Size::b}, Ew{Place::rm, Size::w}, Ed{Place::rm, Size::d}, Eq{Place::rm, Size::q},
    Ev{Place::rm, Size::v}, Ebv{Place::rm, Size::bv}, Ey{Place::rm, Size::y}, Eyb{Place::rm, Size::yb},
    Eyy{Place::rm, Size::yy}, Eyw{Place::rm, Size::yw}, Es{Place::rm, Size::s},
    E{Place::rm, Size::none, Access::read_write};
inline constexpr Form Gd{Place::reg, Size::d}, Gv{Place::reg, Size::v}, Gbv{Place::reg, Size::bv},
    Gy{Place::reg, Size::y}, By{Place::vvvv, Size::y};
inline constexpr Form Zb{Place::opcode, Size::b}, Zv{Place::opcode, Size::v}, Zy{Place::opcode, Size::y},
    Zs{Place::opcode, Size::s};
constexpr Form fixed(Register number, Size size) { return {Place::fixed, size, Access::read, number}; }
inline constexpr Form Al = fixed(rax, Size::b), Aw = fixed(rax, Size::w), Av = fixed(rax, Size::v),
                      Abv = fixed(rax, Size::bv), Ay = fixed(rax, Size::y), Cl = fixed(rcx, Size::b),
                      Dv = fixed(rdx, Size::v), Dy = fixed(rdx, Size::y);
inline constexpr Form V{Place::vector_reg, Size::dq}, Wd{Place::vector_rm, Size::d}, Wq{Place::vector_rm, Size::q},
    Wdq{Place::vector_rm, Size::dq}, W{Place::vector_rm, Size::none};
inline constexpr Form Ib{Place::immediate, Size::b}, Iw{Place::immediate, Size::w}, Iz{Place::immediate, Size::v},
    Ibz{Place::immediate, Size::bv}, Iv{Place::immediate, Size::q}, one{Place::one, Size::b};
inline constexpr Form Jb{Place::relative, Size::b}, Jd{Place::relative, Size::d};
inline constexpr Form Obv{Place::absolute, Size::bv};
// NOLINTEND(readability-identifier-naming)

inline constexpr std::uint8_t plain = Row::plain, with_66 = Row::with_66, with_f3 = Row::with_f3,
                              with_f2 = Row::with_f2, packed = Row::plain | Row::with_66, once_or_f3 = packed | with_f3;
inline constexpr std::uint8_t all_flags = flag::arithmetic, without_carry = all_flags & ~flag::carry,
                              rotation = flag::carry | flag::overflow;
inline constexpr std::uint8_t any_vector = Row::legacy | Row::vex;
inline constexpr RegisterSet source = bit_of(rsi), destination = bit_of(rdi);

inline constexpr Row rows[] = {
    // ---- integers: two operands
    op(0x38, compare, Ebv, Gbv).to(0x39).sets(all_flags),
    op(0x3a, compare, Gbv, Ebv).to(0x3b).sets(all_flags),
    op(0x3c, compare, Abv, Ibz).to(0x3d).sets(all_flags),
    op(0x10, add_with_carry, inout(Ebv), Gbv).to(0x19, 6).family().lockable().tests(flag::carry).sets(all_flags),
    op(0x12, add_with_carry, inout(Gbv), Ebv).to(0x1b, 6).family().tests(flag::carry).sets(all_flags),
    op(0x14, add_with_carry, inout(Abv), Ibz).to(0x1d, 6).family().tests(flag::carry).sets(all_flags),
    op(0x00, add, inout(Ebv), Gbv).to(0x31, 6).family().lockable().sets(all_flags),
    op(0x02, add, inout(Gbv), Ebv).to(0x33, 6).family().sets(all_flags),
    op(0x04, add, inout(Abv), Ibz).to(0x35, 6).family().sets(all_flags),
    op(0x80, compare, Ebv, Ibz).to(0x81).in_group(7).sets(all_flags),
    op(0x83, compare, Ev, Ib).in_group(7).sets(all_flags),
    op(0x80, add, inout(Ebv), Ibz).to(0x81).in_group(2, 3).family().lockable().tests(flag::carry).sets(all_flags),
    op(0x83, add, inout(Ev), Ib).in_group(2, 3).family().lockable().tests(flag::carry).sets(all_flags),
    op(0x80, add, inout(Ebv), Ibz).to(0x81).in_group(0, 1, 4, 5, 6).family().lockable().sets(all_flags),
    op(0x83, add, inout(Ev), Ib).in_group(0, 1, 4, 5, 6).family().lockable().sets(all_flags),
    op(0x84, test, Ebv, Gbv).to(0x85).sets(all_flags),
    op(0xa8, test, Abv, Ibz).to(0xa9).sets(all_flags),
    op(0xf6, test, Ebv, Ibz).to(0xf7).in_group(0, 1).sets(all_flags),
    op(0x69, multiply, out(Gv), Ev, Iz).sets(all_flags),
    op(0x6b, multiply, out(Gv), Ev, Ib).sets(all_flags),
    op(0x0faf, multiply, inout(Gv), Ev).sets(all_flags),
    op(0x86, exchange, inout(Ebv), inout(Gbv)).to(0x87).lockable(),
    op(0x0fb0, other, inout(Ebv), Gbv, inout(Abv)).to(0xb1).lockable().sets(all_flags),        // cmpxchg
    op(0x0fc0, other, inout(Ebv), inout(Gbv)).to(0xc1).lockable().sets(all_flags),             // xadd
    op(0x0fa4, other, inout(Ev), Gv, Ib).sets(all_flags),                                      // shld
    op(0x0fa5, other, inout(Ev), Gv, Cl).sets(all_flags),                                      // shld
    op(0x0fac, other, inout(Ev), Gv, Ib).sets(all_flags),                                      // shrd
    op(0x0fad, other, inout(Ev), Gv, Cl).sets(all_flags),                                      // shrd
    op(0x0fa3, other, Ev, Gv).sets(all_flags & ~flag::zero),                                   // bt
    op(0x0fab, other, inout(Ev), Gv).to(0xbb, 0xef).lockable().sets(all_flags & ~flag::zero),  // bts, btc
    op(0x0fb3, other, inout(Ev), Gv).lockable().sets(all_flags & ~flag::zero),                 // btr
    op(0x0fba, other, Ev, Ib).in_group(4).sets(all_flags & ~flag::zero),                       // bt
    op(0x0fba, other, inout(Ev), Ib).in_group(5, 6, 7).lockable().sets(all_flags & ~flag::zero),
    op(0x0fbc, other, inout(Gv), Ev).to(0xbd).with(packed | with_f2).sets(all_flags),  // bsf, bsr: may keep the old one
    op(0x0fbc, other, out(Gv), Ev).to(0xbd).with(with_f3).sets(all_flags),             // tzcnt, lzcnt
    op(0x0fb8, other, out(Gv), Ev).with(with_f3).sets(all_flags),                      // popcnt

    // ---- integers: one operand
    op(0xfe, increment, inout(Ebv)).to(0xff).in_group(0).lockable().sets(without_carry),
    op(0xfe, decrement, inout(Ebv)).to(0xff).in_group(1).lockable().sets(without_carry),
    op(0xf6, bit_not, inout(Ebv)).to(0xf7).in_group(2).lockable(),
    op(0xf6, negate, inout(Ebv)).to(0xf7).in_group(3).lockable().sets(all_flags),
    op(0xf6, other, Eb, Al, out(Aw)).in_group(4, 5).sets(all_flags),           // mul, imul
    op(0xf6, other, Eb, inout(Aw)).in_group(6, 7).sets(all_flags),             // div, idiv
    op(0xf7, other, Ev, inout(Av), out(Dv)).in_group(4, 5).sets(all_flags),    // mul, imul
    op(0xf7, other, Ev, inout(Av), inout(Dv)).in_group(6, 7).sets(all_flags),  // div, idiv
    op(0xc0, rotate_left, inout(Ebv), Ib).to(0xc1).in_group(0, 1).family().sets(rotation),
    op(0xd0, rotate_left, inout(Ebv), one).to(0xd1).in_group(0, 1).family().sets(rotation),
    op(0xd2, rotate_left, inout(Ebv), Cl).to(0xd3).in_group(0, 1).family().sets(rotation),
    op(0xc0, rotate_left, inout(Ebv), Ib).to(0xc1).in_group(2, 3).family().tests(flag::carry).sets(rotation),
    op(0xd0, rotate_left, inout(Ebv), one).to(0xd1).in_group(2, 3).family().tests(flag::carry).sets(rotation),
    op(0xd2, rotate_left, inout(Ebv), Cl).to(0xd3).in_group(2, 3).family().tests(flag::carry).sets(rotation),
    op(0xc0, rotate_left, inout(Ebv), Ib).to(0xc1).in_group(4, 5, 6, 7).family().sets(all_flags),
    op(0xd0, rotate_left, inout(Ebv), one).to(0xd1).in_group(4, 5, 6, 7).family().sets(all_flags),
    op(0xd2, rotate_left, inout(Ebv), Cl).to(0xd3).in_group(4, 5, 6, 7).family().sets(all_flags),
    op(0x0fc8, other, inout(Zy)).to(0xcf).never_16(),  // bswap

    // ---- moves
    op(0x88, move, out(Ebv), Gbv).to(0x89),
    op(0x8a, move, out(Gbv), Ebv).to(0x8b),
    op(0xb0, move, out(Zb), Ib).to(0xb7),
    op(0xb8, move, out(Zv), Iv).to(0xbf),
    op(0xc6, move, out(Ebv), Ibz).to(0xc7).in_group(0),
    op(0xa0, move, out(Abv), Obv).to(0xa1),
    op(0xa2, move, out(Obv), Abv).to(0xa3),
    op(0x0fb6, move, out(Gv), Eb),
    op(0x0fb7, move, out(Gv), Ew),
    op(0x0fbe, move_sign, out(Gv), Eb),
    op(0x0fbf, move_sign, out(Gv), Ew),
    op(0x63, move_sign, out(Gv), Ed).never_16(),
    op(0x98, move_sign, out(Av), fixed(rax, Size::half)),
    op(0x99, other, out(Dv), Av),  // cwd, cdq, cqo
    op(0x8d, load_address, out(Gv), unused(E)).in_memory(),
    op(0x0f40, move_if, inout(Gv), Ev).to(0x4f).on_condition(),
    op(0x0f90, set_if, out(Eb)).to(0x9f).on_condition(),
    op(0x0fc3, move, out(Ey), Gy).with(plain).in_memory(),      // movnti
    op(0x0f38f0, other, out(Gv), Ev).with(packed).in_memory(),  // movbe
    op(0x0f38f1, other, out(Ev), Gv).with(packed).in_memory(),
    op(0x0f38f0, other, inout(Gy), Eb).with(with_f2),  // crc32
    op(0x0f38f1, other, inout(Gy), Ev).with(with_f2),
    op(0x50, push, Zs).to(0x57).on_stack(),
    op(0x68, push, Iz).never_16().on_stack(),
    op(0x6a, push, Ib).never_16().on_stack(),
    op(0xff, push, Es).in_group(6).on_stack(),
    op(0x58, pop, out(Zs)).to(0x5f).on_stack(),
    op(0x8f, pop, out(Es)).in_group(0).on_stack(),
    op(0xc9, leave).never_16().uses(bit_of(rbp), bit_of(rbp) | bit_of(rsp)),
    op(0x90, exchange, inout(Zv), inout(Av)).to(0x97),  // decode() recognises nop and pause

    // ---- strings: registers without those of a rep prefix
    op(0xa4, string)
        .with(once_or_f3)
        .to(0xa5)
        .uses(source | destination, source | destination)
        .tests(flag::direction),  // movs
    op(0xa6, string).to(0xa7).uses(source | destination, source | destination).tests(flag::direction).sets(all_flags),
    op(0xaa, string, Abv).with(once_or_f3).to(0xab).uses(destination, destination).tests(flag::direction),  // stos
    op(0xac, string, out(Abv)).with(once_or_f3).to(0xad).uses(source, source).tests(flag::direction),       // lods
    op(0xae, string, Abv).to(0xaf).uses(destination, destination).tests(flag::direction).sets(all_flags),   // scas

    // ---- control
    op(0x70, jump_if, Jb).to(0x7f).never_16().on_condition(),
    op(0x0f80, jump_if, Jd).to(0x8f).never_16().on_condition(),
    op(0xe0, jump_if, Jb).to(0xe1).never_16().uses(bit_of(rcx), bit_of(rcx)).tests(flag::zero),  // loopne, loope
    op(0xe2, jump_if, Jb).never_16().uses(bit_of(rcx), bit_of(rcx)),                             // loop
    op(0xe3, jump_if, Jb).never_16().uses(bit_of(rcx), 0),                                       // jrcxz
    op(0xe8, call, Jd).never_16().on_stack(),
    op(0xe9, jump, Jd).never_16(),
    op(0xeb, jump, Jb).never_16(),
    op(0xff, call, Eq).in_group(2).never_16().on_stack(),
    op(0xff, jump, Eq).in_group(4).never_16(),
    op(0xc3, ret).never_16().on_stack(),
    op(0xc2, ret, Iw).never_16().on_stack(),
    op(0xcc, trap),
    op(0x0f0b, trap).with(packed),
    op(0x0fb9, trap, unused(Gv), unused(E)),  // ud1, with which clang marks the failed check
    op(0xf4, trap),
    op(0x0f05, unknown),  // syscall: what it changes depends on the call

    // ---- flags
    op(0x9c, other).never_16().on_stack().tests(all_flags | flag::direction),  // pushf
    op(0x9d, other).never_16().on_stack().sets(all_flags | flag::direction),   // popf
    op(0x9e, other).uses(bit_of(rax), 0).sets(all_flags & ~flag::overflow),    // sahf
    op(0xf5, other).tests(flag::carry).sets(flag::carry),                      // cmc
    op(0xf8, other).to(0xf9).sets(flag::carry),                                // clc, stc
    op(0xfc, other).to(0xfd).sets(flag::direction),                            // cld, std

    // ---- hints, fences, the processor
    op(0x0f0d, nothing, unused(E)),           // prefetch
    op(0x0f18, nothing, unused(E)).to(0x1d),  // prefetch, nop
    op(0x0f1e, nothing, unused(E)).with(packed | with_f2),
    op(0x0f1e, nothing, unused(E)).with(with_f3).in_group(7).in_register(),  // endbr64
    op(0x0f1f, nothing, unused(E)),
    op(0x0fae, other).in_register().with(plain).in_group(5, 6, 7),   // lfence, mfence, sfence
    op(0x0fae, other, Ed).in_memory().with(plain).in_group(2),       // ldmxcsr
    op(0x0fae, other, out(Ed)).in_memory().with(plain).in_group(3),  // stmxcsr
    op(0x0f31, other).uses(0, bit_of(rax) | bit_of(rdx)),            // rdtsc
    op(0x0fa2, other).uses(bit_of(rax) | bit_of(rcx), bit_of(rax) | bit_of(rbx) | bit_of(rcx) | bit_of(rdx)),
    op(0x0fc7, other, inout(Eyy), inout(Ay), inout(Dy))
        .in_memory()
        .in_group(1)
        .with(packed)
        .lockable()  // cmpxchg8b
        .uses(bit_of(rbx) | bit_of(rcx), 0)
        .sets(flag::zero),

    // ---- integers: VEX
    op(0x0f38f2, other, out(Gy), By, Ey).with(plain).in_encoding(Row::vex).sets(all_flags),                // andn
    op(0x0f38f3, other, out(By), Ey).with(plain).in_encoding(Row::vex).in_group(1, 2, 3).sets(all_flags),  // blsr
    op(0x0f38f5, other, out(Gy), Ey, By).with(plain).in_encoding(Row::vex).sets(all_flags),                // bzhi
    op(0x0f38f5, other, out(Gy), By, Ey).with(with_f3 | with_f2).in_encoding(Row::vex),                    // pext, pdep
    op(0x0f38f6, other, out(Gy), out(By), Ey, Dy).with(with_f2).in_encoding(Row::vex),                     // mulx
    op(0x0f38f7, other, out(Gy), Ey, By).with(plain).in_encoding(Row::vex).sets(all_flags),                // bextr
    op(0x0f38f7, other, out(Gy), Ey, By).with(with_66 | with_f3 | with_f2).in_encoding(Row::vex),          // shlx
    op(0x0f3af0, other, out(Gy), Ey, Ib).with(with_f2).in_encoding(Row::vex),                              // rorx

    // ---- vectors: what the emulator executes
    op(0x0f10, vector_move, out(V), Wdq).with(packed),
    op(0x0f11, vector_move, out(Wdq), V).with(packed),
    op(0x0f28, vector_move, out(V), Wdq).with(packed),
    op(0x0f29, vector_move, out(Wdq), V).with(packed),
    op(0x0f6f, vector_move, out(V), Wdq).with(with_66 | with_f3),
    op(0x0f7f, vector_move, out(Wdq), V).with(with_66 | with_f3),
    op(0x0f10, vector_move_low, out(V), Wd).with(with_f3).in_memory(),  // movss
    op(0x0f10, vector_move_low, out(V), Wq).with(with_f2).in_memory(),  // movsd
    op(0x0f11, vector_move_low, out(Wd), V).with(with_f3).in_memory(),
    op(0x0f11, vector_move_low, out(Wq), V).with(with_f2).in_memory(),
    op(0x0f6e, vector_move_low, out(V), Ey).with(with_66),  // movd, movq
    op(0x0f7e, vector_move_low, out(Ey), V).with(with_66),
    op(0x0f7e, vector_move_low, out(V), Wq).with(with_f3),
    op(0x0fd6, vector_move_low, out(Wq), V).with(with_66),
    op(0x0f16, vector_move_high, inout(V), Wq).with(packed).in_memory(),  // movhps
    op(0x0f6c, vector_unpack, inout(V), Wdq).with(with_66),               // punpcklqdq
    op(0x0f57, vector_xor, inout(V), Wdq).with(packed),
    op(0x0fef, vector_xor, inout(V), Wdq).with(with_66),

    // ---- vectors and general registers
    op(0x0f2a, other, W, Ey).with(with_f3 | with_f2).in_encoding(any_vector),                // cvtsi2ss
    op(0x0f2c, other, out(Gy), W).to(0x2d).with(with_f3 | with_f2).in_encoding(any_vector),  // cvtss2si
    op(0x0f2e, other, W).to(0x2f).with(packed).in_encoding(any_vector).sets(all_flags),      // comiss
    op(0x0f50, other, out(Gd), W).with(packed).in_encoding(any_vector).in_register(),        // movmskps
    op(0x0fd7, other, out(Gd), W).with(packed).in_encoding(any_vector).in_register(),        // pmovmskb
    op(0x0f6e, other, Ey).with(packed).in_encoding(any_vector),                              // movd, movq
    op(0x0f7e, other, out(Ey)).with(packed).in_encoding(any_vector),                         // movd, movq
    op(0x0fc4, other, Eyw, Ib).with(packed).in_encoding(any_vector),                         // pinsrw
    op(0x0fc5, other, out(Gd), W, Ib).with(packed).in_encoding(any_vector).in_register(),    // pextrw
    op(0x0f3a14, other, out(Eyb), Ib).with(with_66).in_encoding(any_vector),                 // pextrb
    op(0x0f3a15, other, out(Eyw), Ib).with(with_66).in_encoding(any_vector),                 // pextrw
    op(0x0f3a16, other, out(Ey), Ib).with(with_66).in_encoding(any_vector),                  // pextrd
    op(0x0f3a17, other, out(Ed), Ib).with(with_66).in_encoding(any_vector),                  // extractps
    op(0x0f3a20, other, Eyb, Ib).with(with_66).in_encoding(any_vector),                      // pinsrb
    op(0x0f3a22, other, Ey, Ib).with(with_66).in_encoding(any_vector),                       // pinsrd
    op(0x0f3817, other, W).with(with_66).in_encoding(any_vector).sets(all_flags),            // ptest
    op(0x0f380e, other, W).to(0x0f).with(with_66).in_encoding(Row::vex).sets(all_flags),     // vtestps
    op(0x0f3a61, other, W, Ib)
        .with(with_66)
        .in_encoding(any_vector)
        .sets(all_flags)  // pcmpestri
        .uses(bit_of(rax) | bit_of(rdx), bit_of(rcx)),
    op(0x0f3a63, other, W, Ib).with(with_66).in_encoding(any_vector).sets(all_flags).uses(0, bit_of(rcx)),  // pcmpistri

    // ---- vectors alone, MMX included: general registers and flags stay. Which vector registers change is not said.
    op(0x0f11, other, out(W)).to(0x13, 0xfd).in_encoding(any_vector),
    op(0x0f17, other, out(W)).with(packed).in_memory().in_encoding(any_vector),
    op(0x0f10, other, W).to(0x16).in_encoding(any_vector),
    op(0x0f28, other, W).with(packed).in_encoding(any_vector),
    op(0x0f29, other, out(W)).to(0x2b, 0xfd).with(packed).in_encoding(any_vector),
    op(0x0f51, other, W).to(0x6d).in_encoding(any_vector),
    op(0x0f6f, other, W).in_encoding(any_vector),
    op(0x0f70, other, W, Ib).to(0x73).in_encoding(any_vector),
    op(0x0f74, other, W).to(0x76).in_encoding(any_vector),
    op(0x0f77, other).with(plain).in_encoding(any_vector),
    op(0x0f7c, other, W).to(0x7d).with(with_66 | with_f2).in_encoding(any_vector),
    op(0x0f7e, other, W).with(with_f3).in_encoding(any_vector),
    op(0x0f7f, other, out(W)).with(packed | with_f3).in_encoding(any_vector),
    op(0x0fc2, other, W, Ib).to(0xc6, 0xfb).in_encoding(any_vector),
    op(0x0fd6, other, out(W)).with(with_66).in_encoding(any_vector),
    op(0x0fe7, other, out(W)).with(packed).in_memory().in_encoding(any_vector),
    op(0x0fd0, other, W).to(0xd5).in_encoding(any_vector),
    op(0x0fd8, other, W).to(0xf6).in_encoding(any_vector),
    op(0x0ff8, other, W).to(0xfe).in_encoding(any_vector),
    op(0x0f3800, other, W).to(0x2d).with(packed).in_encoding(any_vector),
    op(0x0f382e, other, out(W)).to(0x2f).with(with_66).in_encoding(Row::vex).in_memory(),  // vmaskmovps
    op(0x0f3830, other, W).to(0x7f).with(packed).in_encoding(any_vector),
    op(0x0f388c, other, W).with(with_66).in_encoding(Row::vex).in_memory(),  // vpmaskmovd
    op(0x0f388e, other, out(W)).with(with_66).in_encoding(Row::vex).in_memory(),
    op(0x0f3890, other, W).to(0xbf).with(with_66).in_encoding(Row::vex),  // gathers, fused operations
    op(0x0f38c8, other, W).to(0xdf).with(packed).in_encoding(any_vector),
    op(0x0f3a19, other, out(W), Ib).to(0x39, 0xdf).with(with_66).in_encoding(Row::vex),  // vextractf128
    op(0x0f3a1d, other, out(W), Ib).with(with_66).in_encoding(Row::vex),                 // vcvtps2ph
    op(0x0f3a00, other, W, Ib).to(0x0f).with(packed).in_encoding(any_vector),
    op(0x0f3a18, other, W, Ib).with(with_66).in_encoding(Row::vex),
    op(0x0f3a21, other, W, Ib).with(with_66).in_encoding(any_vector),  // insertps
    op(0x0f3a38, other, W, Ib).to(0x4f).with(with_66).in_encoding(any_vector),

    // ---- only the length and the operand in memory
    op(0x6c, unknown).to(0x6f),           // ins, outs
    op(0x8c, unknown, E).to(0x8e, 0xfd),  // of segment registers
    op(0x9b, unknown),
    op(0x9f, unknown),  // lahf
    op(0xc8, unknown, Iw, Ib),
    op(0xcb, unknown).to(0xcf, 0xfb),  // far returns
    op(0xca, unknown, Iw),
    op(0xcd, unknown, Ib),
    op(0xd7, unknown),
    op(0xd8, unknown, E).to(0xdf),  // x87
    op(0xe4, unknown, Ib).to(0xe7),
    op(0xec, unknown).to(0xef),
    op(0xf1, unknown),
    op(0xfa, unknown).to(0xfb),
    op(0xc6, unknown, E, Ibz).to(0xc7),  // of transactions
    op(0xff, unknown, E).in_group(3, 5),
    op(0x0f00, unknown, E).to(0x03),
    op(0x0f06, unknown).to(0x09),
    op(0x0f1e, unknown, E),
    op(0x0f30, unknown).to(0x35),
    op(0x0f10, unknown, E).to(0x17),
    op(0x0f28, unknown, E).to(0x2f),
    op(0x0f50, unknown, E),
    op(0x0f78, unknown, E).to(0x79).with(plain),
    op(0x0f7a, unknown, E).to(0x7f),
    op(0x0fa0, unknown).to(0xa1),
    op(0x0fa8, unknown).to(0xaa),
    op(0x0fae, unknown, E),
    op(0x0fc2, unknown, E, Ib),
    op(0x0fc4, unknown, E, Ib).to(0xc6),
    op(0x0fc7, unknown, E),
    op(0x0fd0, unknown, E).to(0xff),
    op(0x0f3800, unknown, E).to(0xff),
    op(0x0f3a00, unknown, E, Ib).to(0xff),
    op(0x0f70, unknown, E, Ib).to(0x73).in_encoding(Row::vex | Row::evex),
    op(0x0fc2, unknown, E, Ib).to(0xc6).in_encoding(Row::vex | Row::evex),
    op(0x0f00, unknown, E).to(0xff).in_encoding(Row::vex | Row::evex),
    op(0x0f3800, unknown, E).to(0xff).in_encoding(Row::vex | Row::evex),
    op(0x0f3a00, unknown, E, Ib).to(0xff).in_encoding(Row::vex | Row::evex),
};

}  // namespace heddle::machine::opcodes
