// The table of checked calls (checked_call.hpp): time, sorting, the environment, names of hosts and users, the process,
// signals, attributes of threads.
#include <getopt.h>
#include <grp.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <netinet/in.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>

#include "abi/libc/call_extents.hpp"
#include "abi/libc/checked_call.hpp"

namespace heddle::abi {

namespace {

/// The environment as a whole: functions that change it write this variable, functions that look at it read it.
struct Environment {
  template <typename Visitor>
  static void visit(const Call&, Visitor visitor) {
    visitor(&environ, sizeof environ);
  }
};

/// The hidden state of drand48() and the like, which have no lock.
constinit std::uint64_t heddle_state_of_drand48 = 0;
struct StateOfDrand48 {
  template <typename Visitor>
  static void visit(const Call&, Visitor visitor) {
    visitor(&heddle_state_of_drand48, sizeof heddle_state_of_drand48);
  }
};

/// getopt: the arguments, which it may permute, and where it is among them.
struct CommandLine {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    visitor(&optind, sizeof optind);
    visitor(&optarg, sizeof optarg);
    visitor(&optopt, sizeof optopt);
    visitor(call.pointer<const void>(1), static_cast<std::uint32_t>(call.number(0)) * sizeof(char*));
  }
};

/// An address of the internet, whose size follows from the family.
template <int argument>
struct InternetAddress {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto family = static_cast<std::int32_t>(call.number(0));
    visitor(call.pointer<const void>(argument), family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr));
  }
};
/// What getaddrinfo has allocated.
void announce_addresses(Call& call, const addrinfo* list) {
  for (; list != nullptr; list = list->ai_next) {
    announce(call, list, sizeof *list, true);
    announce(call, list->ai_addr, list->ai_addrlen, true);
    if (list->ai_canonname != nullptr) announce(call, list->ai_canonname, bytes_of(list->ai_canonname), true);
  }
}
void announce_new_addresses(Call& call) {
  auto** list = call.pointer<addrinfo*>(3);
  announce(call, list, sizeof *list, true);
  announce_addresses(call, *list);
}
void announce_freed_addresses(Call& call) { announce_addresses(call, call.pointer<addrinfo>(0)); }

/// qsort writes all elements if there are several.
struct SortedArray {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    if (call.number(1) > 1) visitor(call.pointer<const void>(0), call.number(1) * call.number(2));
  }
};
/// lsearch: the elements are those that the comparison reads; a new one is added at the end.
void keep_count(Call& call) {
  const auto* count = call.pointer<const std::size_t>(2);
  announce(call, count, sizeof *count, false);
  call.kept[0] = *count;
}
void announce_new_element(Call& call) {
  const auto* count = call.pointer<const std::size_t>(2);
  if (*count == call.kept[0]) return;
  announce(call, count, sizeof *count, true);
  announce(call, call.pointer<void>(0), call.number(3), false);
  announce(call, call.result_pointer<void>(), call.number(3), true);
}

/// The word of a signal set that holds the signal.
struct SignalWord {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto signal = static_cast<std::int32_t>(call.number(1));
    if (signal > 0 && signal < NSIG)
      visitor(call.pointer<const std::uint64_t>(0) + (signal - 1) / 64, sizeof(std::uint64_t));
  }
};

/// regexec writes its matches only if the expression has been compiled so.
struct Matches {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    if (call.pointer<const regex_t>(0)->no_sub == 0)
      visitor(call.pointer<const void>(3), call.number(2) * sizeof(regmatch_t));
  }
};
/// A list whose length was asked for without room for it is not written.
template <int argument, int room, std::size_t unit>
struct ResultListInRoom {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto count = static_cast<std::int32_t>(call.result);
    if (static_cast<std::int32_t>(call.number(room)) != 0 && count > 0)
      visitor(call.pointer<const void>(argument), static_cast<std::size_t>(count) * unit);
  }
};

using Time = Object<0, time_t>;
template <int argument>
using BrokenDownTime = Object<argument, tm>;

}  // namespace

}  // namespace heddle::abi

using namespace heddle::abi;  // NOLINT: the rows have no namespace, like the functions that they define

