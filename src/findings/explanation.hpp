// Why a finding happens, as data: made by story/, shown by report/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::findings {

/// A place in the user's source.
struct SourcePlace {
  std::string file;  ///< absolute if the debug information allows it; empty: unknown
  unsigned line = 0;
  unsigned column = 0;
  std::string function;

  bool operator==(const SourcePlace&) const = default;
};

/// Bytes that an event accesses. The offset is from the first byte that the accesses of the finding have in common.
struct TouchedBytes {
  std::int64_t offset = 0;
  std::uint64_t size = 0;

  bool operator==(const TouchedBytes&) const = default;
};

/// One event that matters.
struct StoryStep {
  std::string thread;
  std::string text;       ///< "stores 1 to `ready` (relaxed)"
  std::string operation;  ///< "store", "load", "lock", ...
  std::string variable;
  std::string type;   ///< of the variable, as the source names it; empty: not known
  std::string order;  ///< "relaxed"; empty: not atomic
  std::string value;  ///< read or written; empty: none
  SourcePlace place;
  std::size_t event = 0;  ///< its number in the log of the execution
  bool is_stale = false;  ///< a read that missed a newer write
  /// What it accesses, if that includes the first byte that the accesses of the finding have in common.
  std::optional<TouchedBytes> bytes;
};

/// A change of the source that forbids the execution.
struct SuggestedChange {
  SourcePlace place;
  std::string operation;  ///< "store", "load", "read-modify-write", "fence"
  std::string variable;
  std::string from;          ///< its memory order now
  std::string to;            ///< the weakest one that is enough
  std::string wrapper = {};  ///< the function of the user's that `place` calls and that makes the access; empty: none
};

/// How it is known that the suggested changes remove the finding: the program was run with them.
struct FixCheck {
  std::uint64_t executions = 0;  ///< none of which showed it
  bool is_proved = false;        ///< these are all executions
  std::string why_not;           ///< why it was not checked, a clause; empty: it was
};

/// What kind of mistake the finding shows.
enum class Nature : std::uint8_t {
  interleaving,     ///< it needs no stale read: sequential consistency shows it
  ordering,         ///< two accesses that happens-before has to order, and that nothing orders
  weak_memory,      ///< it needs a read that sequential consistency does not allow
  every_execution,  ///< one thread is enough
  early_end,        ///< one thread is enough if a wait of it ends early (channel::EarlyEnd)
};
const char* name_of(Nature nature);

/// Whether a model shows the finding.
struct ModelVerdict {
  std::string model;
  bool shows = false;
  bool is_proved = false;        ///< every execution was looked at
  std::uint64_t executions = 0;  ///< that were run to find out; 0: it follows from the minimised execution
};

struct ExecutionCounts {
  std::uint64_t switches = 0;
  std::uint64_t stale_reads = 0;
  std::uint64_t events = 0;
  std::uint64_t threads = 0;  ///< that executed events; 0: not known
};

struct Explanation {
  std::vector<StoryStep> steps;  ///< in the order of execution
  Nature nature = Nature::interleaving;
  std::vector<ModelVerdict> models;
  ExecutionCounts counts;                ///< of the minimised execution
  ExecutionCounts before;                ///< of the execution that the campaign found
  std::uint64_t tries = 0;               ///< executions of the minimiser
  bool stopped_by_time = false;          ///< the minimiser was not done with its budget
  std::string cause;                     ///< sentences: the missing edge, or what it is instead
  std::string advice;                    ///< what to change, a sentence; empty: none is known
  std::vector<SuggestedChange> changes;  ///< what `advice` says, for machines
  FixCheck fix;                          ///< of `changes`
  bool did_not_replay = false;  ///< the program did something else when the execution was repeated; see why_not
  std::string why_not;          ///< why there is no story, a sentence without a full stop; empty: there is one
};

}  // namespace heddle::findings
