// Two threads use a file through the C++ library, which is not instrumented: streams, or std::filesystem with an
// argument.
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

int main(int count, char**) {
  const std::string name = "heddle-file-streams";
  std::ofstream(name) << "0\n";
  int seen = 0;
  std::thread reader([&] {
    if (count > 1)
      std::filesystem::remove(name);
    else
      std::ifstream(name) >> seen;
  });
  if (count > 1)
    std::filesystem::exists(name);
  else
    std::ofstream(name) << "1\n";
  reader.join();
  std::filesystem::remove(name);
}
