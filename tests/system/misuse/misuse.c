// Uses of threads, locks, descriptors and signals that POSIX leaves undefined, each beside a right one. The first
// argument names the case. A line "// NAME: KIND: TEXT" says what heddle finds, "// NAME: clean" that it finds nothing.
// Options of heddle test stand in brackets.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static atomic_int flag;
static const struct timespec past = {0, 0};

static pthread_t start(void* (*routine)(void*)) {
  pthread_t thread;
  assert(pthread_create(&thread, 0, routine, 0) == 0);
  return thread;
}
static void run(void* (*routine)(void*)) { pthread_join(start(routine), 0); }
static void run_both(void* (*first)(void*), void* (*second)(void*)) {
  const pthread_t one = start(first), other = start(second);
  pthread_join(one, 0);
  pthread_join(other, 0);
}
static void* nothing(void* argument) { return argument; }

static void make(pthread_mutex_t* mutex, int type, int robustness) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robustness);
  pthread_mutex_init(mutex, &attributes);
}

// ---- threads --------------------------------------------------------------------------------------------------

// joined_twice: misuse: a thread is joined that was joined before
static void joined_twice(void) {
  const pthread_t thread = start(nothing);
  pthread_join(thread, 0);
  pthread_join(thread, 0);
}
// joined_after_detach: misuse: a thread is joined that is detached
static void joined_after_detach(void) {
  const pthread_t thread = start(nothing);
  pthread_detach(thread);
  pthread_join(thread, 0);
}
// detached_after_join: misuse: a thread is detached that was joined before
static void detached_after_join(void) {
  const pthread_t thread = start(nothing);
  pthread_join(thread, 0);
  pthread_detach(thread);
}
// detached_twice: misuse: a thread is detached that is detached already
static void detached_twice(void) {
  const pthread_t thread = start(nothing);
  pthread_detach(thread);
  pthread_detach(thread);
}
static pthread_t shared_thread;
static void* wait_for_flag(void* argument) {
  while (!atomic_load(&flag)) sched_yield();
  return argument;
}
static void* join_shared(void* argument) {
  pthread_join(shared_thread, 0);
  return argument;
}
// joined_by_two: misuse: a thread is joined that another thread waits to join|that was joined before
static void joined_by_two(void) {
  shared_thread = start(wait_for_flag);
  const pthread_t one = start(join_shared), other = start(join_shared);
  atomic_store(&flag, 1);
  pthread_join(one, 0);
  pthread_join(other, 0);
}
// killed_after_join: misuse: a signal is sent to a thread that was joined before
static void killed_after_join(void) {
  const pthread_t thread = start(nothing);
  pthread_join(thread, 0);
  pthread_kill(thread, 0);
}
// cancelled_after_join: misuse: a thread is cancelled that was joined before
static void cancelled_after_join(void) {
  const pthread_t thread = start(nothing);
  pthread_join(thread, 0);
  pthread_cancel(thread);
}
// threads_ended_once: clean [--leaks]
static void threads_ended_once(void) {
  run(nothing);
  pthread_detach(start(nothing));
  assert(pthread_join(pthread_self(), 0) == EDEADLK);
  const pthread_t thread = start(wait_for_flag);
  assert(pthread_tryjoin_np(thread, 0) == EBUSY);
  pthread_kill(thread, 0);
  atomic_store(&flag, 1);
  pthread_join(thread, 0);
}
// thread_left: thread-leak: neither joined nor detached [--leaks]
static void thread_left(void) { start(nothing); }

// ---- mutexes --------------------------------------------------------------------------------------------------

