// Each rule of the models by the smallest programs that show it. The corpus in tests/litmus covers the
// combinations; here stands why.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "litmus/enumerator.hpp"
#include "litmus/parser.hpp"

namespace heddle::models {

namespace {

const std::string rlx = "memory_order_relaxed", acq = "memory_order_acquire", rel = "memory_order_release",
                  acq_rel = "memory_order_acq_rel", sc = "memory_order_seq_cst";

std::string W(const std::string& x, int value, const std::string& order) {
  return "atomic_store_explicit(" + x + "," + std::to_string(value) + "," + order + "); ";
}
std::string R(const std::string& r, const std::string& x, const std::string& order) {
  return "int " + r + " = atomic_load_explicit(" + x + "," + order + "); ";
}
std::string Add(const std::string& r, const std::string& x, int value, const std::string& order) {
  return "int " + r + " = atomic_fetch_add_explicit(" + x + "," + std::to_string(value) + "," + order + "); ";
}
std::string F(const std::string& order) { return "atomic_thread_fence(" + order + "); "; }

struct Outcome {
  bool allowed = false;
  bool has_race = false;
  std::uint64_t graphs = 0;
};

/// Runs every execution of the threads under the model; `condition` is what `allowed` says of.
Outcome run(const std::string& model_name, const std::vector<std::string>& threads, const std::string& condition,
            const ModelOptions& options = {}) {
  std::string text = "C test\n{ x=0; y=0; z=0; u=0; }\n";
  for (std::size_t t = 0; t < threads.size(); ++t)
    text += "P" + std::to_string(t) + " (atomic_int* x, atomic_int* y, atomic_int* z, atomic_int* u) { " + threads[t] +
            "}\n";
  const auto test = litmus::parse_test(text + "exists (" + condition + ")\n", "test");
  EXPECT_TRUE(test) << test.problem().text;
  std::array<std::byte, 256> memory{};
  base::Arena arena(memory);
  const MemoryModel* model = make_model(model_name, options, arena);
  Outcome outcome;
  outcome.graphs = litmus::enumerate(*test, *model, [&](const litmus::Interpreter& execution) {
                     outcome.allowed |= test->proposition.holds(execution.final_state());
                     outcome.has_race |= execution.find_race().has_value();
                   }).graphs;
  return outcome;
}

bool allows(const std::string& model, const std::vector<std::string>& threads, const std::string& condition,
            const ModelOptions& options = {}) {
  return run(model, threads, condition, options).allowed;
}

}  // namespace

TEST(Coherence, ReadsNeverGoBackInModificationOrder) {  // CoRR
  EXPECT_FALSE(allows("rc11", {W("x", 1, rlx), R("r0", "x", rlx) + R("r1", "x", rlx)}, "1:r0=1 /\\ 1:r1=0"));
}

TEST(Coherence, AThreadReadsItsOwnStoreOrANewerOne) {  // CoWR
  EXPECT_FALSE(allows("rc11", {W("x", 1, rlx) + R("r0", "x", rlx), W("x", 2, rlx)}, "0:r0=0"));
  EXPECT_FALSE(allows("rc11", {W("x", 1, rlx) + R("r0", "x", rlx), W("x", 2, rlx)}, "0:r0=2 /\\ x=1"));
}

TEST(Coherence, AStoreGoesBehindWhatItsThreadRead) {  // CoRW
  EXPECT_FALSE(allows("rc11", {R("r0", "x", rlx) + W("x", 1, rlx), W("x", 2, rlx)}, "0:r0=2 /\\ x=2"));
}

TEST(Coherence, StoresOfAThreadKeepTheirOrder) {  // CoWW
  EXPECT_FALSE(allows("rc11", {W("x", 1, rlx) + W("x", 2, rlx)}, "x=1"));
}

TEST(Coherence, ReadersAgreeOnTheOrderOfTwoStores) {
  const std::string reader = R("r0", "x", rlx) + R("r1", "x", rlx);
  EXPECT_FALSE(
      allows("rc11", {W("x", 1, rlx), W("x", 2, rlx), reader, reader}, "2:r0=1 /\\ 2:r1=2 /\\ 3:r0=2 /\\ 3:r1=1"));
}

TEST(Coherence, AReadMayIgnoreAStoreThatItHasNotHeardOf) {
  EXPECT_TRUE(
      allows("rc11", {W("x", 1, rlx) + R("r0", "y", rlx), W("y", 1, rlx) + R("r0", "x", rlx)}, "0:r0=0 /\\ 1:r0=0"));
  EXPECT_FALSE(
      allows("sc", {W("x", 1, rlx) + R("r0", "y", rlx), W("y", 1, rlx) + R("r0", "x", rlx)}, "0:r0=0 /\\ 1:r0=0"));
}

TEST(Coherence, StoresMayTakeOlderPlacesInModificationOrder) {  // 2+2W
  EXPECT_TRUE(allows("rc11", {W("x", 1, rlx) + W("y", 2, rlx), W("y", 1, rlx) + W("x", 2, rlx)}, "x=1 /\\ y=1"));
}

TEST(NoThinAir, ValuesDoNotComeOutOfThinAir) {  // LB
  EXPECT_FALSE(
      allows("rc11", {R("r0", "x", rlx) + W("y", 1, rlx), R("r0", "y", rlx) + W("x", 1, rlx)}, "0:r0=1 /\\ 1:r0=1"));
}

TEST(Atomicity, TwoIncrementsNeverReadTheSameValue) {
  EXPECT_FALSE(allows("rc11", {Add("r0", "x", 1, rlx), Add("r0", "x", 1, rlx)}, "0:r0=0 /\\ 1:r0=0"));
}

TEST(Atomicity, NoStoreComesBetweenAnRmwAndWhatItRead) {
  // mo is 0, 1, 5 or 0, 5, 6: a final 1 would need 5 between 0 and 1.
  const std::vector<std::string> threads = {Add("r0", "x", 1, rlx), W("x", 5, rlx)};
  EXPECT_FALSE(allows("rc11", threads, "x=1"));
  EXPECT_TRUE(allows("rc11", threads, "0:r0=0 /\\ x=5"));
  EXPECT_TRUE(allows("rc11", threads, "0:r0=5 /\\ x=6"));
}

TEST(Atomicity, AFailedCompareExchangeIsOnlyARead) {
  const std::string attempt =
      "int e = 7; int r0 = atomic_compare_exchange_strong_explicit(x,&e,1," + rel + "," + rlx + "); ";
  EXPECT_FALSE(allows("rc11", {attempt}, "x=1"));
  EXPECT_TRUE(allows("rc11", {attempt}, "0:r0=0 /\\ 0:e=0"));
}

TEST(Atomicity, OnlyAWeakCompareExchangeFailsSpuriously) {
  const std::string arguments = "_explicit(x,&e,1," + rlx + "," + rlx + "); ";
  EXPECT_FALSE(allows("rc11", {"int e = 0; int r0 = atomic_compare_exchange_strong" + arguments}, "0:r0=0"));
  EXPECT_TRUE(allows("rc11", {"int e = 0; int r0 = atomic_compare_exchange_weak" + arguments}, "0:r0=0 /\\ 0:e=0"));
}

TEST(Synchronisation, AReleaseStoreIsSeenWithAllBeforeIt) {  // MP
  const std::string writer = W("x", 1, rlx);
  const std::string reader = R("r1", "x", rlx);
  const std::string stale = "1:r0=1 /\\ 1:r1=0";
  EXPECT_FALSE(allows("rc11", {writer + W("y", 1, rel), R("r0", "y", acq) + reader}, stale));
  EXPECT_TRUE(allows("rc11", {writer + W("y", 1, rlx), R("r0", "y", acq) + reader}, stale));
  EXPECT_TRUE(allows("rc11", {writer + W("y", 1, rel), R("r0", "y", rlx) + reader}, stale));
}

TEST(Synchronisation, FencesSynchroniseThroughRelaxedAccesses) {
  const std::string stale = "1:r0=1 /\\ 1:r1=0";
  EXPECT_FALSE(allows(
      "rc11", {W("x", 1, rlx) + F(rel) + W("y", 1, rlx), R("r0", "y", rlx) + F(acq) + R("r1", "x", rlx)}, stale));
  // The wrong way round: the fence comes too late, or too early.
  EXPECT_TRUE(allows("rc11", {W("x", 1, rlx) + W("y", 1, rlx) + F(rel), R("r0", "y", rlx) + F(acq) + R("r1", "x", rlx)},
                     stale));
  EXPECT_TRUE(allows("rc11", {W("x", 1, rlx) + F(rel) + W("y", 1, rlx), F(acq) + R("r0", "y", rlx) + R("r1", "x", rlx)},
                     stale));
}

TEST(Synchronisation, APlainReadDoesNotSynchroniseEvenWithAFence) {
  EXPECT_TRUE(allows("rc11", {W("x", 1, rlx) + W("y", 1, rel), "int r0 = *y; " + F(acq) + R("r1", "x", rlx)},
                     "1:r0=1 /\\ 1:r1=0"));
}

TEST(ReleaseSequence, AnRmwOfAnotherThreadContinuesIt) {
  EXPECT_FALSE(allows("rc11",
                      {W("x", 1, rlx) + W("y", 1, rel), Add("r0", "y", 1, rlx), R("r0", "y", acq) + R("r1", "x", rlx)},
                      "2:r0=2 /\\ 2:r1=0"));
}

TEST(ReleaseSequence, ALaterStoreOfTheSameThreadContinuesItOnlyUnderTheOldRule) {
  const std::vector<std::string> threads = {W("x", 1, rlx) + W("y", 1, rel) + W("y", 2, rlx),
                                            R("r0", "y", acq) + R("r1", "x", rlx)};
  EXPECT_TRUE(allows("rc11", threads, "1:r0=2 /\\ 1:r1=0"));
  EXPECT_FALSE(allows("rc11", threads, "1:r0=2 /\\ 1:r1=0", {ReleaseSequence::c11}));
}

TEST(ReleaseSequence, WhatAnRmwInheritedEndsAtTheNextStoreOfItsThread) {
  // The release store of P0 is continued by P1's rmw; P1's own store then ends P0's sequence, under either rule.
  const std::vector<std::string> threads = {W("x", 1, rlx) + W("y", 1, rel), Add("r0", "y", 1, rel) + W("y", 5, rlx),
                                            R("r0", "y", acq) + R("r1", "x", rlx)};
  const std::string stale = "1:r0=1 /\\ y=5 /\\ 2:r0=5 /\\ 2:r1=0";
  EXPECT_TRUE(allows("rc11", threads, stale, {ReleaseSequence::c11}));
  EXPECT_TRUE(allows("rc11", threads, stale, {ReleaseSequence::cpp20}));
}

TEST(SeqCst, StoreBufferingIsForbiddenByAccessesAndByFences) {
  const std::string both_stale = "0:r0=0 /\\ 1:r0=0";
  EXPECT_FALSE(allows("rc11", {W("x", 1, sc) + R("r0", "y", sc), W("y", 1, sc) + R("r0", "x", sc)}, both_stale));
  EXPECT_FALSE(allows("rc11", {W("x", 1, rlx) + F(sc) + R("r0", "y", rlx), W("y", 1, rlx) + F(sc) + R("r0", "x", rlx)},
                      both_stale));
  EXPECT_FALSE(allows("rc11", {W("x", 1, rlx) + F(sc) + R("r0", "y", rlx), W("y", 1, sc) + F(sc) + R("r0", "x", sc)},
                      both_stale));
  EXPECT_TRUE(allows("rc11", {W("x", 1, sc) + R("r0", "y", acq), W("y", 1, sc) + R("r0", "x", sc)}, both_stale));
}

TEST(SeqCst, ReadersOfIndependentWritesAgree) {  // IRIW
  const std::string disagree = "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0";
  const auto iriw = [](const std::string& write, const std::string& read) {
    return std::vector<std::string>{W("x", 1, write), W("y", 1, write), R("r0", "x", read) + R("r1", "y", read),
                                    R("r0", "y", read) + R("r1", "x", read)};
  };
  EXPECT_FALSE(allows("rc11", iriw(sc, sc), disagree));
  EXPECT_TRUE(allows("rc11", iriw(rel, acq), disagree));
  EXPECT_TRUE(allows("rc11", iriw(sc, acq), disagree));
}

TEST(SeqCst, FencesOrderReadersOfIndependentWrites) {
  EXPECT_FALSE(allows("rc11",
                      {W("x", 1, rlx), W("y", 1, rlx), R("r0", "x", rlx) + F(sc) + R("r1", "y", rlx),
                       R("r0", "y", rlx) + F(sc) + R("r1", "x", rlx)},
                      "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0"));
}

// scb has sb\loc;hb;sb\loc: hb between seq_cst accesses counts if it leaves and arrives at other locations.
// psc: Wx -(sb\loc;hb;sb\loc)-> Ry=0 -rb-> Wy -sb-> Rx=0 -rb-> Wx.
TEST(SeqCst, HappensBeforeThroughAnotherLocationOrders) {  // W+RWC
  EXPECT_FALSE(allows(
      "rc11", {W("x", 1, sc) + W("z", 1, rel), R("r0", "z", acq) + R("r1", "y", sc), W("y", 1, sc) + R("r0", "x", sc)},
      "1:r0=1 /\\ 1:r1=0 /\\ 2:r0=0"));
}

// The same with the message on x itself: the first step of the hb path is at Wx's own location, so Wx and Ry are
// not in psc. This is what RC11 weakened for the sake of Power (PLDI 2017, section 3.3).
TEST(SeqCst, HappensBeforeThatLeavesAtTheSameLocationDoesNotOrder) {
  EXPECT_TRUE(allows(
      "rc11", {W("x", 1, sc) + W("x", 2, rel), R("r0", "x", acq) + R("r1", "y", sc), W("y", 1, sc) + R("r0", "x", sc)},
      "1:r0=2 /\\ 1:r1=0 /\\ 2:r0=0"));
}

// And with the message arriving at the location of the second access.
TEST(SeqCst, HappensBeforeThatArrivesAtTheSameLocationDoesNotOrder) {
  EXPECT_TRUE(allows(
      "rc11", {W("x", 1, sc) + W("y", 1, rel), R("r0", "y", acq) + W("y", 2, sc), W("y", 3, sc) + R("r0", "x", sc)},
      "1:r0=1 /\\ y=3 /\\ 2:r0=0"));
}

// c11 takes the execution order of seq_cst events as the order, and a view spreads along it: u=1 before u=2 in
// mo puts x=1 before u=2 in SC, and the release fence passes that on. In rc11 the stale read of x is no psc cycle.
TEST(C11, ViewsSpreadAlongTheOrderOfSeqCstEvents) {
  const std::vector<std::string> threads = {W("x", 1, sc) + W("u", 1, sc), W("u", 2, sc) + F(rel) + W("z", 1, rlx),
                                            R("r0", "z", acq) + R("r1", "x", rlx)};
  EXPECT_FALSE(allows("c11", threads, "u=2 /\\ 2:r0=1 /\\ 2:r1=0"));
  EXPECT_TRUE(allows("rc11", threads, "u=2 /\\ 2:r0=1 /\\ 2:r1=0"));
}

TEST(C11, AContinuedReleaseSequenceCarriesTheViewOfItsHead) {
  // y=6 comes before u=1 in mo of u (through u=2), hence before the release of u=2, which z... continues.
  const std::vector<std::string> threads = {W("u", 2, sc) + W("z", 1, rel) + W("z", 2, rlx),
                                            W("y", 6, sc) + W("u", 1, sc), R("r0", "z", acq) + R("r1", "y", rlx)};
  const std::string stale = "u=2 /\\ 2:r0=2 /\\ 2:r1=0";
  EXPECT_FALSE(allows("c11", threads, stale, {ReleaseSequence::c11}));
  EXPECT_TRUE(allows("c11", threads, stale, {ReleaseSequence::cpp20}));
}

TEST(Tso, AStoreMayReachMemoryAfterALaterLoad) {  // SB
  const std::string both_stale = "0:r0=0 /\\ 1:r0=0";
  EXPECT_TRUE(allows("tso", {W("x", 1, rel) + R("r0", "y", acq), W("y", 1, rel) + R("r0", "x", acq)}, both_stale));
  EXPECT_TRUE(
      allows("tso", {W("x", 1, rlx) + F(acq_rel) + R("r0", "y", rlx), W("y", 1, rlx) + R("r0", "x", sc)}, both_stale));
}

TEST(Tso, SeqCstStoresAndFencesAndReadModifyWritesEmptyTheBuffer) {
  const std::string both_stale = "0:r0=0 /\\ 1:r0=0";
  const auto sb = [](const std::string& x, const std::string& y) {
    return std::vector<std::string>{x + R("r0", "y", rlx), y + R("r0", "x", rlx)};
  };
  EXPECT_FALSE(allows("tso", sb(W("x", 1, sc), W("y", 1, sc)), both_stale));
  EXPECT_FALSE(allows("tso", sb(W("x", 1, rlx) + F(sc), W("y", 1, rlx) + F(sc)), both_stale));
  EXPECT_TRUE(allows("tso", sb(W("x", 1, rlx) + F(sc), W("y", 1, rlx)), both_stale));
  EXPECT_FALSE(allows("tso", sb(W("x", 1, rlx) + Add("r1", "z", 1, rlx), Add("r1", "y", 1, rlx)), both_stale));
  const std::string fails =
      "int e = 7; int r1 = atomic_compare_exchange_strong_explicit(z,&e,1," + rlx + "," + rlx + "); ";
  EXPECT_FALSE(allows("tso", sb(W("x", 1, rlx) + fails, W("y", 1, rlx) + fails), both_stale));
}

TEST(Tso, AThreadReadsItsOwnStoreBeforeOthersDo) {  // SB with own reads: n6 of the x86-TSO paper
  EXPECT_TRUE(allows(
      "tso",
      {W("x", 1, rlx) + R("r0", "x", rlx) + R("r1", "y", rlx), W("y", 1, rlx) + R("r0", "y", rlx) + R("r1", "x", rlx)},
      "0:r0=1 /\\ 0:r1=0 /\\ 1:r0=1 /\\ 1:r1=0"));
}

TEST(Tso, StoresReachMemoryInOrderAndLoadsAreInOrder) {
  EXPECT_FALSE(allows("tso", {W("x", 1, rlx) + W("y", 1, rlx), R("r0", "y", rlx) + R("r1", "x", rlx)},
                      "1:r0=1 /\\ 1:r1=0"));  // MP
  EXPECT_FALSE(allows("tso", {W("x", 1, rlx) + W("y", 2, rlx), W("y", 1, rlx) + W("x", 2, rlx)}, "x=1 /\\ y=1"));
  EXPECT_FALSE(allows(
      "tso",
      {W("x", 1, rlx), W("y", 1, rlx), R("r0", "x", rlx) + R("r1", "y", rlx), R("r0", "y", rlx) + R("r1", "x", rlx)},
      "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0"));  // IRIW
}

TEST(Pso, StoresToDifferentLocationsReachMemoryInAnyOrder) {
  const auto mp = [](const std::string& between) {
    return std::vector<std::string>{W("x", 1, rlx) + between + W("y", 1, rlx), R("r0", "y", acq) + R("r1", "x", rlx)};
  };
  const std::string stale = "1:r0=1 /\\ 1:r1=0";
  EXPECT_TRUE(allows("pso", mp(""), stale));
  EXPECT_TRUE(allows("pso", mp(Add("r0", "z", 1, acq)), stale)) << "an update of another location is no barrier";
  EXPECT_FALSE(allows("pso", mp(Add("r0", "x", 1, rlx)), "1:r0=1 /\\ 1:r1=0")) << "one of the same location is";
  EXPECT_FALSE(allows("pso", mp(F(rel)), stale));
  EXPECT_FALSE(allows("pso", mp(Add("r0", "z", 1, rel)), stale));
  EXPECT_FALSE(allows("pso", {W("x", 1, rlx) + W("y", 1, rel), R("r0", "y", rlx) + R("r1", "x", rlx)}, stale))
      << "loads are in order";
}

TEST(Pso, AReleaseFenceOrdersAStoreAndALaterLoadWhichMayReadAnEarlierValueUnderPslo) {
  const std::vector<std::string> sb{W("x", 1, rlx) + F(rel) + R("r0", "y", rlx),
                                    W("y", 1, rlx) + F(rel) + R("r0", "x", rlx)};
  EXPECT_TRUE(allows("tso", sb, "0:r0=0 /\\ 1:r0=0"));
  EXPECT_FALSE(allows("pso", sb, "0:r0=0 /\\ 1:r0=0"));
  EXPECT_TRUE(allows("pslo", sb, "0:r0=0 /\\ 1:r0=0"));
}

TEST(Pso, AFailedCompareExchangeIsTheBarrierThatItsSuccessWouldBe) {
  const auto sb = [](const std::string& order) {
    const std::string fails =
        "int e = 7; int r1 = atomic_compare_exchange_strong_explicit(z,&e,1," + order + "," + rlx + "); ";
    return std::vector<std::string>{W("x", 1, rlx) + fails + R("r0", "y", rlx),
                                    W("y", 1, rlx) + fails + R("r0", "x", rlx)};
  };
  EXPECT_TRUE(allows("pso", sb(acq), "0:r0=0 /\\ 1:r0=0"));
  EXPECT_FALSE(allows("pso", sb(rel), "0:r0=0 /\\ 1:r0=0"));
}

TEST(Pslo, LoadsReadWhatMemoryHeldBeforeUnlessAnAcquireForbidsIt) {
  const auto readers = [](const std::string& order) {
    return std::vector<std::string>{W("x", 1, rlx), W("y", 1, rlx), R("r0", "x", order) + R("r1", "y", rlx),
                                    R("r0", "y", order) + R("r1", "x", rlx)};
  };
  const std::string disagree = "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0";  // IRIW
  EXPECT_TRUE(allows("pslo", readers(rlx), disagree));
  EXPECT_FALSE(allows("pslo", readers(acq), disagree));
  EXPECT_FALSE(allows("pso", readers(rlx), disagree));
  EXPECT_FALSE(allows("pslo", {W("x", 1, rlx), R("r0", "x", rlx) + R("r1", "x", rlx)}, "1:r0=1 /\\ 1:r1=0"))
      << "coherence";
  EXPECT_FALSE(
      allows("pslo", {R("r0", "x", rlx) + W("y", 1, rlx), R("r0", "y", rlx) + W("x", 1, rlx)}, "0:r0=1 /\\ 1:r0=1"))
      << "LB";
}

TEST(FullRmw, EveryReadModifyWriteEmptiesAllBuffersAndForbidsOldValues) {
  const ModelOptions full{.rmw = RmwBarrier::full};
  const std::string add = Add("r2", "z", 1, rlx);
  const std::string fails =
      "int e = 7; int r2 = atomic_compare_exchange_strong_explicit(u,&e,1," + rlx + "," + rlx + "); ";
  for (const std::string& update : {add, fails}) {
    const std::vector<std::string> sb = {W("x", 1, rlx) + update + R("r0", "y", rlx),
                                         W("y", 1, rlx) + update + R("r0", "x", rlx)};
    const std::vector<std::string> mp = {W("x", 1, rlx) + update + W("y", 1, rlx),
                                         R("r0", "y", rlx) + update + R("r1", "x", rlx)};
    for (const char* model : {"pso", "pslo"}) {
      EXPECT_TRUE(allows(model, sb, "0:r0=0 /\\ 1:r0=0")) << model << ": " << update;
      EXPECT_TRUE(allows(model, mp, "1:r0=1 /\\ 1:r1=0")) << model << ": " << update;
    }
    for (const char* model : {"tso", "pso", "pslo"}) {
      EXPECT_FALSE(allows(model, sb, "0:r0=0 /\\ 1:r0=0", full)) << model << ": " << update;
      EXPECT_FALSE(allows(model, mp, "1:r0=1 /\\ 1:r1=0", full)) << model << ": " << update;
    }
    const std::vector<std::string> one_sided = {W("x", 1, rel) + W("y", 1, rel),
                                                R("r0", "y", rlx) + update + R("r1", "x", rlx)};
    EXPECT_TRUE(allows("pslo", one_sided, "1:r0=1 /\\ 1:r1=0")) << update;
    EXPECT_FALSE(allows("pslo", one_sided, "1:r0=1 /\\ 1:r1=0", full)) << update;
  }
}

TEST(FullRmw, LeavesLoadsStoresAndRacesAsTheyAre) {
  const ModelOptions full{.rmw = RmwBarrier::full};
  EXPECT_TRUE(allows("tso", {W("x", 1, rlx) + R("r0", "y", rlx), W("y", 1, rlx) + R("r0", "x", rlx)},
                     "0:r0=0 /\\ 1:r0=0", full));
  EXPECT_TRUE(allows("pso", {W("x", 1, rlx) + W("y", 1, rlx), R("r0", "y", rlx) + R("r1", "x", rlx)},
                     "1:r0=1 /\\ 1:r1=0", full));
  const std::string read_if_set = "int r1 = 9; if (r0 == 1) { r1 = *x; } ";
  EXPECT_TRUE(run("pso", {"*x = 1; " + Add("r0", "y", 1, rlx), R("r0", "y", acq) + read_if_set}, "true", full).has_race)
      << "a relaxed update releases nothing in C++";
}

TEST(Races, AreConflictsThatHappensBeforeLeavesOpen) {
  const std::string read_if_set = "int r1 = 9; if (r0 == 1) { r1 = *x; } ";
  EXPECT_FALSE(run("rc11", {"*x = 1; " + W("y", 1, rel), R("r0", "y", acq) + read_if_set}, "true").has_race);
  EXPECT_TRUE(run("rc11", {"*x = 1; " + W("y", 1, rlx), R("r0", "y", acq) + read_if_set}, "true").has_race);
  EXPECT_TRUE(run("rc11", {"*x = 1; ", R("r0", "x", sc)}, "true").has_race) << "plain against atomic";
  EXPECT_FALSE(run("rc11", {"int r0 = *x; ", "int r0 = *x; "}, "true").has_race) << "two reads";
  EXPECT_FALSE(run("rc11", {W("x", 1, rlx), W("x", 2, rlx)}, "true").has_race) << "two atomics";
}

TEST(Counting, NWritersOfOneLocationHaveNFactorialModificationOrders) {
  std::vector<std::string> threads;
  std::uint64_t factorial = 1;
  for (int n = 1; n <= 5; ++n) {
    threads.push_back(W("x", n, rlx));
    factorial *= static_cast<std::uint64_t>(n);
    for (const char* model : {"rc11", "c11", "sc", "tso", "pso", "pslo"})
      EXPECT_EQ(run(model, threads, "true").graphs, factorial) << model;
  }
}

TEST(Counting, NIncrementsHaveNFactorialOrders) {
  std::vector<std::string> threads;
  std::uint64_t factorial = 1;
  for (int n = 1; n <= 5; ++n) {
    threads.push_back(Add("r0", "x", 1, n % 2 == 0 ? sc : rlx));
    factorial *= static_cast<std::uint64_t>(n);
    for (const char* model : {"rc11", "c11", "sc", "tso", "pso", "pslo"})
      EXPECT_EQ(run(model, threads, "true").graphs, factorial) << model;
  }
}

TEST(Counting, NReadersOfOneOfTwoValuesHaveTwoToTheNGraphs) {
  std::vector<std::string> threads = {W("x", 1, sc)};
  std::uint64_t graphs = 1;
  for (int n = 1; n <= 6; ++n) {
    threads.push_back(R("r0", "x", sc));
    graphs *= 2;
    for (const char* model : {"rc11", "c11", "sc", "tso", "pso", "pslo"})
      EXPECT_EQ(run(model, threads, "true").graphs, graphs) << model;
  }
}

TEST(MakeModel, KnowsItsNamesOnly) {
  std::array<std::byte, 256> memory{};
  base::Arena arena(memory);
  for (const char* name : {"rc11", "c11", "sc", "tso", "pso", "pslo"}) {
    EXPECT_NE(make_model(name, {}, arena), nullptr);
    EXPECT_STREQ(find_model(name)->name, name);
  }
  EXPECT_EQ(make_model("x86", {}, arena), nullptr);
}

}  // namespace heddle::models
