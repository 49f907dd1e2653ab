// The results of heddle predict: everything that its reports show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "findings/finding.hpp"
#include "findings/results.hpp"
#include "prediction/access_labels.hpp"
#include "prediction/remedies.hpp"
#include "strategies/cycle.hpp"

namespace heddle::prediction {

/// What the trials of one cycle under one model showed.
struct CycleTrials {
  bool is_directed = false;     ///< false: the model orders the accesses of the cycle, so there were no trials
  std::uint64_t trials = 0;     ///< that were run
  std::uint64_t confirmed = 0;  ///< trials in which an execution had the cycle
  std::uint64_t buggy = 0;      ///< trials in which an execution had the cycle and a bug
  std::uint64_t executions = 0;
  std::uint64_t with_cycle = 0;     ///< executions
  std::uint64_t bug = 0;            ///< the key of a bug; 0: none
  std::uint64_t bug_execution = 0;  ///< that showed it
  std::string bug_text;             ///< one line on that bug
  std::string trace;                ///< path; empty: none

  double probability() const { return trials == 0 ? 0 : static_cast<double>(confirmed) / static_cast<double>(trials); }
};

struct PredictedCycle {
  strategies::Cycle cycle;
  std::vector<CycleTrials> trials;  ///< by model
  std::vector<Remedy> remedies;     ///< for the models that have shown it; empty: none has
};

struct ModelSummary {
  std::string model;
  std::uint64_t directed = 0;  ///< cycles
  std::uint64_t confirmed = 0;
  std::uint64_t buggy = 0;
  std::uint64_t trials = 0;
  std::uint64_t executions = 0;
  double probability = 0;  ///< mean over the confirmed cycles; 0 if there are none
  double seconds = 0;
};

struct Results {
  std::vector<Label> labels;
  std::vector<PredictedCycle> cycles;
  std::vector<ModelSummary> models;
  std::uint64_t sc_executions = 0;
  std::vector<findings::Finding> sc_findings;  ///< bugs that sc shows, too
  std::vector<std::string> notes;              ///< sentences: what limits the results
  double seconds = 0;
  bool interrupted = false;

  bool has_buggy_cycle() const {
    for (const ModelSummary& model : models)
      if (model.buggy != 0) return true;
    return false;
  }
};

}  // namespace heddle::prediction