// ---- time
// -------------------------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(localtime_r, pointer, reads<Time>, writes<BrokenDownTime<1>>)
HEDDLE_CHECKED_CALL(gmtime_r, pointer, reads<Time>, writes<BrokenDownTime<1>>)
HEDDLE_CHECKED_CALL(localtime, pointer, reads<Time>, writes<ResultObject<tm>>)
HEDDLE_CHECKED_CALL(gmtime, pointer, reads<Time>, writes<ResultObject<tm>>)
HEDDLE_CHECKED_CALL(ctime, pointer, reads<Time>, writes<ResultText>)
HEDDLE_CHECKED_CALL(asctime, pointer, reads<BrokenDownTime<0>>, writes<ResultText>)
HEDDLE_CHECKED_CALL(ctime_r, pointer, reads<Time>, writes<Text<1>>)
HEDDLE_CHECKED_CALL(asctime_r, pointer, reads<BrokenDownTime<0>>, writes<Text<1>>)
HEDDLE_CHECKED_CALL(mktime, always, reads<BrokenDownTime<0>>, writes<BrokenDownTime<0>>)
HEDDLE_CHECKED_CALL(timelocal, always, reads<BrokenDownTime<0>>, writes<BrokenDownTime<0>>)
HEDDLE_CHECKED_CALL(timegm, always, reads<BrokenDownTime<0>>, writes<BrokenDownTime<0>>)
HEDDLE_CHECKED_CALL(strftime, pointer, reads<Text<2>>, reads<BrokenDownTime<3>>, writes<ResultArray<0, 1, 1>>)
HEDDLE_CHECKED_CALL(strftime_l, pointer, reads<Text<2>>, reads<BrokenDownTime<3>>, writes<ResultArray<0, 1, 1>>)
HEDDLE_CHECKED_CALL(wcsftime, pointer, reads<WideText<2>>, reads<BrokenDownTime<3>>,
                    writes<ResultArray<0, sizeof(wchar_t), 1>>)
HEDDLE_CHECKED_CALL(strptime, pointer, reads<Text<0>>, reads<Text<1>>, writes<BrokenDownTime<2>>)
HEDDLE_CHECKED_CALL(clock_getres, zero, writes<Object<1, timespec>>)
HEDDLE_CHECKED_CALL(clock_getcpuclockid, zero, writes<Object<1, clockid_t>>)
HEDDLE_CHECKED_CALL(times, always, writes<Object<0, tms>>)

// ---- sorting and searching
// -------------------------------------------------------------------------------------------- bsearch and lfind touch
// no element by themselves: the comparison does.
HEDDLE_CHECKED_CALL(qsort, always, reads<Matrix<0, 1, 2>>, writes<SortedArray>)
HEDDLE_CHECKED_CALL(qsort_r, always, reads<Matrix<0, 1, 2>>, writes<SortedArray>)
HEDDLE_CHECKED_CALL(lsearch, pointer, before<keep_count>, after<announce_new_element>)
HEDDLE_CHECKED_CALL(lfind, always, reads<Object<2, std::size_t>>)
// A tree is known by its root. Insertions also write where they find the key, since they balance the tree on their way.
HEDDLE_CHECKED_CALL(tsearch, always, writes_first<Object<1, void*>>)
HEDDLE_CHECKED_CALL(tdelete, always, writes_first<Object<1, void*>>)
HEDDLE_CHECKED_CALL(tfind, always, reads<Object<1, void*>>)
HEDDLE_CHECKED_CALL(regcomp, zero, reads<Text<1>>, writes<Object<0, regex_t>>)
HEDDLE_CHECKED_CALL(regexec, zero, reads<Object<0, regex_t>>, reads<Text<1>>, writes<Matches>)
HEDDLE_CHECKED_CALL(regerror, always, writes<Printed<2, 3>>)
HEDDLE_CHECKED_CALL(regfree, always, writes_first<Object<0, regex_t>>)
HEDDLE_CHECKED_CALL(wordexp, zero, reads<Text<0>>, writes<Object<1, wordexp_t>>)
HEDDLE_CHECKED_CALL(wordfree, always, writes_first<Object<0, wordexp_t>>)

// ---- the environment
// --------------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(getenv, always, reads<Text<0>>, reads<Environment>)
HEDDLE_CHECKED_CALL(secure_getenv, always, reads<Text<0>>, reads<Environment>)
HEDDLE_CHECKED_CALL(setenv, zero, reads<Text<0>>, reads<Text<1>>, writes<Environment>)
HEDDLE_CHECKED_CALL(unsetenv, zero, reads<Text<0>>, writes<Environment>)
HEDDLE_CHECKED_CALL(putenv, zero, reads<Text<0>>, writes<Environment>)
HEDDLE_CHECKED_CALL(clearenv, zero, writes<Environment>)
HEDDLE_CHECKED_CALL(setlocale, always, reads<Text<1>>)
HEDDLE_CHECKED_CALL(gettext, always, reads<Text<0>>)
HEDDLE_CHECKED_CALL(dgettext, always, reads<Text<0>>, reads<Text<1>>)
HEDDLE_CHECKED_CALL(dcgettext, always, reads<Text<0>>, reads<Text<1>>)
HEDDLE_CHECKED_CALL(textdomain, always, reads<Text<0>>)

