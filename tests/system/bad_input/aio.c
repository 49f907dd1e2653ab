// Reads a file by a thread of the C library.
#include <aio.h>
#include <errno.h>
#include <fcntl.h>

int main(void) {
  static char byte;
  struct aiocb request = {.aio_fildes = open("/dev/zero", O_RDONLY), .aio_buf = &byte, .aio_nbytes = 1};
  if (aio_read(&request) != 0) return 1;
  while (aio_error(&request) == EINPROGRESS) {
  }
  return aio_return(&request) != 1;
}
