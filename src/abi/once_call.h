// A call that may throw through us. In C, because the cleanup needs unwinding tables but no C++ library.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Calls routine(); if it leaves by an exception, calls on_unwind(data) on the way.
void heddle_call_with_cleanup(void (*routine)(void), void (*on_unwind)(void*), void* data);

#ifdef __cplusplus
}
#endif
