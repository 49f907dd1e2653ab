// The incremental path neither adds nor loses executions: on random programs the plain enumerator, which goes
// through readable_writes, mo_slots and commit, gives exactly the graphs that the axioms alone allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <set>
#include <string>

#include "brute_force.hpp"
#include "litmus/enumerator.hpp"
#include "litmus/parser.hpp"

namespace heddle::testing {

namespace {

struct Campaign {
  Program (*draw)(base::Random&, const Shape&);
  const char* model;
  models::ModelOptions options;
  std::uint64_t seed;
  std::uint32_t programs;
  Shape shape;
  double most_candidates;
};

void PrintTo(const Campaign& campaign, std::ostream* out) { *out << campaign.model << ", seed " << campaign.seed; }

/// HEDDLE_TEST_SCALE=20 tries twenty times as many programs: for a night, not for every build.
std::uint32_t scale() {
  const char* text = std::getenv("HEDDLE_TEST_SCALE");
  return text == nullptr ? 1 : static_cast<std::uint32_t>(std::max(1, std::atoi(text)));
}

class EnumeratorAgainstAxioms : public ::testing::TestWithParam<Campaign> {};

}  // namespace

TEST_P(EnumeratorAgainstAxioms, FindsExactlyTheConsistentGraphs) {
  const Campaign& campaign = GetParam();
  std::array<std::byte, 256> memory{};
  base::Arena arena(memory);
  const models::MemoryModel& model = *models::make_model(campaign.model, campaign.options, arena);
  const bool orders_seq_cst = std::string(campaign.model) == "c11";
  base::Random random(campaign.seed);
  std::uint64_t candidates = 0, graphs = 0;
  const std::uint32_t programs = campaign.programs * scale();
  for (std::uint32_t tried = 0; tried < programs;) {
    const Program program = campaign.draw(random, campaign.shape);
    if (count_candidates(program) > campaign.most_candidates) continue;
    ++tried;
    const auto test = litmus::parse_test(program.text(), "random");
    ASSERT_TRUE(test) << test.problem().text << "\n" << program.text();
    std::set<std::uint64_t> found;
    litmus::enumerate(*test, model, [&](const litmus::Interpreter& run) { found.insert(run.graph().kept_hash()); });
    const BruteForceResult expected = brute_force(program, model, orders_seq_cst);
    ASSERT_EQ(found.size(), expected.graphs.size()) << program.text();
    ASSERT_EQ(found, expected.graphs) << program.text();
    candidates += expected.candidates;
    graphs += found.size();
  }
  std::printf("%s: %u programs, %llu candidates, %llu consistent graphs\n", campaign.model, programs,
              static_cast<unsigned long long>(candidates), static_cast<unsigned long long>(graphs));
}

constexpr Shape mixed{4, 10, 3, 40, 15};
constexpr Shape mostly_seq_cst{4, 10, 2, 75, 15};
constexpr Shape mostly_weak{4, 12, 3, 10, 15};
constexpr Shape fences{4, 12, 3, 60, 40};
constexpr Shape with_plain{4, 12, 3, 20, 40, 20};
constexpr Shape for_c11{4, 8, 3, 30, 15};
constexpr models::ModelOptions cpp20{};
constexpr models::ModelOptions c11{.release_sequence = models::ReleaseSequence::c11};
constexpr models::ModelOptions full_rmw{.rmw = models::RmwBarrier::full};

INSTANTIATE_TEST_SUITE_P(Models, EnumeratorAgainstAxioms,
                         ::testing::Values(Campaign{random_program, "rc11", cpp20, 1, 500, mixed, 10000},
                                           Campaign{random_program, "rc11", cpp20, 2, 500, mostly_seq_cst, 10000},
                                           Campaign{random_program, "rc11", cpp20, 3, 500, mostly_weak, 10000},
                                           Campaign{random_program, "rc11", cpp20, 4, 500, fences, 10000},
                                           Campaign{random_program, "rc11", c11, 5, 500, mixed, 10000},
                                           Campaign{random_program, "sc", cpp20, 6, 500, mixed, 10000},
                                           Campaign{random_program, "tso", cpp20, 18, 500, mixed, 10000},
                                           Campaign{random_program, "tso", cpp20, 19, 500, mostly_weak, 10000},
                                           Campaign{random_cycle, "tso", cpp20, 20, 2500, fences, 2000},
                                           Campaign{random_cycle, "tso", cpp20, 21, 2500, with_plain, 2000},
                                           Campaign{random_program, "pso", cpp20, 22, 500, mixed, 10000},
                                           Campaign{random_program, "pso", cpp20, 23, 500, mostly_weak, 10000},
                                           Campaign{random_cycle, "pso", cpp20, 24, 2500, fences, 2000},
                                           Campaign{random_cycle, "pso", cpp20, 25, 2500, with_plain, 2000},
                                           Campaign{random_program, "pslo", cpp20, 26, 500, mixed, 10000},
                                           Campaign{random_program, "pslo", cpp20, 27, 500, mostly_weak, 10000},
                                           Campaign{random_cycle, "pslo", cpp20, 28, 2500, fences, 2000},
                                           Campaign{random_cycle, "pslo", cpp20, 29, 500, with_plain, 2000},
                                           Campaign{random_program, "pso", full_rmw, 30, 500, mixed, 10000},
                                           Campaign{random_program, "pslo", full_rmw, 31, 500, mixed, 10000},
                                           Campaign{random_program, "pslo", full_rmw, 32, 500, mostly_weak, 10000},
                                           Campaign{random_program, "c11", cpp20, 7, 500, for_c11, 1000},
                                           Campaign{random_program, "c11", c11, 8, 500, for_c11, 1000},
                                           Campaign{random_cycle, "rc11", cpp20, 9, 2500, mixed, 2000},
                                           Campaign{random_cycle, "rc11", cpp20, 10, 2500, mostly_seq_cst, 2000},
                                           Campaign{random_cycle, "rc11", cpp20, 11, 2500, fences, 2000},
                                           Campaign{random_cycle, "rc11", c11, 12, 2000, mostly_weak, 2000},
                                           Campaign{random_cycle, "rc11", cpp20, 15, 3000, with_plain, 2000},
                                           Campaign{random_cycle, "rc11", c11, 16, 3000, with_plain, 2000},
                                           Campaign{random_cycle, "c11", cpp20, 13, 3000, for_c11, 200},
                                           Campaign{random_cycle, "c11", c11, 14, 3000, for_c11, 200},
                                           Campaign{random_cycle, "c11", c11, 17, 2000, with_plain, 200}),
                         [](const auto& campaign) {
                           return std::string(campaign.param.model) + "_seed_" + std::to_string(campaign.param.seed);
                         });

}  // namespace heddle::testing
