// heddle: finds assert
// heddle-runs: 100
// heddle-mentions: (descriptors 13 and 14)
// The program has the descriptors 3 to 12, and the pipe. In the replay that tells the story of a finding, too, files
// that heddle has open take none of their numbers. The stack of the finding leads into the C++ library: heddle looks
// for its debug information.
#include <unistd.h>

#include <cassert>
#include <thread>

int main() {
  for (int i = 0; i < 10; ++i)
    if (dup(0) < 0) return 1;
  int ends[2];
  if (pipe(ends) != 0) return 1;
  std::thread other([&] {
    char byte = 'x';
    if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) return;
    assert(byte == 'x');
  });
  if (write(ends[1], "y", 1) != 1) return 1;
  other.join();
}
