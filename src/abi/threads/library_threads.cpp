// Threads that libraries create by themselves. Those of OpenMP (libgomp and libomp) and of the C library wait for each
// other by system calls and atomics of their own, which heddle does not see. So a program is refused where it would
// create them: at its first parallel region, or its first asynchronous call.
#include "abi/start/runtime.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {
[[noreturn]] void refuse(const char* function) {
  engine_pointer->execution().unsupported(
      "the program begins a parallel region of OpenMP (%s), which heddle does not know; build it without -fopenmp, or "
      "test the code with threads of your own",
      function);
}

/// Calls the C library's function outside of executions.
template <typename... Arguments>
int call_outside(const char* function, Arguments... arguments) {
  if (engine::Engine* engine = running())
    engine->execution().unsupported(
        "the program calls %s, for which the C library starts a thread that heddle does not control; make the call in "
        "a thread of your own, without %s",
        function, function);
  return engine::next_function<int (*)(Arguments...)>(function)(arguments...);
}
}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// gcc.
void GOMP_parallel() { refuse("GOMP_parallel"); }
void GOMP_parallel_start() { refuse("GOMP_parallel_start"); }
void GOMP_parallel_reductions() { refuse("GOMP_parallel_reductions"); }
void GOMP_parallel_sections() { refuse("GOMP_parallel_sections"); }
void GOMP_parallel_sections_start() { refuse("GOMP_parallel_sections_start"); }
void GOMP_parallel_loop_static() { refuse("GOMP_parallel_loop_static"); }
void GOMP_parallel_loop_static_start() { refuse("GOMP_parallel_loop_static_start"); }
void GOMP_parallel_loop_dynamic() { refuse("GOMP_parallel_loop_dynamic"); }
void GOMP_parallel_loop_dynamic_start() { refuse("GOMP_parallel_loop_dynamic_start"); }
void GOMP_parallel_loop_guided() { refuse("GOMP_parallel_loop_guided"); }
void GOMP_parallel_loop_guided_start() { refuse("GOMP_parallel_loop_guided_start"); }
void GOMP_parallel_loop_runtime() { refuse("GOMP_parallel_loop_runtime"); }
void GOMP_parallel_loop_runtime_start() { refuse("GOMP_parallel_loop_runtime_start"); }
void GOMP_parallel_loop_nonmonotonic_dynamic() { refuse("GOMP_parallel_loop_nonmonotonic_dynamic"); }
void GOMP_parallel_loop_nonmonotonic_guided() { refuse("GOMP_parallel_loop_nonmonotonic_guided"); }
void GOMP_parallel_loop_nonmonotonic_runtime() { refuse("GOMP_parallel_loop_nonmonotonic_runtime"); }
void GOMP_parallel_loop_maybe_nonmonotonic_runtime() { refuse("GOMP_parallel_loop_maybe_nonmonotonic_runtime"); }
void GOMP_teams_reg() { refuse("GOMP_teams_reg"); }
void GOMP_target() { refuse("GOMP_target"); }
void GOMP_target_ext() { refuse("GOMP_target_ext"); }

// clang.
void __kmpc_fork_call() { refuse("__kmpc_fork_call"); }
void __kmpc_fork_call_if() { refuse("__kmpc_fork_call_if"); }
void __kmpc_fork_teams() { refuse("__kmpc_fork_teams"); }
void __tgt_target_kernel() { refuse("__tgt_target_kernel"); }

// The C library. What the arguments are does not matter.
int aio_read(void* request) { return call_outside("aio_read", request); }
int aio_read64(void* request) { return call_outside("aio_read64", request); }
int aio_write(void* request) { return call_outside("aio_write", request); }
int aio_write64(void* request) { return call_outside("aio_write64", request); }
int aio_fsync(int operation, void* request) { return call_outside("aio_fsync", operation, request); }
int aio_fsync64(int operation, void* request) { return call_outside("aio_fsync64", operation, request); }
int lio_listio(int mode, void* const* list, int size, void* event) {
  return call_outside("lio_listio", mode, list, size, event);
}
int lio_listio64(int mode, void* const* list, int size, void* event) {
  return call_outside("lio_listio64", mode, list, size, event);
}
int getaddrinfo_a(int mode, void** list, int size, void* event) {
  return call_outside("getaddrinfo_a", mode, list, size, event);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
