// Two threads use a file, a name of a file or a mapping. The first argument names the case; with a second argument, the
// first thread is joined before the second one is created. A line "// NAME: communicates" says that the order of the
// calls can make a difference to the program, "// NAME: independent" that it cannot.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define DO(name) static void name(int who)
static char path[] = "heddle-files-XXXXXX", folder[] = "heddle-folder-XXXXXX", inside[64], other[64];
static int file, again;
static FILE* stream;
static char* shared;
static char* alias;
static char buffer[2][16];
static struct stat status[2];

static void ignore(long result) { (void)result; }

// position: communicates
DO(position) { ignore(read(file, buffer[who], 1)); }
// position_of_stream: communicates
DO(position_of_stream) { ignore(fgets(buffer[who], 2, stream) != NULL); }
// position_by_vectors: communicates
DO(position_by_vectors) { ignore(readv(file, &(struct iovec){buffer[who], 1}, 1)); }
// positions_apart: independent
DO(positions_apart) { ignore(read(who ? file : again, buffer[who], 1)); }
// reads_at: independent
DO(reads_at) { ignore(pread(file, buffer[who], 1, 0)); }
// read_and_written: communicates
DO(read_and_written) { ignore(who ? pread(file, buffer[0], 1, 0) : pwrite(again, "x", 1, 0)); }
// read_and_printed: communicates
DO(read_and_printed) { who ? ignore(pread(file, buffer[0], 1, 0)) : ignore(fprintf(stream, "%d\n", who)); }
// size: communicates
DO(size) { ignore(who ? fstat(file, &status[0]) : ftruncate(again, 3)); }
// size_of_name: communicates
DO(size_of_name) { ignore(who ? stat(path, &status[0]) : truncate(path, 3)); }
// written_and_read_later: communicates
DO(written_and_read_later) { ignore(pwrite(file, who ? "x" : "y", 1, 0)); }
// written_by_streams: independent
DO(written_by_streams) { ignore(fprintf(stream, "%d\n", who)); }
// written: independent
DO(written) { ignore(write(file, who ? "x" : "y", 1)); }
// folder_made: communicates
DO(folder_made) { ignore(mkdir(inside, 0700) + who); }
// opened_alone: communicates
DO(opened_alone) { ignore(open(inside, O_CREAT | O_EXCL | O_WRONLY, 0600) + who); }
// deleted_and_found: communicates
DO(deleted_and_found) { ignore(who ? access(path, F_OK) : unlink(path)); }
// renamed_and_opened: communicates
DO(renamed_and_opened) { ignore(who ? open(inside, O_RDONLY) : rename(path, inside)); }
// stream_made_and_opened: communicates
DO(stream_made_and_opened) { ignore(fopen(inside, who ? "r" : "w") != NULL); }
// listed: communicates
DO(listed) { who ? ignore(closedir(opendir(folder))) : ignore(mkdir(inside, 0700)); }
// two_folders: independent
DO(two_folders) { ignore(mkdir(who ? inside : other, 0700)); }
// looked_up: independent
DO(looked_up) { ignore(access(path, who)); }
// mapped_and_read: communicates
DO(mapped_and_read) { who ? ignore(pread(file, buffer[0], 1, 0)) : (void)(shared[0] = 'x'); }
// mapped_twice: communicates
DO(mapped_twice) { (who ? shared : alias)[0] = 'x'; }
// mapped_once: independent
DO(mapped_once) { shared[who] = 'x'; }

static const struct {
  const char* name;
  void (*act)(int who);
} cases[] = {
#define CASE(name) \
  { #name, name }
    CASE(position),
    CASE(position_of_stream),
    CASE(position_by_vectors),
    CASE(positions_apart),
    CASE(reads_at),
    CASE(read_and_written),
    CASE(read_and_printed),
    CASE(size),
    CASE(size_of_name),
    CASE(written_and_read_later),
    CASE(written_by_streams),
    CASE(written),
    CASE(folder_made),
    CASE(opened_alone),
    CASE(deleted_and_found),
    CASE(renamed_and_opened),
    CASE(stream_made_and_opened),
    CASE(listed),
    CASE(two_folders),
    CASE(looked_up),
    CASE(mapped_and_read),
    CASE(mapped_twice),
    CASE(mapped_once),
};

static void (*act)(int who);
static void* first(void* unused) { return act(0), unused; }
static void* second(void* unused) { return act(1), unused; }

int main(int count, char** arguments) {
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (strcmp(cases[i].name, arguments[1]) == 0) act = cases[i].act;
  if (act == NULL) return 2;
  mkdtemp(folder);
  snprintf(inside, sizeof inside, "%s/a", folder);
  snprintf(other, sizeof other, "%s/b", folder);
  file = mkstemp(path);
  ignore(write(file, "abcdefgh\nijkl\n", 14));
  lseek(file, 0, SEEK_SET);
  again = open(path, O_RDWR);
  stream = fopen(path, "r+");
  if (strncmp(arguments[1], "mapped", 6) == 0) shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (act == mapped_twice && count == 2) alias = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (act == mapped_twice && count != 2) alias = shared;
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  if (count > 2) pthread_join(threads[0], NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  if (count == 2) pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  if (act == written_and_read_later) ignore(pread(file, buffer[0], 1, 0));
  fclose(stream);
  unlink(path), unlink(inside), rmdir(inside), rmdir(other), rmdir(folder);
  return 0;
}
