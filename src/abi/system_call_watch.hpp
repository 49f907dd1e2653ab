// Did the program ask anything of the kernel? An execution that made no system call printed nothing, opened no file and
// read nothing, and nobody has to look: looking takes system calls, which cost more than many an execution. The kernel
// itself tells (syscall user dispatch): the first call of an execution arrives here as a signal, and is then made as if
// nothing had happened. So no way of calling the kernel is overlooked, neither the C library's nor an instruction.
#pragma once

namespace heddle::abi {

/// Before an execution in this process. Whether it is really watched is decided by experience: the signal costs some
/// microseconds, and a program that makes system calls in every execution should not pay for it in each.
void begin_system_call_watch();
/// After it, with what it left in the streams flushed. False: it made no system call.
bool end_system_call_watch();

}  // namespace heddle::abi
