// heddle: finds race
// heddle-mentions: buffer
// A thread writes a buffer to a file of which heddle knows nothing, while another thread changes the buffer.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static char buffer[16];

static void* writer(void* file) { return write(*(int*)file, buffer, sizeof buffer) == sizeof buffer ? 0 : file; }

int main(void) {
  int file = open("/dev/null", O_WRONLY);
  pthread_t thread;
  pthread_create(&thread, 0, writer, &file);
  buffer[3] = 1;
  pthread_join(thread, 0);
  close(file);
  return 0;
}
