// All consistent graphs of a program, found without the incremental code: every assignment of reads-from and
// modification order to its events (and, for c11, every order of the seq_cst events) is written into a graph and
// put before MemoryModel::check, which knows only the axioms.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "models/memory_model.hpp"
#include "random_program.hpp"

namespace heddle::testing {

struct BruteForceResult {
  std::set<std::uint64_t> graphs;  ///< canonical hashes
  std::uint64_t candidates = 0;
};

/// How many assignments there are, seq_cst orders left out.
double count_candidates(const Program& program);

/// `orders_seq_cst`: the model takes the execution order of seq_cst events as a relation (c11).
BruteForceResult brute_force(const Program& program, const models::MemoryModel& model, bool orders_seq_cst);

}  // namespace heddle::testing
