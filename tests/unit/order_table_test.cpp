#include "orders/order_table.hpp"

#include <gtest/gtest.h>

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
        "std::atomic<int>::operator++(int)", "std::atomic_flag::test_and_set(std::memory_order)"})
    EXPECT_TRUE(is_atomic_wrapper(name)) << name;
  for (const char* name :
       {"spin_unlock", "Queue<int>::push(int)", "atomic_queue::AtomicQueue<unsigned>::push(unsigned)", "main", "store",
        "read_table", "lock_release", "AtomicQueue::try_push", "work(std::atomic<int>&)",
        "(anonymous namespace)::Ring::put(long)"})
    EXPECT_FALSE(is_atomic_wrapper(name)) << name;
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
