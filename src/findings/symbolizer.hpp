// Addresses of a finding to functions, lines and variables, by elfutils.
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

  /// Fills the frames of every stack and the symbols of every data address, with the finding's own modules.
  void symbolize(Finding& finding);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace heddle::findings
