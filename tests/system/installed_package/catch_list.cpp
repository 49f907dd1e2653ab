// Behaves like a program with Catch2, version 2 or 3, as far as listing and selecting tests goes. The real Catch2 takes
// long to compile; tests/system/installed_package.py --catch2 tests with it.
#include <cstdio>
#include <cstring>

static constexpr const char* names[] = {"counts, twice; [really] \\ and \"more\"", "fails"};
static constexpr const char* selections[] = {"counts\\, twice; \\[really] \\\\ and \"more\"", "fails"};

static int list() {
  for (const char* name : names) std::printf("%s\n", name);
  return CATCH_VERSION == 2 ? 2 : 0;  // version 2 returns the number of tests
}

int main(int argc, char** argv) {
  const char* first = argc > 1 ? argv[1] : "";
  if (CATCH_VERSION == 2 && std::strcmp(first, "--list-test-names-only") == 0) return list();
  if (CATCH_VERSION == 3 && argc == 4 && std::strcmp(first, "--list-tests") == 0 && std::strcmp(argv[3], "quiet") == 0)
    return list();
  if (std::strcmp(first, selections[0]) == 0) return 0;
  if (std::strcmp(first, selections[1]) == 0) return 1;
  std::fprintf(stderr, "Error(s) in input:\n  Unrecognised token: %s\n", first);
  return 255;
}