// ---- hosts and networks
// -----------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(inet_addr, always, reads<Text<0>>)
HEDDLE_CHECKED_CALL(inet_network, always, reads<Text<0>>)
HEDDLE_CHECKED_CALL(inet_aton, positive, reads<Text<0>>, writes<Object<1, in_addr>>)
HEDDLE_CHECKED_CALL(inet_pton, positive, reads<Text<1>>, writes<InternetAddress<2>>)
HEDDLE_CHECKED_CALL(inet_ntop, pointer, reads<InternetAddress<1>>, writes<Text<2>>)
HEDDLE_CHECKED_CALL(getaddrinfo, zero, reads<Text<0>>, reads<Text<1>>, reads<Object<2, addrinfo>>,
                    after<announce_new_addresses>)
HEDDLE_CHECKED_CALL(freeaddrinfo, always, before<announce_freed_addresses>)
HEDDLE_CHECKED_CALL(getnameinfo, zero, reads<Array<0, 1>>, writes<Text<2>>, writes<Text<4>>)
HEDDLE_CHECKED_CALL(gethostbyname, pointer, reads<Text<0>>, writes<ResultObject<hostent>>)
HEDDLE_CHECKED_CALL(gethostbyaddr, pointer, reads<Array<0, 1>>, writes<ResultObject<hostent>>)
HEDDLE_CHECKED_CALL(gethostbyname_r, zero, reads<Text<0>>, writes<Object<1, hostent>>, writes<Object<4, hostent*>>)
HEDDLE_CHECKED_CALL(getservbyname, pointer, reads<Text<0>>, reads<Text<1>>, writes<ResultObject<servent>>)
HEDDLE_CHECKED_CALL(getservbyport, pointer, reads<Text<1>>, writes<ResultObject<servent>>)
HEDDLE_CHECKED_CALL(getprotobyname, pointer, reads<Text<0>>, writes<ResultObject<protoent>>)
HEDDLE_CHECKED_CALL(getprotobynumber, pointer, writes<ResultObject<protoent>>)
HEDDLE_CHECKED_CALL(getifaddrs, zero, writes<Object<0, ifaddrs*>>)
HEDDLE_CHECKED_CALL(if_nametoindex, always, reads<Text<0>>)
HEDDLE_CHECKED_CALL(if_indextoname, pointer, writes<Text<1>>)
HEDDLE_CHECKED_CALL(ether_aton_r, pointer, reads<Text<0>>, writes<Object<1, ether_addr>>)
HEDDLE_CHECKED_CALL(ether_ntoa_r, pointer, reads<Object<0, ether_addr>>, writes<Text<1>>)
HEDDLE_CHECKED_CALL(gethostname, zero, writes<TextUpTo<0, 1>>)
HEDDLE_CHECKED_CALL(__gethostname_chk, zero, writes<TextUpTo<0, 1>>)
HEDDLE_CHECKED_CALL(getdomainname, zero, writes<TextUpTo<0, 1>>)
HEDDLE_CHECKED_CALL(sethostname, always, reads<Array<0, 1>>)

// ---- users
// ------------------------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(getpwnam, pointer, reads<Text<0>>, writes<ResultObject<passwd>>)
HEDDLE_CHECKED_CALL(getpwuid, pointer, writes<ResultObject<passwd>>)
HEDDLE_CHECKED_CALL(getpwent, pointer, writes<ResultObject<passwd>>)
HEDDLE_CHECKED_CALL(getgrnam, pointer, reads<Text<0>>, writes<ResultObject<group>>)
HEDDLE_CHECKED_CALL(getgrgid, pointer, writes<ResultObject<group>>)
HEDDLE_CHECKED_CALL(getgrent, pointer, writes<ResultObject<group>>)
HEDDLE_CHECKED_CALL(getpwnam_r, zero, reads<Text<0>>, writes<Object<1, passwd>>, writes<Object<4, passwd*>>)
HEDDLE_CHECKED_CALL(getpwuid_r, zero, writes<Object<1, passwd>>, writes<Object<4, passwd*>>)
HEDDLE_CHECKED_CALL(getgrnam_r, zero, reads<Text<0>>, writes<Object<1, group>>, writes<Object<4, group*>>)
HEDDLE_CHECKED_CALL(getgrgid_r, zero, writes<Object<1, group>>, writes<Object<4, group*>>)
HEDDLE_CHECKED_CALL(getgroups, number, writes<ResultListInRoom<1, 0, sizeof(gid_t)>>)
HEDDLE_CHECKED_CALL(__getgroups_chk, number, writes<ResultListInRoom<1, 0, sizeof(gid_t)>>)
HEDDLE_CHECKED_CALL(getresuid, zero, writes<Object<0, uid_t>>, writes<Object<1, uid_t>>, writes<Object<2, uid_t>>)
HEDDLE_CHECKED_CALL(getresgid, zero, writes<Object<0, gid_t>>, writes<Object<1, gid_t>>, writes<Object<2, gid_t>>)
HEDDLE_CHECKED_CALL(getlogin_r, zero, writes<Text<0>>)
HEDDLE_CHECKED_CALL(__getlogin_r_chk, zero, writes<Text<0>>)

