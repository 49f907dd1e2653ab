// Small programs with a known answer, and how often a strategy shows what they ask for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strategies/portfolio.hpp"
#include "trace/decisions.hpp"

namespace heddle::testing {

/// Store buffering, relaxed. Both threads read 0: no communication at all.
std::string store_buffering();
/// P1 of the papers: one thread writes X = 1 to X = `writes`, one reads it. It reads the last.
std::string one_reader(int writes);
/// MP2 of the papers, three threads, all relaxed: the third reads Y = 1 and then X = 0. `inserted` writes of another
/// value go to X before the one that matters.
std::string message_passing(int inserted = 0);

/// P2 of the papers, three threads: the second reads X = 1 from the first and Y = 1 from the third.
std::string two_senders();

/// On each of `locations` locations, two threads write two values each, and a third thread reads once. All reads see
/// the second value of a thread. Another thread makes `other_reads` more reads. Without locations: store buffering,
/// with two stores of both threads to one location before it.
std::string concurrent_writers(int locations, int other_reads = 0);

/// Two threads hand over `steps` times, relaxed: each continues only if it reads what the other one wrote. The first
/// thread gets to the end.
std::string relay(int steps);

struct Sample {
  std::uint64_t executions = 0;
  std::uint64_t hits = 0;
  double rate() const { return static_cast<double>(hits) / static_cast<double>(executions); }
};

/// How many of `executions` end in a state that the test's condition describes, under rc11.
Sample sample(const std::string& test, const std::string& strategy, std::uint64_t executions, std::uint64_t seed = 1);

/// The decisions of execution `number`, taken after a few others with the same strategy object if `after_others`.
std::vector<trace::Decision> decisions_of(const std::string& test, const std::string& strategy, std::uint64_t number,
                                          bool after_others);

/// The error that parse_strategy reports; empty: the specification is correct.
std::string specification_error(const char* specification);

/// The positions of a registered strategy, and of the draw of one of its learnable parameters.
std::size_t strategy_index(const char* strategy);
std::size_t draw_of(const char* strategy, const char* parameter);
/// The scope of a specification that learns.
strategies::PortfolioScope scope_of(const char* specification);

}  // namespace heddle::testing
