// The functions that verifiers of C programs have in common. A program may also declare them itself and just link with
// heddle.
//
// Under `heddle verify`, an undetermined value takes every value of a small set, one in each execution. Sampling
// strategies draw a value at random.
#ifndef HEDDLE_VERIFIER_H
#define HEDDLE_VERIFIER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Excludes executions in which the condition does not hold: the thread stops here, and the execution counts as
/// blocked, not as buggy.
void __VERIFIER_assume(int condition);
/// Ends the execution with a finding if the condition does not hold.
void __VERIFIER_assert(int condition);
/// Ends the execution with a finding.
void __VERIFIER_error(void) __attribute__((noreturn));

/// One of 0 .. options - 1. Only heddle has this function; those below have a fixed range.
unsigned __VERIFIER_nondet_below(unsigned options);

bool __VERIFIER_nondet_bool(void);
/// 0 .. 3 under heddle verify (0 .. N-1 with -s exhaustive:values=N), 0 .. 15 under sampling strategies.
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