static void* unlock_a(void* argument) {
  pthread_mutex_unlock(&a);
  return argument;
}
static void* lock_a(void* argument) {
  pthread_mutex_lock(&a);
  return argument;
}
// unlocked_unlocked: misuse: a mutex is unlocked by a thread that does not hold it
static void unlocked_unlocked(void) { pthread_mutex_unlock(&a); }
// unlocked_by_other: misuse: a mutex is unlocked by a thread that does not hold it
static void unlocked_by_other(void) {
  pthread_mutex_lock(&a);
  run(unlock_a);
}
// ended_while_locked: misuse: a thread ends while it holds a mutex
static void ended_while_locked(void) { run(lock_a); }
// freed_while_locked: misuse: the memory of a mutex is freed while it is locked
static void freed_while_locked(void) {
  pthread_mutex_t* mutex = malloc(sizeof *mutex);
  pthread_mutex_init(mutex, 0);
  pthread_mutex_lock(mutex);
  free(mutex);
}
static __attribute__((noinline)) void lock_local(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
}
// returned_while_locked: misuse: a mutex is a local variable of a function that returns while it is locked
static void returned_while_locked(void) {
  lock_local();
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
}
// destroyed_while_locked: misuse: a mutex is destroyed while it is in use
static void destroyed_while_locked(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_destroy(&a);
}
// mutexes_that_tell: clean
static void mutexes_that_tell(void) {
  pthread_mutex_t mutex;
  make(&mutex, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  assert(pthread_mutex_unlock(&mutex) == EPERM);
  assert(pthread_cond_timedwait(&condition, &mutex, &past) == EPERM);
  pthread_mutex_lock(&mutex);
  assert(pthread_mutex_lock(&mutex) == EDEADLK);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
  make(&mutex, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  assert(pthread_mutex_unlock(&mutex) == EPERM);
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
}
static pthread_mutex_t robust;
static void* lock_robust(void* argument) {
  pthread_mutex_lock(&robust);
  return argument;
}
// robust_owner_ends: clean
static void robust_owner_ends(void) {
  make(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  run(lock_robust);
  assert(pthread_mutex_lock(&robust) == EOWNERDEAD);
  pthread_mutex_consistent(&robust);
  pthread_mutex_unlock(&robust);
}
static __attribute__((noinline)) void lock_it(pthread_mutex_t* mutex) { pthread_mutex_lock(mutex); }
static __attribute__((noinline)) void unlock_it(pthread_mutex_t* mutex) { pthread_mutex_unlock(mutex); }
// locked_in_helpers: clean
static void locked_in_helpers(void) {
  volatile int size = 3;
  pthread_mutex_t mutexes[size];  // below the stack pointer that the function began with
  pthread_mutex_t* block = malloc(sizeof *block);
  pthread_mutex_init(block, 0);
  for (int i = 0; i < size; ++i) pthread_mutex_init(&mutexes[i], 0);
  for (int i = 0; i < size; ++i) lock_it(&mutexes[i]);
  lock_it(block);
  for (int i = size; i-- > 0;) unlock_it(&mutexes[i]);
  unlock_it(block);
  free(block);
}

// ---- other objects --------------------------------------------------------------------------------------------

// shared_while_writing: misuse: a reader-writer lock is locked by a thread that holds it exclusively
static void shared_while_writing(void) {
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_rdlock(&rwlock);
}
// written_twice: misuse: a reader-writer lock is locked by a thread that holds it exclusively
static void written_twice(void) {
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_wrlock(&rwlock);
}
// rwlock_unlocked: misuse: a reader-writer lock is unlocked by a thread that does not hold it
static void rwlock_unlocked(void) { pthread_rwlock_unlock(&rwlock); }
static void* share_rwlock(void* argument) {
  pthread_rwlock_rdlock(&rwlock);
  return argument;
}
// ended_while_shared: misuse: a thread ends while it holds a reader-writer lock
static void ended_while_shared(void) { run(share_rwlock); }
// rwlock_destroyed: misuse: a reader-writer lock is destroyed while it is in use
static void rwlock_destroyed(void) {
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_destroy(&rwlock);
}
// spinlock_unlocked: misuse: a spinlock is unlocked by a thread that does not hold it
static void spinlock_unlocked(void) {
  pthread_spin_init(&spinlock, 0);
  pthread_spin_unlock(&spinlock);
}
// waited_without_mutex: misuse: a condition variable is waited for with a mutex that the thread does not hold
static void waited_without_mutex(void) { pthread_cond_timedwait(&condition, &a, &past); }
static void* wait_with_a(void* argument) {
  pthread_mutex_lock(&a);
  while (!atomic_load(&flag)) pthread_cond_wait(&condition, &a);
  pthread_mutex_unlock(&a);
  return argument;
}
// waited_with_two: misuse: a condition variable is waited for with two mutexes at the same time
static void waited_with_two(void) {
  const pthread_t thread = start(wait_with_a);
  pthread_mutex_lock(&b);
  pthread_cond_timedwait(&condition, &b, &past);
  pthread_mutex_unlock(&b);
  pthread_mutex_lock(&a);
  atomic_store(&flag, 1);
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&a);
  pthread_join(thread, 0);
}
// barrier_not_made: misuse: a barrier is destroyed without being initialised
static void barrier_not_made(void) { pthread_barrier_destroy(&barrier); }
// objects_used_well: clean
static void objects_used_well(void) {
  pthread_rwlock_wrlock(&rwlock);
  assert(pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
  assert(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
  pthread_rwlock_unlock(&rwlock);
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  pthread_spin_init(&spinlock, 0);
  pthread_spin_lock(&spinlock);
  pthread_spin_unlock(&spinlock);
  pthread_spin_destroy(&spinlock);
  pthread_mutex_lock(&a);
  pthread_cond_timedwait(&condition, &a, &past);
  pthread_mutex_unlock(&a);
  pthread_mutex_lock(&b);
  pthread_cond_timedwait(&condition, &b, &past);  // not at the same time as with a
  pthread_mutex_unlock(&b);
  pthread_barrier_init(&barrier, 0, 1);
  pthread_barrier_wait(&barrier);
  pthread_barrier_destroy(&barrier);
}

// ---- annotated locks ------------------------------------------------------------------------------------------

void __tsan_mutex_create(void* lock, unsigned flags);
void __tsan_mutex_destroy(void* lock, unsigned flags);
void __tsan_mutex_pre_lock(void* lock, unsigned flags);
void __tsan_mutex_post_lock(void* lock, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void* lock, unsigned flags);
void __tsan_mutex_post_unlock(void* lock, unsigned flags);
static int own_lock;
static void take(unsigned flags) {
  __tsan_mutex_pre_lock(&own_lock, flags);
  __tsan_mutex_post_lock(&own_lock, flags, 1);
}
static void leave(unsigned flags) {
  __tsan_mutex_pre_unlock(&own_lock, flags);
  __tsan_mutex_post_unlock(&own_lock, flags);
}
enum { reentrant = 1 << 1, shared = 1 << 3 };
// annotated_unlocked: misuse: a lock is unlocked by a thread that does not hold it
static void annotated_unlocked(void) { leave(0); }
// annotated_not_shared: misuse: a lock is unlocked that no thread shares
static void annotated_not_shared(void) { leave(shared); }
// annotated_locked_twice: misuse: a lock is locked by a thread that holds it already
static void annotated_locked_twice(void) {
  take(0);
  take(0);
  leave(0);
  leave(0);
}
// annotated_destroyed: misuse: a lock is destroyed while it is locked
static void annotated_destroyed(void) {
  take(0);
  __tsan_mutex_destroy(&own_lock, 0);
}
// annotated_well: clean
static void annotated_well(void) {
  __tsan_mutex_create(&own_lock, reentrant);
  take(0);
  take(0);
  leave(0);
  leave(0);
  take(shared);
  leave(shared);
  __tsan_mutex_destroy(&own_lock, 0);
}

// ---- signals --------------------------------------------------------------------------------------------------

static void* volatile kept;
static void allocate(int number) {
  kept = malloc((size_t)number);
  free(kept);
}
static void lock_in_handler(int number) {
  (void)number;
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
}
static void print(int number) {
  const int before = errno;
  printf("%d", number);
  putchar(' ');
  fputs("x", stdout);
  fwrite("y", 1, 1, stdout);
  fflush(stdout);
  errno = before;
}
static void format(int number) {
  static char text[32];
  snprintf(text, sizeof text, "%d", number);
}
static void open_stream(int number) {
  (void)number;
  const int before = errno;
  FILE* const stream = fopen("/dev/null", "w");
  fclose(stream);
  errno = before;
}
static void exit_in_handler(int number) {
  (void)number;
  exit(0);
}
static void* do_nothing(void* argument) { return argument; }
static void start_thread(int number) {
  (void)number;
  pthread_t thread;
  pthread_create(&thread, 0, do_nothing, 0);
  pthread_join(thread, 0);
}
static pthread_spinlock_t spin_of_handler;
static void spin_in_handler(int number) {
  (void)number;
  pthread_spin_lock(&spin_of_handler);
  pthread_spin_unlock(&spin_of_handler);
}
static void call_safe_functions(int number) {
  const int before = errno;
  char text[16] = "signal ";
  text[strlen(text)] = (char)('0' + number % 10);
  const int null = open("/dev/null", O_WRONLY);
  assert(write(null, text, strlen(text)) > 0);
  struct stat status;
  fstat(null, &status);
  close(null);
  assert(atoi("7") == 7);  // POSIX does not list it, but it depends on its argument only
  errno = before;
}
static void exit_at_once(int number) {
  (void)number;
  _exit(0);
}
static void spoil_errno(int number) { errno = number; }
static void keep_errno(int number) {
  const int before = errno;
  errno = number;
  atomic_store(&flag, 1);
  errno = before;
}
static void* answer_signals(void* argument) {
  for (int i = 0; i < 3; ++i) atomic_fetch_add(&flag, 2);
  return argument;
}
static void send(void (*handler)(int)) {
  signal(SIGUSR1, handler);
  const pthread_t thread = start(answer_signals);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, 0);
}
// handler_allocates: signal-unsafe: malloc is called in a handler|free is called in a handler
static void handler_allocates(void) { send(allocate); }
// handler_locks: signal-unsafe: a function on a mutex is called in a handler
static void handler_locks(void) { send(lock_in_handler); }
// handler_prints: signal-unsafe: printf is called in a handler|putchar is|fputs is|fputc is|fwrite is|fflush is|putc is
static void handler_prints(void) { send(print); }
// handler_formats: signal-unsafe: snprintf is called in a handler
static void handler_formats(void) { send(format); }
// handler_opens_stream: signal-unsafe: fopen is called in a handler|fclose is called in a handler|malloc is|free is
static void handler_opens_stream(void) { send(open_stream); }
// handler_exits: signal-unsafe: exit is called in a handler
static void handler_exits(void) { send(exit_in_handler); }
// handler_starts_thread: signal-unsafe: pthread_create is called in a handler|pthread_join is called in a handler
static void handler_starts_thread(void) { send(start_thread); }
// handler_spins: signal-unsafe: a function on a spinlock is called in a handler
static void handler_spins(void) {
  pthread_spin_init(&spin_of_handler, 0);
  send(spin_in_handler);
}
// handler_is_careful: clean
static void handler_is_careful(void) {
  send(call_safe_functions);
  send(exit_at_once);
}
// handler_spoils_errno: signal-errno: the handler of SIGUSR1 changes errno
static void handler_spoils_errno(void) { send(spoil_errno); }
static sem_t semaphore;
static void post(int number) {
  (void)number;
  sem_post(&semaphore);
}
// handlers_behave: clean
static void handlers_behave(void) {
  send(keep_errno);
  signal(SIGUSR1, allocate);
  raise(SIGUSR1);  // at a place that the program has chosen
  signal(SIGUSR1, spoil_errno);
  raise(SIGUSR1);
  sem_init(&semaphore, 0, 0);
  send(post);
  sigset_t blocked, none;
  sigemptyset(&none);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, 0);
  signal(SIGUSR1, allocate);
  kill(getpid(), SIGUSR1);
  sigsuspend(&none);
}

// ---- descriptors ----------------------------------------------------------------------------------------------

static int ends[2];
static void* write_byte(void* argument) {
  const ssize_t written = write(ends[1], "x", 1);
  (void)written;
  return argument;
}
static void* close_end(void* argument) {
  close(ends[1]);
  return argument;
}
// closed_while_used: descriptor-race: not ordered with the earlier
static void closed_while_used(void) {
  signal(SIGPIPE, SIG_IGN);
  assert(pipe(ends) == 0);
  run_both(write_byte, close_end);
}
// closed_by_two: descriptor-race: ordered with the earlier close
static void closed_by_two(void) {
  assert(pipe(ends) == 0);
  run_both(close_end, close_end);
}
// file_closed_while_used: descriptor-race: ordered with the earlier
static void file_closed_while_used(void) {
  ends[1] = open("/dev/null", O_WRONLY);
  run_both(write_byte, close_end);
}
static void* use_own_pipe(void* argument) {
  int own[2];
  char byte;
  assert(pipe(own) == 0);
  assert(write(own[1], "y", 1) == 1 && read(own[0], &byte, 1) == 1);
  close(own[0]);
  close(own[1]);
  return argument;
}
// descriptors_used_well: clean
static void descriptors_used_well(void) {
  assert(pipe(ends) == 0);
  run(write_byte);
  close(ends[1]);
  close(ends[1]);  // returns EBADF
  run_both(use_own_pipe, use_own_pipe);
}

// ---- the order of locks ---------------------------------------------------------------------------------------

static void take_two(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}
static void* a_then_b(void* argument) {
  take_two(&a, &b);
  return argument;
}
static void* b_then_a(void* argument) {
  take_two(&b, &a);
  return argument;
}
static void* signal_then_b_a(void* argument) {
  while (!atomic_load(&flag)) sched_yield();
  take_two(&b, &a);
  return argument;
}
static void* a_b_then_signal(void* argument) {
  take_two(&a, &b);
  atomic_store(&flag, 1);
  return argument;
}
// Never a deadlock: the flag orders the two. Locks alone do not tell.
// order_by_flag: lock-order warning: T0.1, T0.2 take the same locks in different orders
static void order_by_flag(void) { run_both(a_b_then_signal, signal_then_b_a); }
// order_fails: lock-order: take the same locks in different orders [--lock-order fail]
static void order_fails(void) { run_both(a_b_then_signal, signal_then_b_a); }
// order_off: clean [--lock-order off]
static void order_off(void) { run_both(a_b_then_signal, signal_then_b_a); }
// order_with_deadlock: deadlock: every thread waits for another
static void order_with_deadlock(void) { run_both(a_then_b, b_then_a); }
static void* gated(void* order) {
  pthread_mutex_lock(&gate);
  (order ? b_then_a : a_then_b)(0);
  pthread_mutex_unlock(&gate);
  return 0;
}
static void* gated_other(void* argument) {
  (void)argument;
  return gated(&gate);
}
static void* try_b_with_a(void* argument) {
  pthread_mutex_lock(&a);
  if (pthread_mutex_trylock(&b) == 0) pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return argument;
}
static void* share_then_a(void* argument) {
  pthread_rwlock_rdlock(&rwlock);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_rwlock_unlock(&rwlock);
  return argument;
}
static void* a_then_share(void* argument) {
  pthread_mutex_lock(&a);
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  pthread_mutex_unlock(&a);
  return argument;
}
static void* nest_recursive(void* argument) {
  pthread_mutex_lock(&robust);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&robust);
  pthread_mutex_unlock(&robust);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&robust);
  return argument;
}
// orders_that_cannot_deadlock: clean
static void orders_that_cannot_deadlock(void) {
  run_both(gated, gated_other);  // one lock is held around both
  a_then_b(0);                   // before the thread is created
  run(b_then_a);
  a_then_b(0);                           // after it has been joined
  run_both(try_b_with_a, b_then_a);      // a thread that only tries does not wait
  run_both(share_then_a, a_then_share);  // both threads share the lock
  make(&robust, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  run_both(nest_recursive, nest_recursive);
}

#define CASE(name) \
  { #name, name }
static const struct {
  const char* name;
  void (*function)(void);
} cases[] = {CASE(joined_twice),
             CASE(joined_after_detach),
             CASE(detached_after_join),
             CASE(detached_twice),
             CASE(joined_by_two),
             CASE(killed_after_join),
             CASE(cancelled_after_join),
             CASE(threads_ended_once),
             CASE(thread_left),
             CASE(unlocked_unlocked),
             CASE(unlocked_by_other),
             CASE(ended_while_locked),
             CASE(freed_while_locked),
             CASE(returned_while_locked),
             CASE(destroyed_while_locked),
             CASE(mutexes_that_tell),
             CASE(robust_owner_ends),
             CASE(locked_in_helpers),
             CASE(shared_while_writing),
             CASE(written_twice),
             CASE(rwlock_unlocked),
             CASE(ended_while_shared),
             CASE(rwlock_destroyed),
             CASE(spinlock_unlocked),
             CASE(waited_without_mutex),
             CASE(waited_with_two),
             CASE(barrier_not_made),
             CASE(objects_used_well),
             CASE(annotated_unlocked),
             CASE(annotated_not_shared),
             CASE(annotated_locked_twice),
             CASE(annotated_destroyed),
             CASE(annotated_well),
             CASE(handler_allocates),
             CASE(handler_locks),
             CASE(handler_prints),
             CASE(handler_formats),
             CASE(handler_opens_stream),
             CASE(handler_exits),
             CASE(handler_starts_thread),
             CASE(handler_spins),
             CASE(handler_is_careful),
             CASE(handler_spoils_errno),
             CASE(handlers_behave),
             CASE(closed_while_used),
             CASE(closed_by_two),
             CASE(file_closed_while_used),
             CASE(descriptors_used_well),
             CASE(order_by_flag),
             CASE(order_fails),
             CASE(order_off),
             CASE(order_with_deadlock),
             CASE(orders_that_cannot_deadlock)};

int main(int argc, char** argv) {
  assert(argc == 2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (strcmp(cases[i].name, argv[1]) == 0) {
      cases[i].function();
      return 0;
    }
  return 99;
}
