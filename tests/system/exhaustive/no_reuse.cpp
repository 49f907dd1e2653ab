// Under the exhaustive search freed memory does not come back, whatever the seed: where it did, a use after free would
// look like a use of the new block.
#include <cassert>
#include <cstdlib>

int main() {
  void* first = std::malloc(24);
  std::free(first);
  void* second = std::malloc(24);
  assert(first != second);
  std::free(second);
}
