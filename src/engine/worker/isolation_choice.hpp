// How executions are kept apart: in one process whose memory is reset, or in a child process each. `auto` tries: it
// runs one seed twice under reset, and uses fork if the second execution differs from the first.
#pragma once

#include <cstdint>

#include "channel/channel.hpp"
#include "engine/engine.hpp"
#include "engine/worker/method.hpp"

namespace heddle::engine {

class IsolationChoice {
 public:
  IsolationChoice(channel::Channel& channel, Engine& engine, WorkerArenas& arenas, ProgramProcess& process,
                  Ledger& ledger, Methods& methods)
      : channel_(channel), engine_(engine), arenas_(arenas), process_(process), ledger_(ledger), methods_(methods) {}

  /// The isolation that the request asks for; if it is automatic, by this execution of the current method.
  channel::Isolation choose(std::uint64_t number);
  /// The executions of a search share one process. Code that heddle does not see may keep state there that heddle does
  /// not reset. Ends the worker if a second execution shows that.
  void require_shared_process(std::uint64_t number);

 private:
  /// Whether a second execution in one process does what the first one did.
  enum class Again : std::uint8_t { same, differs, not_known };

  Again compare_in_child(std::uint64_t number);
  void compare_two_executions(std::uint64_t number);
  /// Writes the reason for the user.
  void explain(const char* format, ...) __attribute__((format(printf, 2, 3)));

  channel::Channel& channel_;
  Engine& engine_;
  WorkerArenas& arenas_;
  ProgramProcess& process_;
  Ledger& ledger_;
  Methods& methods_;
};

}  // namespace heddle::engine
