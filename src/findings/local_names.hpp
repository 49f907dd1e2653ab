// Names of local variables, from the place of their memory in the frame of a function.
//
// Debug information describes the memory of a variable relative to the frame base of its function. That is the
// canonical frame address (gcc), the frame pointer (clang without optimisation) or the stack pointer (clang otherwise).
// The runtime cannot know which, so it tells the distance from the first and from the last.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "channel/frame_place.hpp"
#include "findings/dwarf_types.hpp"

namespace heddle::findings {

class LocalNames {
 public:
  struct Local {
    std::string name;
    NamedPart part;
  };

  /// If the file has no debug information, find() finds nothing.
  explicit LocalNames(const std::string& path);
  ~LocalNames();
  LocalNames(LocalNames&&) noexcept;
  LocalNames& operator=(LocalNames&&) = delete;

  /// The variable at this place. `pc` is an address of the file in the function.
  std::optional<Local> find(std::uint64_t pc, const channel::FramePlace& place);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace heddle::findings
