// Runs a program whose main was renamed to program_main on the bare fibers, again and again: bare PROGRAM'S-RUNS. Its
// variables are brought back after each execution, as reset isolation does.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bare_runtime.hpp"

extern "C" int program_main(int argc, char** argv);
extern "C" char __data_start, _end;

namespace {
char* saved = nullptr;
char* arguments[2] = {};

void run_program(void*) { program_main(1, arguments); }
void reset() {
  const auto size = static_cast<std::size_t>(&_end - &__data_start);
  if (std::memcmp(&__data_start, saved, size) != 0) std::memcpy(&__data_start, saved, size);
}
}  // namespace

int main(int, char** argv) {
  const double round_trip = bare::round_trip();
  const auto runs = std::strtoull(argv[1], nullptr, 10);
  arguments[0] = argv[0];
  const auto size = static_cast<std::size_t>(&_end - &__data_start);
  saved = static_cast<char*>(std::malloc(size));
  std::memcpy(saved, &__data_start, size);
  bare::run(1, run_program, nullptr, reset);  // what is made at the first use is made
  const bare::Counts before = bare::counts();
  const double begin = bare::now();
  bare::run(runs, run_program, nullptr, reset);
  const double seconds = bare::now() - begin;
  const auto each = [&](std::uint64_t after, std::uint64_t first) {
    return static_cast<double>(after - first) / static_cast<double>(runs);
  };
  std::printf(
      "{\"seconds\": %.9f, \"executions\": %llu, \"visible\": %.2f, \"plain\": %.2f, \"round_trip_ns\": %.2f}\n",
      seconds, runs, each(bare::counts().visible, before.visible), each(bare::counts().plain, before.plain),
      round_trip);
}
