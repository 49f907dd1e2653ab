/* The program around the harness of heddle/stress.h: its options, and its results as one JSON object a line. */
#ifndef HEDDLE_STRESS_PROGRAM_H
#define HEDDLE_STRESS_PROGRAM_H

static inline void heddle_stress_print_text(const char* text) {
  putchar('"');
  for (; *text != '\0'; ++text) {
    if (*text == '"' || *text == '\\') putchar('\\');
    if ((unsigned char)*text >= 0x20) putchar(*text);
  }
  putchar('"');
}

static inline const char* heddle_stress_expectation_name(enum heddle_stress_expectation expectation) {
  return expectation == HEDDLE_STRESS_ATOMIC ? "atomic" : expectation == HEDDLE_STRESS_BROKEN ? "broken" : "weak";
}

static inline void heddle_stress_print_number(const char* name, uint64_t value) {
  printf(",\"%s\":%llu", name, (unsigned long long)value);
}

static inline void heddle_stress_print_head(const struct heddle_stress_run* run) {
  printf("{\"subject\":");
  heddle_stress_print_text(run->subject->name);
  printf(",\"expectation\":\"%s\"", heddle_stress_expectation_name(run->subject->expectation));
  heddle_stress_print_number("threads", (uint64_t)run->settings.threads);
  heddle_stress_print_number("cores", (uint64_t)run->cores);
}

static inline void heddle_stress_print_result(struct heddle_stress_run* run) {
  int t, m;
  run->has_failed = run->errors != 0;
  heddle_stress_print_head(run);
  printf(",\"order\":\"%s\"", run->settings.same_order ? "same" : "different");
  printf(",\"barrier\":\"%s\"", run->settings.condition_variable ? "condvar" : "spin");
  heddle_stress_print_number("runs", run->runs);
  heddle_stress_print_number("interleaved", run->interleaved);
  heddle_stress_print_number("errors", run->errors);
  heddle_stress_print_number("interleaved_errors", run->interleaved_errors);
  printf(",\"lost\":[");
  for (t = 0; t <= run->settings.threads; ++t) printf("%s%llu", t == 0 ? "" : ",", (unsigned long long)run->lost[t]);
  printf("]");
  if (run->errors != 0) {
    printf(",\"first_error\":[");
    for (m = 0; m < HEDDLE_STRESS_MONITORS; ++m) {
      printf("%s[", m == 0 ? "" : ",");
      for (t = 0; t < run->settings.threads; ++t) printf("%s%u", t == 0 ? "" : ",", run->first_error[m][t] + 1);
      printf("]");
    }
    printf("]");
  }
  heddle_stress_print_number("longest_burst", run->is_adapted ? (uint64_t)heddle_stress_longest_burst(run) : 1);
  printf(",\"seconds\":%.6f}\n", run->end - run->begin);
}

static inline void heddle_stress_print_naive(struct heddle_stress_run* run) {
  const unsigned bits = run->subject->bits;
  const uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
  const uint64_t expected = (uint64_t)run->settings.threads * run->settings.naive & mask;
  const uint64_t actual = run->subject->value() & mask;
  run->has_failed = expected != actual;
  heddle_stress_print_head(run);
  heddle_stress_print_number("expected", expected);
  heddle_stress_print_number("actual", actual);
  printf(",\"seconds\":%.6f}\n", run->end - run->begin);
}

