/* heddle_check: a function as a concurrency test, run many times in the process that calls it. For C; C++ programs use
   heddle/heddle.hpp. docs/unit-tests.md tells the rest.

   The program is built with heddle cc (or with -fsanitize=thread and linked with libheddle), has its own main, and runs
   by itself. Threads are ordinary: pthread_create, thrd_create. */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero means the default, so `heddle_options options = {0};` is a good start. */
typedef struct heddle_options {
  const char* name;         /* for reports; "check N" */
  const char* model;        /* the memory model, as `heddle test --model`; "rc11" */
  const char* strategy;     /* as `heddle test --strategy`; "auto" */
  uint64_t executions;      /* 1000; for the strategy exhaustive: all */
  double seconds;           /* stop after so much time; no limit */
  uint64_t seed;            /* 1 */
  uint64_t max_events;      /* of one execution; 1,000,000 */
  uint64_t max_memory;      /* bytes of heap of one execution; 4 GiB */
  int continue_after_bug;   /* the first bug ends the check */
  int release_sequence_c11; /* as `heddle test --release-sequence c11` */
  int check_leaks;          /* memory that is not freed when the body returns is a bug */
  const char* out;          /* the folder for traces; "heddle-out" */
  double timeout;           /* seconds without a visible operation that end the check; 10, less than 0: no limit */
  uint64_t reserved[3];
} heddle_options;

typedef struct heddle_finding {
  const char* kind;     /* race, assert, crash, deadlock, ... */
  const char* message;  /* one line */
  const char* trace;    /* the file for `heddle replay`; may be empty */
  uint64_t execution;   /* the first that showed it: with the seed, its name */
  uint64_t count;       /* executions that showed it */
  const char* strategy; /* what the first one used, with its parameters */
} heddle_finding;

/* The exit codes of the heddle command. */
enum { heddle_passed = 0, heddle_bug_found = 1, heddle_wrong_usage = 2, heddle_cannot_test = 3 };

typedef struct heddle_result {
  int status;
  int search_finished; /* strategy exhaustive: every execution was seen */
  uint64_t executions;
  uint64_t buggy;
  uint64_t blocked;
  uint64_t cut_off;
  uint64_t events;
  uint64_t graphs; /* distinct ones; exhaustive: not counted, no graph comes twice */
  double seconds;
  const heddle_finding* findings;
  size_t finding_count;
  const char* report; /* for people: every finding with its stacks, and the figures; never NULL */
  void* owner;
} heddle_result;

/* Runs body(argument) as a test. NULL for options means all defaults. */
heddle_result heddle_check(const heddle_options* options, void (*body)(void* argument), void* argument);
void heddle_free_result(heddle_result* result);
/* Inside a body: ends the execution with a finding of kind "assert". Does not return inside one; outside it aborts. */
void heddle_fail(const char* message);

#ifdef __cplusplus
}
#endif

#endif
