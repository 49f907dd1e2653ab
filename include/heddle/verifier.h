// The names that verifiers of C programs share. Programs that declare them by themselves work as well; linking with
// heddle is enough.
//
// Under `heddle verify` a value that nobody determines takes every value of a small set, one execution after the other;
// sampling strategies draw one.
#ifndef HEDDLE_VERIFIER_H
#define HEDDLE_VERIFIER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Executions in which the condition does not hold here are none of the program's: the thread goes no further, and the
/// execution counts as blocked, not as buggy.
void __VERIFIER_assume(int condition);
/// If the condition does not hold, it is a finding, and the end of the execution.
void __VERIFIER_assert(int condition);
/// A finding, and the end of the execution.
void __VERIFIER_error(void) __attribute__((noreturn));

/// One of 0 .. options - 1. (Heddle's own: the others below do not say how many.)
unsigned __VERIFIER_nondet_below(unsigned options);

bool __VERIFIER_nondet_bool(void);
/// 0 .. 3 under heddle verify (-s exhaustive:values=N says otherwise), 0 .. 15 under sampling strategies.
char __VERIFIER_nondet_char(void);
signed char __VERIFIER_nondet_schar(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
size_t __VERIFIER_nondet_size_t(void);

#ifdef __cplusplus
}
#endif

#endif
