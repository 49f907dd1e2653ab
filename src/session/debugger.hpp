// heddle replay --gdb. The driver replays the execution first, to know its events, and starts gdb with gdb/heddle.py,
// which has the commands of heddle. gdb starts the program by `heddle debug-start`, which gives it a new channel each
// time, so that the execution can be run again, up to any step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "campaign/workers/channel_memory.hpp"
#include "findings/finding.hpp"
#include "session/replay.hpp"

namespace heddle::session {

/// gdb at the step of a finding.
struct Debug {
  std::string trace;
  const campaign::Subject& subject;
  const Replayed& replayed;
  const findings::Finding* finding;  ///< null: the replay did not show it
  std::string heddle;                ///< the command that gdb starts
  std::string gdb_script;            ///< gdb/heddle.py
};

struct DebuggerCommand {
  std::vector<std::string> words;
  /// Of the environment variable HEDDLE_GDB_SESSION: what the script reads. It removes the folder of the file.
  std::string session_file;
};

Result<DebuggerCommand> prepare(const Debug& task);

/// A channel that makes the program repeat the execution of the trace, and stop at the step. While it lives, this
/// process can become the program: it inherits the channel, which the environment names.
Result<campaign::ChannelMemory> open_debug_channel(const std::string& trace, const std::string& program,
                                                   std::uint64_t step);

}  // namespace heddle::session
