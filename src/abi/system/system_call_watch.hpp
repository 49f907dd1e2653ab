// Detects whether an execution made a system call. One that made none has printed nothing, opened no file and read
// nothing, so that the runtime need not look for output and open files. Looking would take system calls, which often
// cost more than the execution. The kernel reports the first system call of an execution as a signal (syscall user
// dispatch), however it is made, and the handler then repeats the call.
#pragma once

namespace heddle::abi {

/// Call before an execution in this process. Not every execution is watched: the signal takes microseconds, so after a
/// system call some executions are assumed to make one too.
void begin_system_call_watch();
/// Call after the execution, when streams have been flushed. Returns false only if it made no system call.
bool end_system_call_watch();

}  // namespace heddle::abi
