/* Runs a program, and writes down the address of every instruction that it executes between two visits of one of its
 * functions: single_step OUT OFFSET SKIP COUNT PROGRAM [ARGUMENT...]. OFFSET is the function's in the program's file,
 * the first SKIP visits do not count, COUNT visits later it ends. OUT gets the addresses, OUT.maps what lay where. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;

static _Noreturn void give_up(const char* why) {
  fprintf(stderr, "single_step: %s\n", why);
  if (child > 0) kill(child, SIGKILL);
  exit(1);
}

static int wait_for_child(void) {
  int status;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) give_up("the program ended too early");
  return WSTOPSIG(status);
}

static void copy_maps(const char* out) {
  char path[4096], line[4096];
  snprintf(path, sizeof path, "/proc/%d/maps", child);
  FILE* from = fopen(path, "r");
  snprintf(path, sizeof path, "%s.maps", out);
  FILE* to = fopen(path, "w");
  if (from == NULL || to == NULL) give_up("cannot copy the program's memory map");
  while (fgets(line, sizeof line, from) != NULL) fputs(line, to);
  fclose(from);
  fclose(to);
}

static unsigned long program_base(void) {
  char path[64];
  unsigned long base = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", child);
  FILE* maps = fopen(path, "r");
  if (maps == NULL || fscanf(maps, "%lx", &base) != 1) give_up("cannot read the program's memory map");
  fclose(maps);
  return base;
}

static unsigned long program_counter(void) {
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, child, 0, &registers) != 0) give_up("cannot read the program's registers");
  return registers.rip;
}

static void step(void) {
  ptrace(PTRACE_SINGLESTEP, child, 0, 0);
  wait_for_child();
}

/* Goes on until the program is at `address`, by a breakpoint. */
static void run_to(unsigned long address) {
  const long code = ptrace(PTRACE_PEEKTEXT, child, address, 0);
  ptrace(PTRACE_POKETEXT, child, address, (code & ~0xffL) | 0xcc);
  for (int signal = 0;;) {
    ptrace(PTRACE_CONT, child, 0, signal);
    signal = wait_for_child();
    if (signal != SIGTRAP) continue;
    signal = 0;
    struct user_regs_struct registers;
    ptrace(PTRACE_GETREGS, child, 0, &registers);
    if (registers.rip - 1 != address) continue;
    registers.rip = address;
    ptrace(PTRACE_SETREGS, child, 0, &registers);
    break;
  }
  ptrace(PTRACE_POKETEXT, child, address, code);
}

int main(int argc, char** argv) {
  if (argc < 6) give_up("usage: single_step OUT OFFSET SKIP COUNT PROGRAM [ARGUMENT...]");
  const unsigned long offset = strtoul(argv[2], NULL, 16);
  const long skip = atol(argv[3]), count = atol(argv[4]);
  child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    execv(argv[5], argv + 5);
    _exit(127);
  }
  wait_for_child();
  const unsigned long function = program_base() + offset;
  for (long i = 0; i <= skip; ++i) {
    run_to(function);
    if (i < skip) step();
  }
  copy_maps(argv[1]);
  FILE* out = fopen(argv[1], "wb");
  if (out == NULL) give_up("cannot write the addresses");
  for (long visits = 0;;) {
    const uint64_t at = program_counter();
    if (at == function && visits++ == count) break;
    fwrite(&at, sizeof at, 1, out);
    step();
  }
  fclose(out);
  kill(child, SIGKILL);
  return 0;
}