static inline int heddle_stress_run_subject(struct heddle_stress_run* run) {
  void* (*worker)(void*) = run->settings.naive != 0           ? heddle_stress_naive_worker
                           : run->settings.condition_variable ? heddle_stress_waiting_worker
                                                              : heddle_stress_spin_worker;
  int t, error = 0;
  run->cores = heddle_stress_cores();
  run->burst = 1;
  pthread_mutex_init(&run->mutex, NULL);
  pthread_cond_init(&run->go, NULL);
  pthread_cond_init(&run->done, NULL);
  run->subject->reset(run->settings.threads);
  run->begin = heddle_stress_seconds();
  for (t = 0; t < run->settings.threads; ++t) {
    struct heddle_stress_thread* thread = &run->thread[t];
    thread->id = t + 1;
    thread->run = run;
    thread->random = (run->settings.seed + (uint64_t)t + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    error = pthread_create(&thread->handle, NULL, worker, thread);
    if (error == 0) continue;
    /* The threads that did start wait for the missing ones, so the program cannot continue. */
    fprintf(stderr, "cannot start thread %d of %d: %s\n", t + 1, run->settings.threads, strerror(error));
    exit(3);
  }
  if (worker == heddle_stress_waiting_worker) heddle_stress_broadcast(run);
  for (t = 0; t < run->settings.threads; ++t) pthread_join(run->thread[t].handle, NULL);
  run->end = heddle_stress_seconds();
  if (run->settings.naive != 0)
    heddle_stress_print_naive(run);
  else
    heddle_stress_print_result(run);
  fflush(stdout);
  return run->has_failed && run->subject->expectation == HEDDLE_STRESS_ATOMIC;
}

/* Whether the name matches a pattern in which * stands for any characters. */
static inline int heddle_stress_matches(const char* pattern, const char* name) {
  if (*pattern == '*')
    return heddle_stress_matches(pattern + 1, name) || (*name && heddle_stress_matches(pattern, name + 1));
  if (*pattern == '\0' || *name == '\0') return *pattern == *name;
  return *pattern == *name && heddle_stress_matches(pattern + 1, name + 1);
}

static inline int heddle_stress_usage(const char* program, const char* problem) {
  fprintf(stderr,
          "%s\nusage: %s [--list] [--threads N] [--interleaved N] [--seconds S] [--order same|different]\n"
          "  [--barrier spin|condvar] [--pin yes|no] [--spread N] [--seed N] [--naive N] [--until-error 0|1]\n  "
          "[PATTERN...]\n",
          problem, program);
  return 2;
}

/* The value of an option as a number from `least` to `most`, or -1. */
static inline double heddle_stress_parse(const char* text, double least, double most) {
  char* end;
  const double value = strtod(text, &end);
  return end != text && *end == '\0' && value >= least && value <= most ? value : -1;
}

/* Returns 0, or the problem. */
static inline const char* heddle_stress_set(struct heddle_stress_settings* settings, const char* name,
                                            const char* text) {
  const int is_word = !strcmp(name, "--order") || !strcmp(name, "--barrier") || !strcmp(name, "--pin");
  const double number = is_word ? 0 : heddle_stress_parse(text, 0, 1e15);
  if (number < 0) return "an option needs a number";
  if (!strcmp(name, "--threads")) {
    if (number < 2 || number > HEDDLE_STRESS_MOST_THREADS) return "--threads takes a number from 2 to 63";
    settings->threads = (int)number;
  } else if (!strcmp(name, "--interleaved")) {
    settings->interleaved = (uint64_t)number;
  } else if (!strcmp(name, "--seconds")) {
    settings->seconds = number;
  } else if (!strcmp(name, "--order")) {
    settings->same_order = !strcmp(text, "same");
  } else if (!strcmp(name, "--barrier")) {
    settings->condition_variable = !strcmp(text, "condvar");
  } else if (!strcmp(name, "--pin")) {
    settings->pinned = !strcmp(text, "yes");
  } else if (!strcmp(name, "--spread")) {
    settings->spread = (int)number;
  } else if (!strcmp(name, "--seed")) {
    settings->seed = (uint64_t)number;
  } else if (!strcmp(name, "--naive")) {
    settings->naive = (uint64_t)number;
  } else if (!strcmp(name, "--until-error")) {
    settings->until_error = number != 0;
  } else {
    return "there is no such option";
  }
  return NULL;
}

/* Exit code: 0 no error, 1 an error of a subject that should be atomic, 2 wrong usage, 3 a thread did not start. */
HEDDLE_STRESS_LINKAGE int heddle_stress_main(int argc, char** argv, const struct heddle_stress_subject* subjects,
                                             size_t count) {
  struct heddle_stress_settings settings = {0, 100000, 10, 0, 0, 1, 16, 0, 1, 0};
  struct heddle_stress_run* run;
  int first_pattern = 1, is_list = 0, result = 0, i;
  size_t s;
  while (first_pattern < argc && argv[first_pattern][0] == '-') {
    const char *name = argv[first_pattern++], *problem;
    if (!strcmp(name, "--list")) {
      is_list = 1;
      continue;
    }
    if (first_pattern == argc) return heddle_stress_usage(argv[0], "an option needs a value");
    problem = heddle_stress_set(&settings, name, argv[first_pattern++]);
    if (problem != NULL) return heddle_stress_usage(argv[0], problem);
  }
  if (settings.threads == 0) settings.threads = heddle_stress_cores() < 2 ? 2 : heddle_stress_cores();
  if (settings.threads > HEDDLE_STRESS_MOST_THREADS) settings.threads = HEDDLE_STRESS_MOST_THREADS;
  for (s = 0; s < count; ++s) {
    int is_chosen = first_pattern == argc;
    for (i = first_pattern; i < argc; ++i) is_chosen |= heddle_stress_matches(argv[i], subjects[s].name);
    if (!is_chosen) continue;
    if (is_list) {
      printf("%s %s\n", heddle_stress_expectation_name(subjects[s].expectation), subjects[s].name);
      continue;
    }
    if (settings.naive != 0 && subjects[s].value == NULL) continue;
    run = aligned_alloc(HEDDLE_STRESS_LINE, sizeof *run);
    if (run == NULL) return fprintf(stderr, "there is not enough memory\n"), 3;
    memset(run, 0, sizeof *run);
    run->subject = &subjects[s];
    run->settings = settings;
    result |= heddle_stress_run_subject(run);
    free(run);
  }
  return result;
}

#endif
