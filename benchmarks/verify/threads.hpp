// Threads for the programs of this folder: plain pthreads, without what std::thread allocates.
#pragma once

#include <pthread.h>

#include <cstdlib>

inline constexpr int most_threads = 16;

/// Runs body(0) ... body(count - 1) in a thread each and waits for all.
template <typename Body>
void in_threads(int count, Body body) {
  struct Start {
    Body* body;
    int number;
  } starts[most_threads];
  pthread_t threads[most_threads];
  if (count < 1 || count > most_threads) std::exit(2);
  for (int i = 0; i < count; ++i) {
    starts[i] = {&body, i};
    const auto run = [](void* start) -> void* {
      (*static_cast<Start*>(start)->body)(static_cast<Start*>(start)->number);
      return nullptr;
    };
    pthread_create(&threads[i], nullptr, run, &starts[i]);
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], nullptr);
}

/// The number in argv[index].
inline int argument(int argc, char** argv, int index, int otherwise) {
  return argc > index ? std::atoi(argv[index]) : otherwise;
}
