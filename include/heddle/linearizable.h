/* Checks a concurrent data structure against its sequential twin: the interface for C. C++ programs use
   heddle/linearizable.hpp. See docs/linearizability.md.

   In each execution, main chooses a client (heddle_choose_client), makes its calls on threads of its own, between
   heddle_call_begins and heddle_call_ends, and asks at the end whether the sequential type explains the results
   (heddle_check_calls). */
#ifndef HEDDLE_LINEARIZABLE_H
#define HEDDLE_LINEARIZABLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  heddle_most_calls = 64,       /* of an execution, with those of the initial and the final part */
  heddle_most_client_calls = 24 /* of a client: its initial part and its threads */
};

typedef struct heddle_operation {
  unsigned arguments;      /* the number of different arguments; at least 1 */
  unsigned roles;          /* bit r: threads with role r may call it; 0: any thread may */
  unsigned may_be_initial; /* 1: the initial part may call it */
} heddle_operation;

typedef struct heddle_client_bound {
  unsigned calls;   /* the most calls of all threads together, up to 8 */
  unsigned threads; /* the most threads, up to 4 */
} heddle_client_bound;

typedef struct heddle_client_call {
  unsigned operation;
  unsigned argument; /* below heddle_operation.arguments */
  unsigned thread;   /* 0: the initial part; otherwise a thread, from 1 */
} heddle_client_call;

typedef struct heddle_client_wait {
  unsigned earlier; /* the call that has to end */
  unsigned later;   /* before this one begins */
} heddle_client_wait;

/* Initial calls come first, then those of each thread in program order. */
typedef struct heddle_client {
  unsigned threads;
  unsigned call_count;
  unsigned wait_count;
  heddle_client_call calls[heddle_most_client_calls];
  heddle_client_wait waits[heddle_most_client_calls];
} heddle_client;

/* All clients within one of the bounds. */
typedef struct heddle_clients {
  const heddle_operation* operations;
  size_t operation_count;
  const unsigned* role_limits; /* for each role, the most threads that have it; 0: any number */
  size_t role_count;
  const heddle_client_bound* bounds;
  size_t bound_count;
  unsigned initial_calls; /* the most calls before the threads begin */
  unsigned waits;         /* the most calls that wait for a call of another thread */
  unsigned larger;        /* sampling draws clients with up to so many calls more, too; up to 8 */
  /* For operations that wait. 0: all threads of the client could come to wait, so it is left out. NULL: none is. */
  int (*can_end)(void* context, const heddle_client* client);
  void* context;
} heddle_clients;

/* The client of this execution. Exhaustive searches go through all of them, the smallest first. A search may choose a
   client without calls: the execution then has nothing to do. */
void heddle_choose_client(const heddle_clients* clients, heddle_client* chosen);

/* The current thread begins, or has ended, the call with this number: its position in the client, or a number behind
   that for a call of the final part. */
void heddle_call_begins(unsigned call);
void heddle_call_ends(unsigned call);

/* 1: everything that the earlier call did happens before the begin of the later one. Both have ended. */
int heddle_call_comes_before(unsigned earlier, unsigned later);

/* Which calls must keep their order. */
enum {
  heddle_linearizable,           /* those that happen one before the other */
  heddle_sequentially_consistent /* those of one thread, and those of the initial and the final part */
};

/* The sequential type. Its states belong to it. The functions make no atomic operations. */
typedef struct heddle_specification {
  const char* name; /* of the data structure */
  int order;        /* heddle_linearizable or heddle_sequentially_consistent */
  void* context;    /* for the functions */
  void* (*make)(void* context);
  void* (*copy)(void* context, const void* state);
  void (*destroy)(void* context, void* state);
  /* Makes the call on the state. 1: it returns what it returned in this execution. 0: it returns something else. -1:
     there is no such way; ways are counted from 0, and most types have one. */
  int (*apply)(void* context, void* state, unsigned call, unsigned way);
  int (*equal)(void* context, const void* a, const void* b); /* NULL: states are not compared */
  uint64_t (*hash)(void* context, const void* state);        /* of equal states; NULL: all have one */
  uint64_t (*hash_call)(void* context, unsigned call);       /* of operation, arguments and result; NULL: unknown */
  void (*describe)(void* context, unsigned call, char* text, size_t size); /* "push(1)", "pop() = 2" */
} heddle_specification;

/* Called by main at the end, when all threads have been joined and all calls have ended. A finding of kind
   "linearizability" ends the execution if no order of the calls explains their results. */
void heddle_check_calls(const heddle_specification* specification);

/* Ends the test with this sentence, and exit code 3: it is not the data structure that is wrong, but the test. */
#ifdef __GNUC__
__attribute__((noreturn))
#endif
void heddle_refuse(const char* what);

#ifdef __cplusplus
}
#endif

#endif
