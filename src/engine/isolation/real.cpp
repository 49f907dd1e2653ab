#include "engine/isolation/real.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>

namespace heddle::engine {

namespace {

template <typename Function>
void look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

RealFunctions functions;
bool known = false;

}  // namespace

const RealFunctions& real() {
  if (known) return functions;
  look_up(functions.pthread_create, "pthread_create");
  look_up(functions.sched_yield, "sched_yield");
  look_up(functions.clock_gettime, "clock_gettime");
  look_up(functions.fork, "fork");
  look_up(functions.syscall, "syscall");
  look_up(functions.pthread_mutex_init, "pthread_mutex_init");
  look_up(functions.pthread_key_create, "pthread_key_create");
  look_up(functions.pthread_key_delete, "pthread_key_delete");
  look_up(functions.pthread_getspecific, "pthread_getspecific");
  look_up(functions.pthread_setspecific, "pthread_setspecific");
  look_up(functions.cxa_atexit, "__cxa_atexit");
  look_up(functions.read, "read");
  look_up(functions.exit, "exit");
  look_up(functions.fclose, "fclose");
  look_up(functions.sigaction, "sigaction");
  look_up(functions.ctype_init, "__ctype_init");
  known = true;
  return functions;
}

void exit_process(int status) {
  for (;;) real().syscall(SYS_exit_group, status);
}

}  // namespace heddle::engine
