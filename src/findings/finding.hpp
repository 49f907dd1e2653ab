// A finding as the driver knows it: what the worker wrote (the JSON in channel/channel.hpp), what the campaign
// adds to it, and what symbolisation makes of its addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "findings/modules.hpp"

namespace heddle::findings {

struct Frame {
  std::string function;  ///< demangled; empty: unknown
  std::string file;      ///< absolute where the debug information allows it; empty: unknown
  unsigned line = 0;
  unsigned column = 0;
  std::string module;        ///< the file's name without its folder; empty: in no module
  std::uint64_t offset = 0;  ///< in the module, so that it does not depend on where that was loaded
  bool inlined = false;      ///< into the next frame
};

struct Stack {
  std::vector<std::uint64_t> pcs;  ///< innermost first
  std::vector<Frame> frames;       ///< of `pcs`, with inlined functions, less what is not the program's
};

/// An address in the program's data, with its global variable if it lies in one.
struct DataAddress {
  std::uint64_t value = 0;
  std::string symbol;  ///< demangled; empty: none
  std::uint64_t offset = 0;
};

struct Access {
  std::string what;  ///< read, write, ...
  std::uint64_t size = 0;
  std::string order;  ///< plain, relaxed, ...
  std::string thread;
  DataAddress address;
  Stack stack;
};

struct MemoryObject {
  DataAddress address;
  std::string place;  ///< heap, stack, global
  std::optional<std::uint64_t> block;
  std::uint64_t block_size = 0;
  std::string thread;  ///< that allocated it
  Stack stack;         ///< where
};

struct ThreadState {
  std::string thread;
  std::string state;
  std::optional<DataAddress> object;
  std::string held_by;
  Stack stack;
};

struct Finding {
  std::string kind;
  std::string message;
  std::string thread;
  Stack stack;
  std::vector<Access> accesses;
  std::optional<MemoryObject> object;
  std::vector<ThreadState> threads;
  std::vector<std::string> cycle;
  std::uint64_t events = 0;

  std::uint64_t key = 0;
  std::uint64_t execution = 0;  ///< the first one that showed it
  std::uint64_t count = 0;      ///< executions that showed it
  std::string strategy;         ///< what that one used, as --strategy takes it; empty: what was asked for
  std::string output;           ///< what the program had printed
  std::string decisions;        ///< bytes, for the trace
  bool recorded = true;         ///< false: `decisions` is not known
  std::string trace;            ///< path of the trace, once written

  std::shared_ptr<const ModuleMap> modules;  ///< of the process that showed it
};

/// Nothing if `json` is not a finding.
std::optional<Finding> parse_finding(std::string_view json);

/// A limit that was reached is not a bug of the program, and neither is its output.
bool is_bug(const Finding& finding);

/// What the driver itself says of an execution that its worker did not survive. The key depends on `kind` and
/// `cause` alone, so that the same death in another execution counts as the same bug.
Finding make_driver_finding(std::string kind, std::string_view cause, std::string message, std::uint64_t execution);

}  // namespace heddle::findings
