// The main function of the data structures of this folder: `queue 0 5 4` runs the right one, with clients of up to 5
// calls on two threads and 4 calls on three. 1, 2, ... are the broken ones. For
// tests/system/linearizable_structures.py.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <heddle/linearizable.hpp>
#include <initializer_list>
#include <iterator>

struct Sizes {
  unsigned on_two_threads;
  unsigned on_three_threads;
};

inline int run_variant(int argc, char** argv, std::initializer_list<int (*)(const Sizes&)> variants) {
  const std::size_t variant = argc == 4 ? std::strtoul(argv[1], nullptr, 10) : variants.size();
  if (variant >= variants.size()) {
    std::fprintf(stderr, "usage: %s VARIANT CALLS-ON-TWO-THREADS CALLS-ON-THREE-THREADS\n", argv[0]);
    return 2;
  }
  const Sizes sizes{static_cast<unsigned>(std::atoi(argv[2])), static_cast<unsigned>(std::atoi(argv[3]))};
  return std::data(variants)[variant](sizes);
}