// ---- the process and the system
// ---------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(uname, zero, writes<Object<0, utsname>>)
HEDDLE_CHECKED_CALL(sysinfo, zero, writes<Object<0, struct sysinfo>>)
HEDDLE_CHECKED_CALL(getloadavg, number, writes<ResultIntArray<0, sizeof(double)>>)
HEDDLE_CHECKED_CALL(getrlimit, zero, writes<Object<1, rlimit>>)
HEDDLE_CHECKED_CALL(getrlimit64, zero, writes<Object<1, rlimit>>)
HEDDLE_CHECKED_CALL(setrlimit, always, reads<Object<1, rlimit>>)
HEDDLE_CHECKED_CALL(setrlimit64, always, reads<Object<1, rlimit>>)
HEDDLE_CHECKED_CALL(prlimit, zero, reads<Object<2, rlimit>>, writes<Object<3, rlimit>>)
HEDDLE_CHECKED_CALL(prlimit64, zero, reads<Object<2, rlimit>>, writes<Object<3, rlimit>>)
HEDDLE_CHECKED_CALL(getrusage, zero, writes<Object<1, rusage>>)
HEDDLE_CHECKED_CALL(confstr, always, writes<Converted<1, 2>>)
HEDDLE_CHECKED_CALL(sched_getparam, zero, writes<Object<1, sched_param>>)
HEDDLE_CHECKED_CALL(sched_setparam, always, reads<Object<1, sched_param>>)
HEDDLE_CHECKED_CALL(sched_setscheduler, always, reads<Object<2, sched_param>>)
HEDDLE_CHECKED_CALL(sched_getaffinity, zero, writes<Array<2, 1>>)
HEDDLE_CHECKED_CALL(sched_setaffinity, always, reads<Array<2, 1>>)
HEDDLE_CHECKED_CALL(backtrace, number, writes<ResultIntArray<0, sizeof(void*)>>)
HEDDLE_CHECKED_CALL(rand_r, always, reads<Object<0, unsigned>>, writes<Object<0, unsigned>>)
HEDDLE_CHECKED_CALL(random_r, zero, writes<Object<0, random_data>>, writes<Object<1, std::int32_t>>)
HEDDLE_CHECKED_CALL(srandom_r, zero, writes<Object<1, random_data>>)
HEDDLE_CHECKED_CALL(drand48, always, writes_first<StateOfDrand48>)
HEDDLE_CHECKED_CALL(lrand48, always, writes_first<StateOfDrand48>)
HEDDLE_CHECKED_CALL(mrand48, always, writes_first<StateOfDrand48>)
HEDDLE_CHECKED_CALL(srand48, always, writes_first<StateOfDrand48>)
HEDDLE_CHECKED_CALL(seed48, always, reads<Object<0, short, 3>>, writes_first<StateOfDrand48>)
HEDDLE_CHECKED_CALL(lcong48, always, reads<Object<0, short, 7>>, writes_first<StateOfDrand48>)
HEDDLE_CHECKED_CALL(erand48, always, writes<Object<0, short, 3>>)
HEDDLE_CHECKED_CALL(nrand48, always, writes<Object<0, short, 3>>)
HEDDLE_CHECKED_CALL(jrand48, always, writes<Object<0, short, 3>>)
HEDDLE_CHECKED_CALL(drand48_r, zero, writes<Object<0, drand48_data>>, writes<Object<1, double>>)
HEDDLE_CHECKED_CALL(lrand48_r, zero, writes<Object<0, drand48_data>>, writes<Object<1, long>>)
HEDDLE_CHECKED_CALL(mrand48_r, zero, writes<Object<0, drand48_data>>, writes<Object<1, long>>)
HEDDLE_CHECKED_CALL(srand48_r, zero, writes<Object<1, drand48_data>>)
HEDDLE_CHECKED_CALL(frexp, always, writes<Object<0, int>>)
HEDDLE_CHECKED_CALL(frexpf, always, writes<Object<0, int>>)
HEDDLE_CHECKED_CALL(modf, always, writes<Object<0, double>>)
HEDDLE_CHECKED_CALL(modff, always, writes<Object<0, float>>)
HEDDLE_CHECKED_CALL(lgamma_r, always, writes<Object<0, int>>)
HEDDLE_CHECKED_CALL(lgammaf_r, always, writes<Object<0, int>>)
HEDDLE_CHECKED_CALL(remquo, always, writes<Object<0, int>>)
HEDDLE_CHECKED_CALL(remquof, always, writes<Object<0, int>>)
HEDDLE_CHECKED_CALL(sincos, always, writes<Object<0, double>>, writes<Object<1, double>>)
HEDDLE_CHECKED_CALL(sincosf, always, writes<Object<0, float>>, writes<Object<1, float>>)

