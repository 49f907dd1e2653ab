// The memory accesses of a compiled litmus thread, read from the compiler's assembly (x86-64, AT&T syntax).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::stress {

enum class InstructionKind : std::uint8_t {
  load,
  store,
  exchange,  ///< xchg with memory, which is always locked
  locked,    ///< a read-modify-write with a lock prefix
  unlocked,  ///< a read-modify-write without one: a load and a store
  fence      ///< mfence, or a locked instruction on the stack
};

struct MachineAccess {
  InstructionKind kind = InstructionKind::load;
  std::uint32_t location = 0;  ///< of the litmus test; not for fences
  std::string text;            ///< the instruction

  bool is_barrier() const {
    return kind == InstructionKind::exchange || kind == InstructionKind::locked || kind == InstructionKind::fence;
  }
};

struct CompiledThread {
  std::vector<std::string> listing;  ///< instructions and labels, without directives
  std::vector<MachineAccess> accesses;
  std::string not_understood;  ///< not empty: why the accesses are not all known
};

/// The lines of each function, by name.
std::map<std::string, std::vector<std::string>> functions_in(const std::string& assembly);

/// Follows the addresses of the locations from the parameters through registers and stack slots. `parameters` are the
/// locations behind the first parameter. Code is read from top to bottom: a loop is read once.
CompiledThread read_thread(const std::vector<std::string>& lines, const std::vector<std::uint32_t>& parameters);

}  // namespace heddle::stress
