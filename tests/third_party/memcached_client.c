// Clients for memcached, linked into the server itself: heddle runs one process. Two clients store and fetch a value
// each, then one tells the server to end.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// The clients start before main, so the server may not listen yet.
static int connect_to_server(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(11211)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (;;) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr*)&address, sizeof address) == 0) return fd;
    close(fd);
    usleep(1000);
  }
}

static void fail(const char* what, const char* request, const char* text) {
  fprintf(stderr, "%s %s: %s\n", what, request, text);
  exit(9);
}

static void ask(int fd, const char* request, const char* answer) {
  char text[256] = "";
  size_t length = 0;
  if (write(fd, request, strlen(request)) != (ssize_t)strlen(request)) abort();
  while (length < strlen(answer)) {
    ssize_t got = read(fd, text + length, sizeof text - 1 - length);
    if (got <= 0) fail("no answer to", request, "");
    length += (size_t)got;
  }
  if (strcmp(text, answer) != 0) fail("wrong answer to", request, text);
}

static void* client(void* name) {
  int fd = connect_to_server();
  char request[64], answer[64];
  snprintf(request, sizeof request, "set %s 0 0 5\r\nhello\r\n", (char*)name);
  ask(fd, request, "STORED\r\n");
  snprintf(request, sizeof request, "get %s\r\n", (char*)name);
  snprintf(answer, sizeof answer, "VALUE %s 0 5\r\nhello\r\nEND\r\n", (char*)name);
  ask(fd, request, answer);
  ask(fd, "incr shared 1\r\n", "NOT_FOUND\r\n");
  close(fd);
  return name;
}

static void* clients(void* nothing) {
  pthread_t second;
  pthread_create(&second, NULL, client, "b");
  client("a");
  pthread_join(second, NULL);
  int fd = connect_to_server();
  if (write(fd, "shutdown\r\n", 10) != 10) abort();
  return nothing;
}

__attribute__((constructor)) static void start(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, clients, NULL);
  pthread_detach(thread);
}
