// heddle fix and weaken: changes of memory orders in the text of a program, and their unified diffs.
#include "orders/source_edit.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "orders/source_diff.hpp"

namespace heddle::orders {

namespace {

using enum MemoryOrder;

constexpr unsigned any_column = 0;

PlacedChange change(unsigned line, unsigned column, SiteOperation operation, MemoryOrder from, MemoryOrder to) {
  return {{"a.cpp", line, column, "f"}, operation, from, to};
}

/// The text afterwards, or why it cannot be edited.
std::string edited(const std::string& text, const std::vector<PlacedChange>& changes) {
  const SourceText source(text);
  const FileEdits edits = edit_orders(source, changes);
  if (!edits.unedited.empty()) return "!" + edits.unedited[0].why;
  return apply_edits(text, edits.edits);
}

std::string edited(const std::string& text, SiteOperation operation, MemoryOrder from, MemoryOrder to) {
  return edited(text, {change(1, any_column, operation, from, to)});
}

}  // namespace

TEST(SourceEdit, ReplacesTheOrderInItsOwnSpelling) {
  EXPECT_EQ(edited("x.load(std::memory_order_relaxed);", SiteOperation::load, relaxed, acquire),
            "x.load(std::memory_order_acquire);");
  EXPECT_EQ(edited("x.store(f(a, b), memory_order_seq_cst);", SiteOperation::store, seq_cst, release),
            "x.store(f(a, b), memory_order_release);");
  EXPECT_EQ(edited("x.fetch_add(1, std::memory_order::acq_rel);", SiteOperation::read_modify_write, acq_rel, relaxed),
            "x.fetch_add(1, std::memory_order::relaxed);");
  EXPECT_EQ(edited("v = __atomic_load_n(&x, __ATOMIC_SEQ_CST);", SiteOperation::load, seq_cst, acquire),
            "v = __atomic_load_n(&x, __ATOMIC_ACQUIRE);");
  EXPECT_EQ(edited("atomic_thread_fence(memory_order_seq_cst);", SiteOperation::fence, seq_cst, acq_rel),
            "atomic_thread_fence(memory_order_acq_rel);");
  EXPECT_EQ(edited("atomic_store_explicit(&x, 1, memory_order_relaxed);", SiteOperation::store, relaxed, release),
            "atomic_store_explicit(&x, 1, memory_order_release);");
}

TEST(SourceEdit, AddsAnOrderWhereTheCallHasNone) {
  EXPECT_EQ(edited("std::atomic<int> x; x.load();", SiteOperation::load, seq_cst, acquire),
            "std::atomic<int> x; x.load(std::memory_order_acquire);");
  EXPECT_EQ(edited("x.store(1); // memory_order_relaxed", SiteOperation::store, seq_cst, release),
            "x.store(1, memory_order_release); // memory_order_relaxed");
  EXPECT_EQ(edited("atomic_fetch_add(&x, 1);", SiteOperation::read_modify_write, seq_cst, relaxed),
            "atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);");
  EXPECT_EQ(edited("atomic_flag_clear(&x);", SiteOperation::store, seq_cst, release),
            "atomic_flag_clear_explicit(&x, memory_order_release);");
  EXPECT_EQ(edited("while (lock.test_and_set()) {}", SiteOperation::read_modify_write, seq_cst, acquire),
            "while (lock.test_and_set(memory_order_acquire)) {}");
}

TEST(SourceEdit, ACompareExchangeHasTwoOrders) {
  const auto success = [](MemoryOrder from, MemoryOrder to) {
    return change(1, any_column, SiteOperation::compare_exchange, from, to);
  };
  const auto failure = [](MemoryOrder from, MemoryOrder to) {
    return change(1, any_column, SiteOperation::failed_exchange, from, to);
  };
  EXPECT_EQ(edited("x.compare_exchange_weak(a, b);", {success(seq_cst, acq_rel), failure(seq_cst, acquire)}),
            "x.compare_exchange_weak(a, b, memory_order_acq_rel);");
  EXPECT_EQ(edited("x.compare_exchange_weak(a, b);", {success(seq_cst, release)}),
            "x.compare_exchange_weak(a, b, memory_order_release, memory_order_seq_cst);");
  EXPECT_EQ(edited("x.compare_exchange_weak(a, b, std::memory_order_acq_rel);", {success(acq_rel, release)}),
            "x.compare_exchange_weak(a, b, std::memory_order_release, std::memory_order_acquire);");
  EXPECT_EQ(edited("x.compare_exchange_weak(a, b, std::memory_order_relaxed, std::memory_order_relaxed);",
                   {failure(relaxed, acquire)}),
            "x.compare_exchange_weak(a, b, std::memory_order_relaxed, std::memory_order_acquire);");
  EXPECT_EQ(edited("__atomic_compare_exchange_n(&x, &a, b, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);",
                   {success(acq_rel, seq_cst), failure(relaxed, acquire)}),
            "__atomic_compare_exchange_n(&x, &a, b, 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);");
  EXPECT_EQ(
      edited("atomic_compare_exchange_strong(&x, &a, b);", {success(seq_cst, release), failure(seq_cst, relaxed)}),
      "atomic_compare_exchange_strong_explicit(&x, &a, b, memory_order_release, memory_order_relaxed);");
}

TEST(SourceEdit, TheColumnTellsCallsOfOneLineApart) {
  const std::string text = "a.load(memory_order_relaxed) + b.load(memory_order_relaxed);";
  // gcc: the parenthesis; clang: the name.
  for (const unsigned column : {38U, 34U})
    EXPECT_EQ(edited(text, {change(1, column, SiteOperation::load, relaxed, acquire)}),
              "a.load(memory_order_relaxed) + b.load(memory_order_acquire);");
  EXPECT_EQ(edited(text, {change(1, 7, SiteOperation::load, relaxed, acquire)}),
            "a.load(memory_order_acquire) + b.load(memory_order_relaxed);");
  EXPECT_EQ(edited(text, {change(1, 1, SiteOperation::load, relaxed, acquire)}), "!the line has several such calls");
}

TEST(SourceEdit, CommentsStringsAndOtherLinesAreNoCalls) {
  EXPECT_EQ(edited("f(\"x.load(\", 'a', R\"(b.load(\")\"); /* y.load() */ z.load(memory_order_relaxed); // w.load()",
                   SiteOperation::load, relaxed, acquire),
            "f(\"x.load(\", 'a', R\"(b.load(\")\"); /* y.load() */ z.load(memory_order_acquire); // w.load()");
  EXPECT_EQ(edited("#define A x.load(memory_order_relaxed)\nx\n .store(1,\n   memory_order_relaxed);\n",
                   {change(3, any_column, SiteOperation::store, relaxed, release)}),
            "#define A x.load(memory_order_relaxed)\nx\n .store(1,\n   memory_order_release);\n");
}

TEST(SourceEdit, SaysWhyAnOrderCannotBeChanged) {
  EXPECT_NE(edited("++x;", SiteOperation::read_modify_write, seq_cst, relaxed).find("no argument here names"),
            std::string::npos);
  EXPECT_EQ(edited("x.load(order);", SiteOperation::load, seq_cst, relaxed), "!the source computes the order: order");
  EXPECT_EQ(edited("x.load(std::memory_order_acquire);", SiteOperation::load, seq_cst, relaxed),
            "!the source says acquire, but the program uses seq_cst: compile it again");
}

TEST(SourceEdit, AConstantOfTheFileIsEditedLikeTheOrderThatItStandsFor) {
  const std::string text = "constexpr auto order = std::memory_order_acquire;\nvoid f() { x.load(order); }\n";
  EXPECT_EQ(edited(text, {change(2, any_column, SiteOperation::load, acquire, seq_cst)}),
            "constexpr auto order = std::memory_order_acquire;\nvoid f() { x.load(std::memory_order_seq_cst); }\n");
}

TEST(SourceEdit, RemovesAFenceWithItsLine) {
  const auto none = [](unsigned line) { return change(line, any_column, SiteOperation::fence, seq_cst, plain); };
  EXPECT_EQ(edited("{\n  a();\n  std::atomic_thread_fence(std::memory_order_seq_cst);  // why\n  b();\n}\n", {none(3)}),
            "{\n  a();\n  b();\n}\n");
  EXPECT_EQ(edited("{ a(); atomic_thread_fence(memory_order_seq_cst); b(); }", {none(1)}), "{ a();  b(); }");
  EXPECT_EQ(edited("if (a) atomic_thread_fence(memory_order_seq_cst);\nb();", {none(1)}),
            "if (a) atomic_thread_fence(memory_order_relaxed);\nb();");
}

TEST(SourceEdit, AddsFencesAroundWholeStatements) {
  const std::string text = "void f() {\n  x.store(1, std::memory_order_relaxed);\n  if (y.load()) return;\n}\n";
  EXPECT_EQ(
      edited(text, {change(2, any_column, SiteOperation::fence_after, plain, seq_cst)}),
      "void f() {\n  x.store(1, std::memory_order_relaxed);\n  std::atomic_thread_fence(std::memory_order_seq_cst);\n"
      "  if (y.load()) return;\n}\n");
  EXPECT_EQ(edited(text, {change(2, any_column, SiteOperation::fence_before, plain, release)}),
            "void f() {\n  std::atomic_thread_fence(std::memory_order_release);\n"
            "  x.store(1, std::memory_order_relaxed);\n  if (y.load()) return;\n}\n");
  EXPECT_EQ(edited(text, {change(3, any_column, SiteOperation::fence_before, plain, seq_cst)}),
            "!the operation is a part of a longer statement");
}

TEST(SourceDiff, HasContextAndCountsLines) {
  std::string text;
  for (int i = 1; i <= 30; ++i) text += std::to_string(i) + "\n";
  const auto at = [&](const std::string& what) { return text.find(what); };
  const EditedFile file{
      "/home/me/a.cpp",
      text,
      {{{at("5\n"), at("5\n")}, "new\n"}, {{at("8\n"), at("9\n")}, ""}, {{at("25\n"), at("25\n") + 2}, "changed"}}};
  EXPECT_EQ(unified_diff(file, "/home/me"),
            "--- a/a.cpp\n+++ b/a.cpp\n@@ -2,10 +2,10 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n-8\n 9\n 10\n 11\n"
            "@@ -22,7 +22,7 @@\n 22\n 23\n 24\n-25\n+changed\n 26\n 27\n 28\n");
}

TEST(SourceDiff, AFileMayEndWithoutALineEnd) {
  const EditedFile file{"a.cpp", "x", {{{0, 1}, "y"}}};
  EXPECT_EQ(unified_diff(file, ""),
            "--- a/a.cpp\n+++ b/a.cpp\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of "
            "file\n");
}

}  // namespace heddle::orders