// ---- signals
// ----------------------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(sigemptyset, zero, writes<Object<0, sigset_t>>)
HEDDLE_CHECKED_CALL(sigfillset, zero, writes<Object<0, sigset_t>>)
HEDDLE_CHECKED_CALL(sigaddset, zero, writes<SignalWord>)
HEDDLE_CHECKED_CALL(sigdelset, zero, writes<SignalWord>)
HEDDLE_CHECKED_CALL(sigismember, always, reads<SignalWord>)
HEDDLE_CHECKED_CALL(sigandset, zero, reads<Object<1, std::uint64_t>>, reads<Object<2, std::uint64_t>>,
                    writes<Object<0, std::uint64_t>>)
HEDDLE_CHECKED_CALL(sigorset, zero, reads<Object<1, std::uint64_t>>, reads<Object<2, std::uint64_t>>,
                    writes<Object<0, std::uint64_t>>)

// ---- threads
// ----------------------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(pthread_attr_init, zero, writes<Object<0, pthread_attr_t>>)
HEDDLE_CHECKED_CALL(pthread_attr_destroy, always, writes<Object<0, pthread_attr_t>>)
HEDDLE_CHECKED_CALL(pthread_attr_setdetachstate, zero, writes<Object<0, pthread_attr_t>>)
HEDDLE_CHECKED_CALL(pthread_attr_setstacksize, zero, writes<Object<0, pthread_attr_t>>)
HEDDLE_CHECKED_CALL(pthread_attr_getdetachstate, zero, reads<Object<0, pthread_attr_t>>, writes<Object<1, int>>)
HEDDLE_CHECKED_CALL(pthread_attr_getstacksize, zero, reads<Object<0, pthread_attr_t>>, writes<Object<1, std::size_t>>)
HEDDLE_CHECKED_CALL(pthread_attr_getguardsize, zero, reads<Object<0, pthread_attr_t>>, writes<Object<1, std::size_t>>)
HEDDLE_CHECKED_CALL(pthread_attr_getstack, zero, reads<Object<0, pthread_attr_t>>, writes<Object<1, void*>>,
                    writes<Object<2, std::size_t>>)
HEDDLE_CHECKED_CALL(pthread_attr_getschedparam, zero, reads<Object<0, pthread_attr_t>>, writes<Object<1, sched_param>>)
HEDDLE_CHECKED_CALL(pthread_getname_np, zero, writes<Text<1>>)
HEDDLE_CHECKED_CALL(pthread_setname_np, always, reads<Text<1>>)
HEDDLE_CHECKED_CALL(pthread_getschedparam, zero, writes<Object<1, int>>, writes<Object<2, sched_param>>)
HEDDLE_CHECKED_CALL(pthread_setschedparam, always, reads<Object<2, sched_param>>)
HEDDLE_CHECKED_CALL(pthread_getaffinity_np, zero, writes<Array<2, 1>>)
HEDDLE_CHECKED_CALL(pthread_setaffinity_np, always, reads<Array<2, 1>>)
HEDDLE_CHECKED_CALL(pthread_getcpuclockid, zero, writes<Object<1, clockid_t>>)

// ---- the command line
// -------------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(getopt, always, writes_first<CommandLine>)
HEDDLE_CHECKED_CALL(getopt_long, always, writes_first<CommandLine>)
HEDDLE_CHECKED_CALL(getopt_long_only, always, writes_first<CommandLine>)
