#include "orders/order_table.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "findings/edited_place.hpp"

namespace heddle::orders {
namespace {

using channel::SiteOperation;
using graph::MemoryOrder;

TEST(OrderTable, EntriesNameFileLineColumnOperationAndOrder) {
  const auto changes = parse_orders("ring.hpp:50=release,/a/b.c:7:12/cas-failure=acquire,f.c:9/fence=none");
  ASSERT_TRUE(changes) << changes.problem().text;
  ASSERT_EQ(changes->size(), 3U);
  EXPECT_EQ((*changes)[0].file, "ring.hpp");
  EXPECT_EQ((*changes)[0].line, 50U);
  EXPECT_EQ((*changes)[0].column, 0U);
  EXPECT_FALSE((*changes)[0].operation);
  EXPECT_EQ((*changes)[0].order, MemoryOrder::release);
  EXPECT_EQ((*changes)[1].file, "/a/b.c");
  EXPECT_EQ((*changes)[1].line, 7U);
  EXPECT_EQ((*changes)[1].column, 12U);
  EXPECT_EQ((*changes)[1].operation, SiteOperation::failed_exchange);
  EXPECT_EQ((*changes)[2].operation, SiteOperation::fence);
  EXPECT_EQ((*changes)[2].order, MemoryOrder::plain);
}

TEST(OrderTable, TextIsReadAsItIsWritten) {
  const std::string text = "/a/b.c:7:12/store=release,c.c:1/before=seq_cst,c.c:2=acq_rel";
  const auto changes = parse_orders(text);
  ASSERT_TRUE(changes);
  EXPECT_EQ(text_of(*changes), text);
}

TEST(OrderTable, MistakesAreWrongUsage) {
  for (const char* text : {"ring.hpp:50", "ring.hpp:50=strong", "ring.hpp=release", ":50=release", "a.c:1/jump=release",
                           "a.c:1/load=release", "a.c:1/store=acquire", "a.c:0=release", "a.c:1/store=none"}) {
    const auto changes = parse_orders(text);
    ASSERT_FALSE(changes) << text;
    EXPECT_EQ(changes.problem().exit_code, ExitCode::wrong_usage) << text;
  }
}

TEST(EditedPlace, FunctionsThatPassOneOperationOnAreWrappers) {
  using findings::is_atomic_wrapper;
  for (const char* name :
       {"std::atomic<int>::store(int, std::memory_order)",
        "std::__atomic_base<unsigned long>::fetch_add(unsigned long)",
        "bool std::atomic<Node*>::compare_exchange_weak(Node*&, Node*, std::memory_order)", "vatomic32_write_rel",
        "atomic_load_acquire", "load_acquire", "QBasicAtomicInteger<int>::loadAcquire() const", "ck_pr_store_ptr",
        "std::atomic<int>::operator++(int)", "std::atomic_flag::test_and_set(std::memory_order)", "g_atomic_int_add",
        "arch_atomic64_fetch_sub_relaxed", "AO_load_acquire", "smp_store_release", "atomic_compare_exchange_weak",
        "uatomic_xchg", "atomic_dec_and_test"})
    EXPECT_TRUE(is_atomic_wrapper(name)) << name;
  for (const char* name :
       {"spin_unlock", "Queue<int>::push(int)", "atomic_queue::AtomicQueue<unsigned>::push(unsigned)", "main", "store",
        "read_table", "lock_release", "AtomicQueue::try_push", "work(std::atomic<int>&)",
        "(anonymous namespace)::Ring::put(long)", "atomic_add_node", "atomic_list_insert_add", "store_release_slot",
        "atomic_write_record(Log*)", "read_acquire_and_print"})
    EXPECT_FALSE(is_atomic_wrapper(name)) << name;
}

/// A frame at the first line of a function with this source.
findings::Frame frame_of(const std::string& function, const std::string& source) {
  static int number = 0;
  const std::string path = ::testing::TempDir() + "heddle_wrapper_" + std::to_string(++number) + ".c";
  std::ofstream(path) << source;
  findings::Frame frame;
  frame.function = function;
  frame.file = path;
  frame.line = frame.function_line = 1;
  return frame;
}

TEST(EditedPlace, TheBodyOfAWrapperIsTheOperation) {
  using findings::is_atomic_wrapper;
  EXPECT_TRUE(is_atomic_wrapper(frame_of("atomic_set",
                                         "void atomic_set(atomic_t* a, int v)\n{\n  // for all\n"
                                         "  __atomic_store_n(&a->v, v, __ATOMIC_RELEASE);\n}\n")));
  EXPECT_TRUE(is_atomic_wrapper(frame_of("atomic_cas",
                                         "int atomic_cas(int* a, int e, int v) {\n  int exp = e;\n"
                                         "  __atomic_compare_exchange_n(a, &exp, v, 0, 5, 5);\n"
                                         "  return exp;\n}\n")));
  EXPECT_TRUE(is_atomic_wrapper(frame_of("atomic_get", "int atomic_get(int*);\n")));
  EXPECT_FALSE(is_atomic_wrapper(frame_of("atomic_add",
                                          "void atomic_add(struct list* l, struct node* n) {\n"
                                          "  n->next = l->first;\n"
                                          "  atomic_store_explicit(&l->first, n, memory_order_relaxed);\n"
                                          "}\n")));
  EXPECT_FALSE(is_atomic_wrapper(frame_of("atomic_inc",
                                          "int atomic_inc(atomic_int* a) {\n  int old = *a;\n"
                                          "  while (!cas(a, &old, old + 1)) {}\n  return old;\n}\n")));
}

TEST(EditedPlace, TheCallerOfWrappersIsEdited) {
  const auto frame = [](const char* function, const char* file, unsigned line) {
    findings::Frame made;
    made.function = function;
    made.file = file;
    made.line = line;
    return made;
  };
  const std::vector<findings::Frame> stack = {frame("vatomic_write_rel", "/x/atomic.h", 10),
                                              frame("queue_put", "/x/queue.h", 20), frame("main", "/x/main.c", 30)};
  const auto edited = findings::edited_frame(stack);
  ASSERT_NE(edited.frame, nullptr);
  EXPECT_EQ(edited.frame->line, 20U);
  ASSERT_NE(edited.wrapper, nullptr);
  EXPECT_EQ(edited.wrapper->function, "vatomic_write_rel");
}

}  // namespace
}  // namespace heddle::orders
