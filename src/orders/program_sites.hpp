// The places in a program's source that have atomic operations, and the machine code that each of them became: inlined,
// unrolled and instantiated code has several addresses for one place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "findings/explanation.hpp"
#include "orders/atomic_calls.hpp"

namespace heddle::orders {

/// An address in the code, and the place that a person edits to change the operation there.
struct AtomicSite {
  std::uint64_t module;   ///< hash of `path`
  std::uint64_t address;  ///< in the file: where the call returns to
  Operations operations;
  /// Line 0: there is no debug information; then `function` is the symbol that the code is in, if there is one.
  findings::SourcePlace place;
  std::string path;          ///< of the program or library
  std::string wrapper = {};  ///< a function of the user's that `place` calls, and that makes the access; empty: none
};

class ProgramSites {
 public:
  /// Of the program and of the instrumented libraries that it is linked with. Libraries that the program loads later
  /// have no sites.
  static ProgramSites read(const std::string& program);

  const std::vector<AtomicSite>& all() const { return sites_; }

 private:
  void add_module(const std::string& path);

  std::vector<AtomicSite> sites_;
};

}  // namespace heddle::orders
