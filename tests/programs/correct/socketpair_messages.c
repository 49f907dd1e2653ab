// heddle: clean
// heddle-runs: 200
// heddle-levels: -O0 -O2
// Connected sockets between threads: streams and messages, every way to send and to receive, and shutdown.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { many = 300000 };
static int stream[2], messages[2];
static int shared;
static char big[many], taken[many];

static void* serve(void* unused) {
  (void)unused;
  char text[16];
  assert(recv(stream[1], text, 5, MSG_WAITALL) == 5 && memcmp(text, "hello", 5) == 0);
  assert(shared == 1);
  shared = 2;
  assert(send(stream[1], "world", 5, MSG_NOSIGNAL) == 5);
  assert(recvfrom(messages[1], text, sizeof text, 0, 0, 0) == 3); /* one message at a time */
  assert(recvfrom(messages[1], text, sizeof text, 0, 0, 0) == 4);
  struct iovec vector = {text, 2};
  struct msghdr head = {.msg_iov = &vector, .msg_iovlen = 1};
  assert(recvmsg(stream[1], &head, 0) == 2 && text[0] == 'm');
  memset(big, 'b', sizeof big);
  assert(send(stream[1], big, sizeof big, 0) == sizeof big); /* more than the buffers hold */
  shutdown(stream[1], SHUT_WR);
  assert(read(stream[1], text, sizeof text) == 0);
  return 0;
}

int main(void) {
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, stream) == 0);
  assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, messages) == 0);
  char text[16];
  assert(recv(stream[0], text, sizeof text, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  pthread_t thread;
  pthread_create(&thread, 0, serve, 0);
  shared = 1;
  assert(write(stream[0], "he", 2) == 2 && write(stream[0], "llo", 3) == 3);
  assert(recv(stream[0], text, 5, MSG_WAITALL) == 5 && memcmp(text, "world", 5) == 0);
  assert(shared == 2);
  assert(send(messages[0], "one", 3, 0) == 3 && sendto(messages[0], "four", 4, 0, 0, 0) == 4);
  struct iovec vector = {"ms", 2};
  struct msghdr head = {.msg_iov = &vector, .msg_iovlen = 1};
  assert(sendmsg(stream[0], &head, 0) == 2);
  size_t all = 0;
  ssize_t got;
  while ((got = read(stream[0], taken + all, sizeof taken - all)) > 0) all += (size_t)got;
  assert(all == many && taken[many - 1] == 'b');
  close(stream[0]);
  pthread_join(thread, 0);
  return 0;
}
