#include "abi/system/interrupted_call.hpp"

#include <sys/syscall.h>
#include <ucontext.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace heddle::abi {

#if defined(__x86_64__)

namespace {

constexpr std::uint8_t syscall_instruction[] = {0x0f, 0x05};
constexpr std::uint8_t move_to_eax = 0xb8;  // followed by the number, in four bytes
constexpr int length_of_move = 5;
constexpr std::uint32_t end_of_numbers = 1024;

bool is_syscall(const std::uint8_t* code) { return std::memcmp(code, syscall_instruction, 2) == 0; }

/// The number that the instructions before a system call load. In the C library's functions, at most a few moves of
/// arguments are in between. The page before may be inaccessible.
std::optional<long> number_loaded_before(const std::uint8_t* call) {
  constexpr int page_size = 4096;
  const int farthest = std::min(20, static_cast<int>(reinterpret_cast<std::uintptr_t>(call) % page_size));
  for (int distance = length_of_move; distance <= farthest; ++distance) {
    const std::uint8_t* const move = call - distance;
    if (*move != move_to_eax) continue;
    std::uint32_t number;
    std::memcpy(&number, move + 1, sizeof number);
    if (number < end_of_numbers) return number;
  }
  return std::nullopt;
}

}  // namespace

/// If the call is to be restarted after the handler, the kernel has set the thread back to the instruction, with the
/// number in rax. Otherwise the call has failed with EINTR.
std::optional<InterruptedCall> interrupted_call(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* const code = reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]);
  const long long rax = registers[REG_RAX];
  if (is_syscall(code) && rax >= 0 && rax < end_of_numbers) return InterruptedCall{rax};
  const std::uint8_t* const call = code - sizeof syscall_instruction;
  if (rax == -EINTR && is_syscall(call)) return InterruptedCall{number_loaded_before(call)};
  return std::nullopt;
}

#else

std::optional<InterruptedCall> interrupted_call(const void*) { return std::nullopt; }

#endif

const char* name_of_system_call(long number) {
  switch (number) {
    case SYS_accept: return "accept";
    case SYS_accept4: return "accept4";
    case SYS_clock_nanosleep: return "clock_nanosleep";
    case SYS_connect: return "connect";
    case SYS_epoll_pwait: return "epoll_pwait";
    case SYS_fcntl: return "fcntl";
    case SYS_flock: return "flock";
    case SYS_fsync: return "fsync";
    case SYS_futex: return "futex";
    case SYS_io_getevents: return "io_getevents";
    case SYS_ioctl: return "ioctl";
    case SYS_mq_timedreceive: return "mq_timedreceive";
    case SYS_mq_timedsend: return "mq_timedsend";
    case SYS_msgrcv: return "msgrcv";
    case SYS_msgsnd: return "msgsnd";
    case SYS_nanosleep: return "nanosleep";
    case SYS_openat: return "openat";
    case SYS_ppoll: return "ppoll";
    case SYS_pread64: return "pread64";
    case SYS_preadv: return "preadv";
    case SYS_pselect6: return "pselect6";
    case SYS_pwrite64: return "pwrite64";
    case SYS_pwritev: return "pwritev";
    case SYS_read: return "read";
    case SYS_readv: return "readv";
    case SYS_recvfrom: return "recvfrom";
    case SYS_recvmmsg: return "recvmmsg";
    case SYS_recvmsg: return "recvmsg";
    case SYS_rt_sigsuspend: return "rt_sigsuspend";
    case SYS_rt_sigtimedwait: return "rt_sigtimedwait";
    case SYS_semop: return "semop";
    case SYS_semtimedop: return "semtimedop";
    case SYS_sendfile: return "sendfile";
    case SYS_sendmmsg: return "sendmmsg";
    case SYS_sendmsg: return "sendmsg";
    case SYS_sendto: return "sendto";
    case SYS_splice: return "splice";
    case SYS_tee: return "tee";
    case SYS_wait4: return "wait4";
    case SYS_waitid: return "waitid";
    case SYS_write: return "write";
    case SYS_writev: return "writev";
#if defined(__x86_64__)
    case SYS_epoll_wait: return "epoll_wait";
    case SYS_open: return "open";
    case SYS_pause: return "pause";
    case SYS_poll: return "poll";
    case SYS_select: return "select";
#endif
    default: return nullptr;
  }
}

}  // namespace heddle::abi
