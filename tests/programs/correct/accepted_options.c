// heddle: clean
// heddle-runs: 200
// A TCP socket that is accepted has the options of the listening one, which it can change for itself.
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in address = {.sin_family = AF_INET};

static void* connect_once(void* nothing) {
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(client, (struct sockaddr*)&address, sizeof address) == 0);
  close(client);
  return nothing;
}

static void set(int fd, int level, int name, int value) {
  assert(setsockopt(fd, level, name, &value, sizeof value) == 0);
}

static int is_set(int fd, int level, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  assert(getsockopt(fd, level, name, &value, &size) == 0);
  return value != 0;
}

int main(void) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  set(listener, IPPROTO_TCP, TCP_NODELAY, 1);
  set(listener, SOL_SOCKET, SO_KEEPALIVE, 1);
  socklen_t size = sizeof address;
  assert(bind(listener, (struct sockaddr*)&address, size) == 0);
  assert(listen(listener, 1) == 0);
  assert(getsockname(listener, (struct sockaddr*)&address, &size) == 0);
  pthread_t thread;
  pthread_create(&thread, 0, connect_once, 0);
  const int accepted = accept(listener, 0, 0);
  assert(is_set(accepted, IPPROTO_TCP, TCP_NODELAY));
  assert(is_set(accepted, SOL_SOCKET, SO_KEEPALIVE));
  set(accepted, IPPROTO_TCP, TCP_NODELAY, 0);
  assert(!is_set(accepted, IPPROTO_TCP, TCP_NODELAY));
  assert(is_set(listener, IPPROTO_TCP, TCP_NODELAY));
  pthread_join(thread, 0);
  close(accepted);
  close(listener);
  return 0;
}
