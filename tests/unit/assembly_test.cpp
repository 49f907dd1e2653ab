// heddle stress --litmus: C from litmus tests, the accesses in assembly, and their comparison with the source.
#include <gtest/gtest.h>

#include "base/arena.hpp"
#include "litmus/c_code.hpp"
#include "litmus/parser.hpp"
#include "models/memory_model.hpp"
#include "stress/assembly_check.hpp"

namespace heddle::stress {
namespace {

LitmusTest make_test(const std::string& source) {
  LitmusTest result;
  auto test = litmus::parse_test(source, "test");
  EXPECT_TRUE(test) << (test ? "" : test.problem().text);
  result.test = *test;
  result.source = source;
  alignas(std::max_align_t) std::array<std::byte, 4096> memory{};
  base::Arena arena(memory);
  result.allowed = litmus::run_exhaustively(result.test, *models::make_model("rc11", {}, arena));
  return result;
}

/// Two threads with the same body; x and y are exchanged in the second.
std::string two_threads(const std::string& first, const std::string& second) {
  return "C T\n{ x=0; y=0; }\nP0 (atomic_int* x, atomic_int* y) {\n" + first +
         "}\nP1 (atomic_int* x, atomic_int* y) {\n" + second + "}\nlocations [x; y;]\n";
}

const std::string fenced =
    two_threads(
        "atomic_store_explicit(x,1,memory_order_relaxed);\natomic_thread_fence(memory_order_seq_cst);\n"
        "int r0 = atomic_load_explicit(y,memory_order_relaxed);\n",
        "atomic_store_explicit(y,1,memory_order_relaxed);\natomic_thread_fence(memory_order_seq_cst);\n"
        "int r0 = atomic_load_explicit(x,memory_order_relaxed);\n") +
    "exists (0:r0=0 /\\ 1:r0=0)\n";

using Functions = std::map<std::string, std::vector<std::string>>;

std::string all_findings(const AssemblyCheck& check) {
  std::string text;
  for (const AssemblyFinding& finding : check.findings) text += finding.text + "\n";
  for (const std::string& sentence : check.not_judged) text += sentence + "\n";
  return text;
}

TEST(AssemblyTest, FunctionsEndAtTheirSizeAndLoseTheirDirectives) {
  const auto functions = functions_in(
      "\t.text\nt0_P0:                     # @t0_P0\n.LFB0:\n\t.cfi_startproc\n# %bb.0:\n\tmfence\n.L2:\n\tret\n"
      "\t.size\tt0_P0, .-t0_P0\n\tnop\nmain:\n\tret\n");
  ASSERT_EQ(functions.size(), 2U);
  EXPECT_EQ(functions.at("t0_P0"), (std::vector<std::string>{"\tmfence", ".L2:", "\tret"}));
}

TEST(AssemblyTest, AddressesAreFollowedThroughTheStackAndRegisters) {
  // As gcc -O0 writes atomic_load and an addition to the address.
  const CompiledThread thread = read_thread(
      {"\tpushq\t%rbp", "\tmovq\t%rsp, %rbp", "\tmovq\t%rdi, -40(%rbp)", "\tmovq\t%rsi, -48(%rbp)",
       "\tmovq\t%rdx, -56(%rbp)", "\tmovq\t-56(%rbp), %rax", "\tmovq\t%rax, -16(%rbp)", "\tmovq\t-16(%rbp), %rax",
       "\tmovl\t(%rax), %eax", "\tleaq\t0(,%rax,4), %rdx", "\tmovq\t-48(%rbp), %rax", "\taddq\t%rdx, %rax",
       "\tmovl\t$1, (%rax)", "\tmovq\t-40(%rbp), %rax", "\tmovq\t%rdx, (%rax)", "\tlock orq\t$0, (%rsp)", "\tret"},
      {3, 5});
  ASSERT_EQ(thread.accesses.size(), 3U);
  EXPECT_EQ(thread.accesses[0].kind, InstructionKind::load);
  EXPECT_EQ(thread.accesses[0].location, 5U);
  EXPECT_EQ(thread.accesses[1].kind, InstructionKind::store);
  EXPECT_EQ(thread.accesses[1].location, 3U);
  EXPECT_EQ(thread.accesses[2].kind, InstructionKind::fence);
}

TEST(AssemblyTest, ReadModifyWritesAreLockedOrNot) {
  const CompiledThread thread =
      read_thread({"\tlock xaddl\t%eax, (%rsi)", "\taddl\t$1, (%rsi)", "\txchgl\t(%rsi), %eax", "\tlock",
                   "\tcmpl\t$0, (%rsi)", "\tlock;\tcmpxchgl %edx, (%rsi)", "\tcall\t__atomic_load_16"},
                  {0});
  ASSERT_EQ(thread.accesses.size(), 5U);
  EXPECT_EQ(thread.accesses[0].kind, InstructionKind::locked);
  EXPECT_EQ(thread.accesses[1].kind, InstructionKind::unlocked);
  EXPECT_EQ(thread.accesses[2].kind, InstructionKind::exchange);
  EXPECT_EQ(thread.accesses[3].kind, InstructionKind::load);
  EXPECT_EQ(thread.accesses[4].kind, InstructionKind::locked);
  EXPECT_NE(thread.not_understood, "");
}

TEST(AssemblyTest, AMissingFenceIsNamedAndTheChipMayShowItsEffect) {
  const LitmusTest test = make_test(fenced);
  const std::vector<std::string> right_0{"\tmovl\t$1, (%rsi)", "\tmfence", "\tmovl\t(%rdx), %eax", "\tret"};
  const std::vector<std::string> right_1{"\tmovl\t$1, (%rdx)", "\tlock orq\t$0, (%rsp)", "\tmovl\t(%rsi), %eax",
                                         "\tret"};
  EXPECT_FALSE(check_assembly(test, "t", Functions{{"t_P0", right_0}, {"t_P1", right_1}}).is_bug());
  const std::vector<std::string> wrong{"\tmovl\t$1, (%rsi)", "\tmovl\t(%rdx), %eax", "\tret"};
  const AssemblyCheck check = check_assembly(test, "t", Functions{{"t_P0", wrong}, {"t_P1", right_1}});
  EXPECT_TRUE(check.is_bug());
  EXPECT_NE(all_findings(check).find("the seq_cst fence (line 5) is missing"), std::string::npos)
      << all_findings(check);
  ASSERT_EQ(check.states_beyond.size(), 1U);
  EXPECT_EQ(test.test.describe(check.states_beyond[0]), "[x]=1; [y]=1; 0:r0=0; 1:r0=0;");
}

TEST(AssemblyTest, ReorderingIsForbiddenOrAllowedByTheOrders) {
  const Functions code{{"t_P0", {"\tmovl\t$1, (%rdx)", "\tmovl\t$1, (%rsi)", "\tret"}},
                       {"t_P1", {"\tmovl\t(%rdx), %eax", "\tmovl\t(%rsi), %ecx", "\tret"}}};
  const std::string reader =
      "int r0 = atomic_load_explicit(y,memory_order_acquire);\nint r1 = "
      "atomic_load_explicit(x,memory_order_relaxed);\n";
  const auto with = [&](const char* order) {
    return make_test(two_threads(
        std::string("atomic_store_explicit(x,1,memory_order_relaxed);\natomic_store_explicit(y,1,memory_order_") +
            order + ");\n",
        reader));
  };
  const AssemblyCheck released = check_assembly(with("release"), "t", code);
  EXPECT_TRUE(released.is_bug());
  EXPECT_NE(all_findings(released).find("the relaxed store to x (line 4) comes after the release store to y (line 5)"),
            std::string::npos);
  const AssemblyCheck relaxed = check_assembly(with("relaxed"), "t", code);
  EXPECT_FALSE(relaxed.is_bug());
  EXPECT_EQ(relaxed.findings.size(), 1U);
}

TEST(AssemblyTest, EliminatedAndMergedAccessesAreNamed) {
  const std::string twice =
      "int r0 = atomic_load_explicit(x,memory_order_relaxed);\nint r1 = "
      "atomic_load_explicit(x,memory_order_relaxed);\n";
  const std::string other = "atomic_store_explicit(x,1,memory_order_relaxed);\n";
  const Functions merged{{"t_P0", {"\tmovl\t(%rsi), %eax", "\tret"}}, {"t_P1", {"\tmovl\t$1, (%rsi)", "\tret"}}};
  const AssemblyCheck allowed = check_assembly(make_test(two_threads(twice, other)), "t", merged);
  EXPECT_FALSE(allowed.is_bug());
  EXPECT_NE(all_findings(allowed).find("was eliminated"), std::string::npos);
  const std::string acquires =
      "int r0 = atomic_load_explicit(x,memory_order_acquire);\nint r1 = "
      "atomic_load_explicit(x,memory_order_acquire);\n";
  EXPECT_TRUE(check_assembly(make_test(two_threads(acquires, other)), "t", merged).is_bug());
  const Functions invented{{"t_P0", {"\tmovl\t(%rsi), %eax", "\tmovl\t(%rsi), %eax", "\tmovl\t$0, (%rsi)", "\tret"}},
                           {"t_P1", {"\tmovl\t$1, (%rsi)", "\tret"}}};
  EXPECT_TRUE(check_assembly(make_test(two_threads(twice, other)), "t", invented).is_bug());
}

TEST(AssemblyTest, AnAdditionOfNothingMayBeAFencedLoadButNotALoad) {
  const LitmusTest test = make_test(two_threads("int r0 = atomic_fetch_add_explicit(x,0,memory_order_acquire);\n",
                                                "atomic_store_explicit(x,1,memory_order_relaxed);\n"));
  const std::vector<std::string> other{"\tmovl\t$1, (%rsi)", "\tret"};
  EXPECT_FALSE(
      check_assembly(test, "t", Functions{{"t_P0", {"\tmfence", "\tmovl\t(%rsi), %eax", "\tret"}}, {"t_P1", other}})
          .is_bug());
  const AssemblyCheck check =
      check_assembly(test, "t", Functions{{"t_P0", {"\tmovl\t(%rsi), %eax", "\tret"}}, {"t_P1", other}});
  EXPECT_TRUE(check.is_bug());
  EXPECT_NE(all_findings(check).find("became a load"), std::string::npos);
}

TEST(AssemblyTest, CodeThatIsNotUnderstoodIsNotJudged) {
  const LitmusTest test = make_test(fenced);
  const AssemblyCheck check = check_assembly(test, "t", Functions{{"t_P0", {"\tcall\tsomething"}}});
  EXPECT_FALSE(check.is_bug());
  EXPECT_EQ(check.not_judged.size(), 2U);
}

TEST(AssemblyTest, ThreadsBecomeFunctionsWithTheSameAccesses) {
  const LitmusTest test = make_test(
      "C T\n{ x=0; y=0; e=3; }\nP0 (atomic_int* x, atomic_int* y, int* e) {\n"
      "  int r0 = atomic_load_explicit(x,memory_order_acquire);\n  if (r0 == 1) { *y = 1; }\n"
      "  int r1 = atomic_compare_exchange_weak_explicit(x,e,5,memory_order_acq_rel,memory_order_acquire);\n}\n"
      "P1 (atomic_int* y) { atomic_store(y, 2); }\nlocations [0:r0; 0:r1; x;]\n");
  const std::string code = litmus::thread_function(test.test, 0, "t", "file");
  EXPECT_NE(code.find("void t_P0(int64_t *out, _Atomic(int32_t) *l0, int32_t *l1, int32_t *l2)"), std::string::npos)
      << code;
  EXPECT_NE(code.find("#line 4 \"file\""), std::string::npos) << code;
  EXPECT_NE(code.find("atomic_load_explicit(l0, memory_order_acquire)"), std::string::npos) << code;
  EXPECT_NE(code.find("atomic_compare_exchange_weak_explicit(l0, &expected"), std::string::npos) << code;
  EXPECT_NE(code.find("goto L"), std::string::npos) << code;
  // y has plain and atomic accesses.
  EXPECT_NE(litmus::thread_function(test.test, 1, "t", "").find("__atomic_store_n(l1"), std::string::npos);
}

}  // namespace
}  // namespace heddle::stress
