// Two threads write to a block of the heap that was allocated before main: the story has no event that allocates it.
// heddle: finds race
// heddle-runs: 20
// heddle-mentions: writes 2 to offset 4 of the heap block of 8 bytes
#include <thread>

struct Node {
  int value;
  int next;
};
Node* node = new Node{0, 0};

int main() {
  std::thread first([] { node->next = 1; });
  std::thread second([] { node->next = 2; });
  first.join();
  second.join();
  return node->next == 0 ? 1 : 0;
}
