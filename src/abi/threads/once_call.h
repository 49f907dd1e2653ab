// A call through which exceptions may pass. Written in C: the cleanup needs unwind tables, but not the C++ library.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Calls routine(argument). If an exception leaves it, on_unwind(data) is called during unwinding.
void heddle_call_with_cleanup(void (*routine)(void*), void* argument, void (*on_unwind)(void*), void* data);

#ifdef __cplusplus
}
#endif
