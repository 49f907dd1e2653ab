// Output of every kind from several threads: stdio, iostreams, both streams, and write itself.
// heddle: clean
#include <unistd.h>

#include <cstdio>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>

static void talk(int me) {
  std::printf("printf %d %.3f %s\n", me, me / 3.0, "text");
  std::cout << "cout " << me << std::endl;
  std::cerr << "cerr " << me << '\n';
  std::fprintf(stderr, "stderr %d\n", me);
  std::puts("puts");
  std::ostringstream text;
  text << "own stream " << std::setw(8) << std::hex << me << '\n';
  const std::string line = text.str();
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) std::perror("write");
  std::putchar('\0');
  std::putchar('\xff');
  std::fflush(stdout);
}

int main() {
  std::thread a(talk, 1), b(talk, 2);
  a.join();
  b.join();
}
