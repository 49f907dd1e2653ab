/* heddle_check runs a function as a concurrency test, many times, in the process that calls it. This is the interface
   for C; C++ programs use heddle/heddle.hpp. See docs/unit-tests.md.

   Build the program with heddle cc (or with -fsanitize=thread, and link it with libheddle). It has its own main and is
   started by itself, not with heddle test. The function uses ordinary threads: pthread_create, thrd_create. */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A member that is zero has its default value, so `heddle_options options = {0};` gives all defaults. */
typedef struct heddle_options {
  const char* name;         /* for reports; default: "check N" */
  const char* model;        /* as `heddle test --model`; default: "rc11" */
  const char* strategy;     /* as `heddle test --strategy`; default: "auto" */
  uint64_t executions;      /* default: 1000; for the strategy exhaustive, all */
  double seconds;           /* stop after this time; default: no limit */
  uint64_t seed;            /* default: 1 */
  uint64_t max_events;      /* of one execution; default: 1,000,000 */
  uint64_t max_memory;      /* bytes of heap of one execution; default: 4 GiB */
  int continue_after_bug;   /* default: the first bug ends the check */
  int release_sequence_c11; /* as `heddle test --release-sequence c11` */
  int check_leaks;          /* report memory that is not freed when the body returns */
  const char* out;          /* the folder for traces; default: "heddle-out" */
  double timeout;       /* seconds without a visible operation that end the check; default: 10; negative: no limit */
  int any_exit_status;  /* as `heddle test --exit-status any`: a body may call exit() with any status */
  int strict_time;      /* as `heddle test --time-model strict` */
  int full_rmw;         /* as `heddle test --rmw full` */
  int relaxed_volatile; /* as `heddle test --volatile relaxed` */
  uint64_t reserved[1];
} heddle_options;

typedef struct heddle_finding {
  const char* kind;     /* race, assert, crash, deadlock, ... */
  const char* message;  /* one line */
  const char* trace;    /* the file for `heddle replay`; may be empty */
  uint64_t execution;   /* the first execution that showed it */
  uint64_t count;       /* how many executions showed it */
  const char* strategy; /* of the first execution that showed it, with parameters */
} heddle_finding;

/* The exit codes of the heddle command. */
enum { heddle_passed = 0, heddle_bug_found = 1, heddle_wrong_usage = 2, heddle_cannot_test = 3 };

typedef struct heddle_result {
  int status;
  int search_finished; /* strategies exhaustive and auto: every execution was explored */
  uint64_t executions;
  uint64_t buggy;
  uint64_t blocked;
  uint64_t cut_off;
  uint64_t events;
  uint64_t graphs; /* distinct execution graphs; not counted for the strategy exhaustive */
  double seconds;
  const heddle_finding* findings;
  size_t finding_count;
  const char* report; /* text for people: every finding with its stacks, and the figures; never NULL */
  void* owner;
} heddle_result;

/* Runs body(argument) as a test. NULL for options means all defaults. */
heddle_result heddle_check(const heddle_options* options, void (*body)(void* argument), void* argument);
void heddle_free_result(heddle_result* result);
/* Ends the execution with a finding of kind "assert". Outside of a check it aborts the process. Never returns. */
void heddle_fail(const char* message);

#ifdef __cplusplus
}
#endif

#endif
