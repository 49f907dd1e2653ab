// setuid and its family. The kernel keeps credentials for each of its threads; the C library makes them equal by a
// signal to every thread that it has created. The threads of the program are fibers of one kernel thread, and the C
// library takes that one for another thread and sends it the signal. So these calls go to the kernel directly. What
// they change lasts longer than the execution: the comparison of two executions finds out if that matters.
#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <limits>

#include "abi/start/runtime.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

template <typename... Ids>
int set(const char* name, long number, Ids... ids) {
  if (running() != nullptr) return static_cast<int>(engine::real().syscall(number, ids...));
  return engine::next_function<int (*)(Ids...)>(name)(ids...);
}

constexpr uid_t unchanged = std::numeric_limits<uid_t>::max();
static_assert(unchanged == std::numeric_limits<gid_t>::max());

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int setuid(uid_t id) { return set("setuid", SYS_setuid, id); }
int setgid(gid_t id) { return set("setgid", SYS_setgid, id); }
int setreuid(uid_t real, uid_t effective) { return set("setreuid", SYS_setreuid, real, effective); }
int setregid(gid_t real, gid_t effective) { return set("setregid", SYS_setregid, real, effective); }
int setresuid(uid_t real, uid_t effective, uid_t saved) {
  return set("setresuid", SYS_setresuid, real, effective, saved);
}
int setresgid(gid_t real, gid_t effective, gid_t saved) {
  return set("setresgid", SYS_setresgid, real, effective, saved);
}
int seteuid(uid_t id) { return setresuid(unchanged, id, unchanged); }
int setegid(gid_t id) { return setresgid(unchanged, id, unchanged); }
int setgroups(std::size_t count, const gid_t* groups) { return set("setgroups", SYS_setgroups, count, groups); }
int initgroups(const char* user, gid_t group) {
  constexpr int most_groups = 256;
  gid_t groups[most_groups];
  int count = most_groups;
  if (::getgrouplist(user, group, groups, &count) < 0) count = most_groups;
  return setgroups(static_cast<std::size_t>(count), groups);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
