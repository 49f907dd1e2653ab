// Files with the final states that a model allows, one JSON record a line:
//   {"name": ..., "file": ..., "model": ..., "undefined": false, "states": [{"0:r0": "1", "x": "2"}, ...]}
#pragma once

#include <map>
#include <set>
#include <string>

#include "litmus/position.hpp"

namespace heddle::litmus {

using NamedState = std::map<std::string, std::string>;

struct Expectation {
  bool undefined = false;    ///< some execution has a race: the states mean nothing
  bool judges_races = true;  ///< false: made for sc or a store-buffer model, whose records call nothing undefined
  std::set<NamedState> states;
};

/// By the name of the test.
Result<std::map<std::string, Expectation>> read_expectations(const std::string& file);

}  // namespace heddle::litmus
