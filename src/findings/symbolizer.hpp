// Finds the functions, lines and variables of a finding's addresses, with elfutils.
#pragma once

#include <memory>

#include "findings/finding.hpp"

namespace heddle::findings {

class Symbolizer {
 public:
  Symbolizer();
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  /// Fills in the frames of all stacks and the symbols of all data addresses, from the finding's modules, unless the
  /// finding has its names already.
  void symbolize(Finding& finding);
  /// Fills in the frames of the stack, or the variable at the address.
  void symbolize(Stack& stack, const ModuleMap& modules);
  void symbolize(DataAddress& address, const ModuleMap& modules);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace heddle::findings
