/* The harness alone, for subjects in C++. */
#define HEDDLE_STRESS_LINKAGE
#include <heddle/stress.h>
