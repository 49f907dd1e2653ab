// A finding as the driver knows it: what the worker wrote (channel/finding_record.hpp), what the campaign adds to it,
// and the names that symbolisation finds for its addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "channel/finding_record.hpp"
#include "channel/frame_place.hpp"
#include "channel/process_end.hpp"
#include "findings/explanation.hpp"
#include "findings/module_map.hpp"

namespace heddle::findings {

using channel::AccessKind;
using channel::Activity;
using channel::FindingKind;
using channel::LimitKind;
using channel::Place;

struct Frame {
  std::string function;  ///< demangled; empty: unknown
  std::string file;      ///< absolute if the debug information allows it; empty: unknown
  unsigned line = 0;
  unsigned column = 0;
  std::string module;          ///< the file's name without its folder; empty: in no module
  std::uint64_t offset = 0;    ///< in the module, so that it does not depend on the load address
  bool inlined = false;        ///< into the next frame
  unsigned function_line = 0;  ///< where the function is declared; 0: unknown
};

struct Stack {
  std::vector<std::uint64_t> pcs;  ///< innermost first
  std::vector<Frame> frames;       ///< of `pcs`, with inlined functions, without frames outside of the program
};

/// An address in the program's data, with its global variable if it lies in one.
struct DataAddress {
  std::uint64_t value = 0;
  std::string symbol = {};  ///< demangled, or a local variable with its members; empty: none
  std::uint64_t offset = 0;
  std::string type = {};           ///< of a local variable; empty: not known
  channel::FramePlace frame = {};  ///< on a stack: in which frame
};

/// The types of the parts of a finding in the driver. The channel has none of the names that symbolisation finds.
struct InDriver {
  using Text = std::string;
  using Stack = findings::Stack;
  using Address = DataAddress;
  using MaybeAddress = std::optional<DataAddress>;
  using MaybeNumber = std::optional<std::uint64_t>;
};

}  // namespace heddle::findings

namespace heddle::channel {

inline void read_field(RecordReader& reader, std::string& text) { text = reader.read_as<std::string_view>(); }
inline void read_field(RecordReader& reader, findings::Stack& stack) {
  const auto pcs = reader.read_as<Words>();
  stack.pcs.assign(pcs.begin(), pcs.end());
}
inline void read_field(RecordReader& reader, findings::DataAddress& address) {
  address.value = reader.read_as<std::uint64_t>();
}
/// 0 means that there is none.
template <typename Value>
void read_field(RecordReader& reader, std::optional<Value>& value) {
  if (const auto word = reader.read_as<std::uint64_t>(); word != 0) value = Value{word};
}

}  // namespace heddle::channel

namespace heddle::findings {

using Access = channel::AccessOf<InDriver>;
using MemoryObject = channel::MemoryObjectOf<InDriver>;
using ThreadState = channel::ThreadStateOf<InDriver>;
using HistoryCall = channel::CallOf<InDriver>;
using FindingHead = channel::FindingHeadOf<InDriver>;

/// An execution of another run that shows a finding.
struct OtherExecution {
  std::uint64_t number = 0;
  std::string model;
  std::string strategy;
};

/// A finding that comes only after a race.
struct Consequence {
  std::uint64_t key = 0;
  FindingKind kind = FindingKind::crash;
  std::string message;
  std::uint64_t count = 0;  ///< executions
};

/// What else the execution that a finding is from shows, and what repeats it.
struct Evidence {
  Stack stack;
  std::vector<Access> accesses;
  std::optional<MemoryObject> object;
  std::vector<ThreadState> threads;
  std::vector<std::string> cycle;
  std::vector<HistoryCall> calls;         ///< linearizability
  std::string output;                     ///< what the program had printed
  std::string decisions;                  ///< bytes, for the trace
  std::vector<std::uint64_t> racy_sites;  ///< plain accesses that were events, and so took decisions
};

struct Finding : FindingHead, Evidence {
  std::vector<std::uint64_t> races;  ///< keys of the races that the first execution had before it
  std::uint64_t key = 0;
  std::uint64_t execution = 0;     ///< the first execution that showed it
  std::uint64_t count = 0;         ///< how many executions showed it, or one of its variants
  std::uint64_t first_count = 0;   ///< of these, executions that had shown no finding of its kind before
  bool is_timely = false;          ///< an execution showed it in which no wait ended early
  bool follows_early_end = false;  ///< it is certain that it needs `early_end`; see mark_early_ends()
  bool is_without_race = false;    ///< an execution showed it that had no race before
  std::string strategy;            ///< that the first execution used, as --strategy takes it; empty: the one of the run
  bool recorded = true;            ///< false: `decisions` is not known
  std::optional<OtherExecution> told;  ///< whose `decisions` these are; none: `execution`
  std::string trace;                   ///< path of the trace, once written
  bool is_suppressed = false;          ///< a suppression of the user matches it
  bool is_known = false;               ///< --baseline: an earlier report has it
  std::vector<std::string> notes;      ///< sentences on causes outside of the program
  bool has_names = false;              ///< the addresses have been symbolised, and the notes made
  std::vector<Consequence> leads_to;   ///< races: what follows from them
  std::vector<Finding> variants;       ///< findings with the same root (findings/groups.hpp)
  std::optional<Explanation> explanation;

  std::shared_ptr<const ModuleMap> modules;  ///< of the process that showed it
};

/// The finding that these records describe; nothing if they have no head. Records that are not well-formed are left
/// out.
std::optional<Finding> decode_finding(channel::Words records);

inline bool is_bug(const Finding& finding) {
  return channel::is_bug(finding.kind) && !finding.is_warning && !finding.is_suppressed;
}
/// Fills in what the races among the findings lead to: findings that no execution showed without a race before.
void link_consequences(std::vector<Finding>& findings);
/// Every execution that showed the bug had a sleep or a timed wait that ended early.
inline bool needs_early_end(const Finding& finding) {
  return is_bug(finding) && finding.early_end.nanoseconds != 0 && !finding.is_timely;
}

/// Every execution that showed the bug had a wait that ended for no reason, and no other wait that ended early.
inline bool needs_spurious_wake_up(const Finding& finding) {
  return needs_early_end(finding) && finding.early_end.kind == channel::EarlyEnd::Kind::spurious_wake_up;
}

/// Reported by the driver: the worker of `execution` ended.
Finding process_end(const channel::ProcessEndFinding& end, std::uint64_t execution);
/// Reported by the driver: it killed the worker of `execution`, which hung.
Finding hang(std::uint64_t execution, double timeout_in_seconds);
/// Reported by the driver: it killed the worker of `execution`, whose process used more memory than this.
Finding too_much_memory(std::uint64_t execution, std::uint64_t limit);
/// Reported by the driver: it killed the worker of `execution`, which printed more bytes than this.
Finding too_much_output(std::uint64_t execution, std::uint64_t limit);
/// Reported by the driver: it killed a worker whose channel holds what no worker writes.
Finding overwritten_memory(std::uint64_t execution);

}  // namespace heddle::findings
