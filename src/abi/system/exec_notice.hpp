// How a process that the program has forked tells its parent that it runs another program. The child may close all its
// descriptors first, as daemons and libraries that start programs do, so the notice is in memory that both share.
#pragma once

#include <sys/types.h>

namespace heddle::abi {

/// Before main: maps the memory of the notice.
void prepare_exec_notice();
/// In the parent, before it forks.
void clear_exec_notice();

/// In the child: it is about to run another program.
void announce_exec();
/// In the child: the system has refused to run the other program.
void withdraw_exec();

/// In the parent: waits until the child runs another program, or has ended. `from_child` is the end of a pipe whose
/// other end exec closes. Returns false if the child has not tried to run another program, and continues or has ended.
bool runs_another_program(pid_t child, int from_child);

}  // namespace heddle::abi
