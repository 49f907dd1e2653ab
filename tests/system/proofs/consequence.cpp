// Every execution has the races. Their consequence needs the writer between the two reads, where no thread would be
// switched.
#include <cassert>
#include <cstdlib>
#include <thread>

static int data, flag;
static int* block;

int main(int argc, char**) {
  if (argc > 1) {  // both threads see the pointer, and both free it
    block = new int(1);
    const auto release = [] {
      if (block == nullptr) return;
      delete block;
      block = nullptr;
    };
    std::thread first(release), second(release);
    first.join();
    second.join();
    return 0;
  }
  std::thread writer([] {
    data = 1;
    flag = 1;
  });
  std::thread reader([] {
    const int seen = flag, value = data;
    if (seen == 0 && value == 1) assert(!"old flag, new data");
  });
  writer.join();
  reader.join();
}
