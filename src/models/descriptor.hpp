// What a memory model tells about itself. Each model's source file defines one ModelDescriptor, and models/registry.cpp
// lists them. Nothing else compares the names of models.
#pragma once

#include <span>
#include <string_view>

#include "base/arena.hpp"
#include "run/specification.hpp"

namespace heddle::models {

class MemoryModel;
using run::ReleaseSequence;
using run::RmwBarrier;

struct ModelOptions {
  ReleaseSequence release_sequence = ReleaseSequence::cpp20;
  RmwBarrier rmw = RmwBarrier::by_order;
};
inline ModelOptions options_of(const run::RunSpecification& run) { return {run.release_sequence, run.rmw}; }

struct ModelDescriptor {
  const char* name;
  const char* title;  ///< for messages
  /// Creates the model in `arena`.
  const MemoryModel* (*make)(const ModelOptions& options, base::Arena& arena);
  /// The model of the language, in which data races are undefined. The others are models of machines.
  bool is_of_language = false;
  bool is_sequential = false;          ///< executions are interleavings
  bool has_store_buffers = false;      ///< stores may take effect after later loads of their thread
  bool reorders_stores = false;        ///< stores may take effect after later stores of their thread
  bool reorders_loads = false;         ///< loads may take effect after later loads of their thread
  bool has_release_sequences = false;  ///< it heeds ModelOptions::release_sequence
  bool has_rmw_barriers = false;       ///< it heeds ModelOptions::rmw
};

std::span<const ModelDescriptor* const> registered_models();
/// Null: there is no model with this name.
const ModelDescriptor* find_model(std::string_view name);
/// The descriptor of a model whose name was checked.
const ModelDescriptor& model_named(std::string_view name);
/// Creates the model with this name in `arena`. Null if there is none.
const MemoryModel* make_model(std::string_view name, const ModelOptions& options, base::Arena& arena);

}  // namespace heddle::models
