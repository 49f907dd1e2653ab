// The corpus of litmus tests with the exact final states of each, as tests use it.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "litmus/expectations.hpp"
#include "litmus/test.hpp"
#include "models/memory_model.hpp"

namespace heddle::litmus::testing {

/// Every test of the corpus, by name. Fails the running test if one cannot be read.
const std::map<std::string, Test>& corpus();
/// corpus/expected/NAME.jsonl
std::map<std::string, Expectation> expected(const std::string& name);

/// A model with the memory it lives in.
class OwnedModel {
 public:
  OwnedModel(const char* name, models::ReleaseSequence release_sequence);
  const models::MemoryModel& operator*() const { return *model_; }
  const models::MemoryModel* operator->() const { return model_; }

 private:
  alignas(std::max_align_t) std::array<std::byte, 256> memory_{};
  base::Arena arena_;
  const models::MemoryModel* model_;
};

struct Observation {
  std::set<NamedState> states;
  bool has_race = false;
  std::uint64_t graphs = 0;
  std::uint64_t runs = 0;
  std::uint64_t violations = 0;  ///< graphs that the model's own axioms reject
};

/// Enumerates a test; every graph is held against the axioms.
Observation enumerate_all(const Test& test, const models::MemoryModel& model);

/// In `a` and not in `b`.
std::vector<NamedState> difference(const std::set<NamedState>& a, const std::set<NamedState>& b);
std::string describe(const std::vector<NamedState>& states);

}  // namespace heddle::litmus::testing
