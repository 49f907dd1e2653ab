#include "stress/assembly_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <sstream>

#include "base/arena.hpp"
#include "graph/order_names.hpp"
#include "litmus/c_code.hpp"
#include "models/memory_model.hpp"

namespace heddle::stress {

using graph::MemoryOrder;
using litmus::Instruction;
using Kind = Instruction::Kind;

namespace {

constexpr std::size_t nowhere = ~std::size_t{0};

/// An access or a fence of the source, and the instruction that it became.
struct SourceAccess {
  std::size_t instruction;  ///< in Thread::code
  Kind kind;
  MemoryOrder order;
  std::uint32_t location;
  std::uint32_t line;
  std::size_t place = nowhere;  ///< in CompiledThread::accesses

  bool is_fence() const { return kind == Kind::fence; }
  bool is_rmw() const { return kind == Kind::rmw || kind == Kind::compare_exchange; }
  bool reads() const { return kind == Kind::load || is_rmw(); }
  bool writes() const { return kind == Kind::store || is_rmw(); }
};

class ThreadCheck {
 public:
  ThreadCheck(const LitmusTest& test, std::uint32_t thread, const CompiledThread& compiled, AssemblyCheck& check)
      : test_(test.test), thread_(thread), compiled_(compiled), check_(check), machine_(test_.threads[thread]) {
    list_source();
  }

  /// Adds findings. Returns false if the thread could not be judged.
  bool run() {
    if (!compiled_.not_understood.empty()) return give_up(compiled_.not_understood);
    match();
    if (has_branches_ && is_reordered()) return give_up("its branches are laid out in another order");
    for (SourceAccess& access : source_) check_access(access);
    check_pairs();
    check_fences();
    return true;
  }

  /// The thread as the machine executes it, for the model tso.
  const litmus::Thread& machine() const { return machine_; }
  bool is_modelled() const { return is_modelled_; }

 private:
  bool give_up(const std::string& why) {
    check_.not_judged.push_back(fmt::format("P{} of {} is not judged: {}", thread_, test_.name, why));
    return false;
  }

  /// Everything but plain accesses to locations that no other thread names: the compiler may do with them as it likes.
  void list_source() {
    const auto& code = test_.threads[thread_].code;
    for (std::size_t i = 0; i < code.size(); ++i) {
      const Instruction& instruction = code[i];
      if (instruction.kind == Kind::jump) has_branches_ = true;
      if (instruction.kind == Kind::branch_if_zero) {
        for (std::size_t k = i + 1; k < instruction.target && k < code.size(); ++k)
          has_branches_ = has_branches_ || (is_access(code[k]) && !code[k].is_private);
      }
      if (!is_access(instruction)) continue;
      if (instruction.is_private) {
        private_.insert(instruction.location);
        continue;
      }
      source_.push_back({i, instruction.kind, instruction.order, instruction.location, instruction.at.line, nowhere});
    }
  }

  static bool is_access(const Instruction& instruction) {
    return instruction.kind != Kind::assign && instruction.kind != Kind::branch_if_zero &&
           instruction.kind != Kind::jump;
  }

  std::vector<std::size_t> machine_accesses_to(std::uint32_t location) const {
    std::vector<std::size_t> places;
    for (std::size_t p = 0; p < compiled_.accesses.size(); ++p)
      if (compiled_.accesses[p].kind != InstructionKind::fence && compiled_.accesses[p].location == location)
        places.push_back(p);
    return places;
  }

  /// Gives every access of the source its instruction: accesses to one location stay in order.
  void match() {
    for (std::uint32_t location = 0; location < test_.locations.size(); ++location) {
      if (private_.contains(location)) continue;
      const std::vector<std::size_t> places = machine_accesses_to(location);
      std::size_t next = 0;
      for (SourceAccess& access : source_)
        if (!access.is_fence() && access.location == location) match_one(access, places, next);
      for (; next < places.size(); ++next) report_extra(places[next]);
    }
  }

  void match_one(SourceAccess& access, const std::vector<std::size_t>& places, std::size_t& next) const {
    if (next == places.size()) return;
    const auto kind_at = [&](std::size_t at) { return compiled_.accesses[places[at]].kind; };
    const InstructionKind kind = kind_at(next);
    bool fits = false;
    if (access.kind == Kind::load) fits = kind == InstructionKind::load;
    if (access.kind == Kind::store) fits = kind == InstructionKind::store || kind == InstructionKind::exchange;
    if (access.is_rmw()) {
      // A loop around cmpxchg begins with a load.
      const bool is_loop = kind == InstructionKind::load && next + 1 < places.size() &&
                           compiled_.accesses[places[next + 1]].text.find("cmpxchg") != std::string::npos;
      if (is_loop) ++next;
      fits = true;
    }
    if (fits) access.place = places[next++];
  }

  void report_extra(std::size_t place) {
    const MachineAccess& extra = compiled_.accesses[place];
    if (has_branches_) return;  // code that was duplicated for both ways
    const bool writes = extra.kind != InstructionKind::load;
    is_modelled_ = false;
    add(writes, fmt::format("{} accesses {} once more than the source does", extra.text, name(extra.location)));
  }

  bool is_reordered() const {
    std::size_t last = 0;
    for (const SourceAccess& access : source_) {
      if (access.place == nowhere) continue;
      if (access.place < last) return true;
      last = access.place;
    }
    return false;
  }

  void check_access(SourceAccess& access) {
    if (access.is_fence()) return;
    Instruction& machine = machine_.code[access.instruction];
    if (access.place == nowhere) {
      is_modelled_ = false;
      return add(!may_be_merged(access),
                 fmt::format("{} was eliminated: no instruction accesses {}", text(access), name(access.location)));
    }
    const MachineAccess& instruction = compiled_.accesses[access.place];
    machine.order = MemoryOrder::relaxed;
    if (machine.kind == Kind::compare_exchange) machine.failure_order = MemoryOrder::relaxed;
    if (access.is_rmw()) return check_read_modify_write(access, instruction, machine);
    if (access.kind != Kind::store) return;
    const std::size_t after = next_access(access.place);
    if (instruction.kind == InstructionKind::exchange || has_barrier(access.place + 1, after))
      machine.order = MemoryOrder::seq_cst;
    if (access.order == MemoryOrder::seq_cst && instruction.kind == InstructionKind::store &&
        !has_barrier(access.place + 1, next_seq_cst_read(access)))
      add(true,
          fmt::format("{} is a mov without an mfence behind it, and not an xchg: {}", text(access), instruction.text));
  }

  void check_read_modify_write(const SourceAccess& access, const MachineAccess& instruction, Instruction& machine) {
    machine.order = MemoryOrder::seq_cst;
    if (instruction.kind == InstructionKind::locked || instruction.kind == InstructionKind::exchange) return;
    if (instruction.kind == InstructionKind::load && access.kind == Kind::rmw) {
      // An operation that changes nothing, such as the addition of 0, may become a load behind a fence.
      if (has_barrier(access.place == 0 ? 0 : access.place - 1, access.place)) return;
      machine.kind = Kind::load;
      machine.order = MemoryOrder::relaxed;
      return add(true, fmt::format("{} became a load, without a write and without a fence: {}", text(access),
                                   instruction.text));
    }
    is_modelled_ = false;
    add(true, fmt::format("{} is not atomic: {} has no lock prefix", text(access), instruction.text));
  }

  /// Adjacent accesses to one location with the same weak order may become one.
  bool may_be_merged(const SourceAccess& access) const {
    if (access.order != MemoryOrder::relaxed && access.order != MemoryOrder::plain) return false;
    const auto at = static_cast<std::size_t>(&access - source_.data());
    for (const std::size_t other : {at - 1, at + 1})
      if (other < source_.size() && source_[other].location == access.location && source_[other].kind == access.kind &&
          !source_[other].is_fence())
        return true;
    return false;
  }

  /// The first instruction from `place` + 1 on that is no fence.
  std::size_t next_access(std::size_t place) const {
    for (std::size_t p = place + 1; p < compiled_.accesses.size(); ++p)
      if (compiled_.accesses[p].kind != InstructionKind::fence) return p;
    return compiled_.accesses.size();
  }

  /// Where the next seq_cst access that reads is. A caller may have one, so without any the end of the function.
  std::size_t next_seq_cst_read(const SourceAccess& store) const {
    for (const SourceAccess& access : source_)
      if (access.instruction > store.instruction && access.reads() && access.order == MemoryOrder::seq_cst &&
          access.place != nowhere && access.place > store.place)
        return access.place + 1;  // a locked instruction is itself the barrier
    return compiled_.accesses.size();
  }

  bool has_barrier(std::size_t from, std::size_t to) const {
    for (std::size_t p = from; p < std::min(to, compiled_.accesses.size()); ++p)
      if (compiled_.accesses[p].is_barrier()) return true;
    return false;
  }

  void check_pairs() {
    for (std::size_t a = 0; a < source_.size(); ++a)
      for (std::size_t b = a + 1; b < source_.size(); ++b) {
        if (source_[a].place == nowhere || source_[b].place == nowhere || source_[a].place < source_[b].place) continue;
        is_modelled_ = false;
        add(must_stay(a, b), fmt::format("{} comes after {} in the compiled code", text(source_[a]), text(source_[b])));
      }
  }

  /// Whether the orders of the source forbid that two accesses change places.
  bool must_stay(std::size_t a, std::size_t b) const {
    const SourceAccess &first = source_[a], &second = source_[b];
    if (first.location == second.location) return true;
    if (first.reads() && graph::is_acquire(first.order)) return true;
    if (second.writes() && graph::is_release(second.order)) return true;
    if (first.order == MemoryOrder::seq_cst && second.order == MemoryOrder::seq_cst) return true;
    for (std::size_t f = a + 1; f < b; ++f) {
      if (!source_[f].is_fence()) continue;
      if (source_[f].order == MemoryOrder::seq_cst) return true;
      if (graph::is_acquire(source_[f].order) && first.reads()) return true;
      if (graph::is_release(source_[f].order) && second.writes()) return true;
    }
    return false;
  }

  /// A seq_cst fence needs an instruction between the accesses before and behind it.
  void check_fences() {
    for (std::size_t f = 0; f < source_.size(); ++f) {
      if (!source_[f].is_fence()) continue;
      Instruction& machine = machine_.code[source_[f].instruction];
      machine.order = MemoryOrder::acquire;  // nothing, under tso
      if (source_[f].order != MemoryOrder::seq_cst) continue;
      std::size_t from = 0, to = compiled_.accesses.size();
      for (std::size_t a = 0; a < f; ++a)
        if (source_[a].place != nowhere) from = std::max(from, source_[a].place);
      for (std::size_t b = source_.size(); b-- > f + 1;)
        if (source_[b].place != nowhere) to = std::min(to, source_[b].place + 1);
      if (has_barrier(from, to)) {
        machine.order = MemoryOrder::seq_cst;
        continue;
      }
      add(true, fmt::format("the seq_cst fence (line {}) is missing: there is no mfence and no locked instruction{}",
                            source_[f].line, between(f)));
    }
  }

  std::string between(std::size_t fence) const {
    if (fence == 0 || fence + 1 == source_.size()) return "";
    return fmt::format(" between {} and {}", text(source_[fence - 1]), text(source_[fence + 1]));
  }

  std::string name(std::uint32_t location) const { return test_.locations[location].name; }

  /// "the seq_cst store to x (line 5)"
  std::string text(const SourceAccess& access) const {
    if (access.is_fence()) return fmt::format("the {} fence (line {})", graph::order_name(access.order), access.line);
    const char* what = access.kind == Kind::load    ? "load of"
                       : access.kind == Kind::store ? "store to"
                       : access.kind == Kind::rmw   ? "read-modify-write of"
                                                    : "compare-exchange of";
    return fmt::format("the {} {} {} (line {})", graph::order_name(access.order), what, name(access.location),
                       access.line);
  }

  void add(bool is_forbidden, std::string sentence) {
    check_.findings.push_back({thread_, is_forbidden, std::move(sentence)});
  }

  const litmus::Test& test_;
  std::uint32_t thread_;
  const CompiledThread& compiled_;
  AssemblyCheck& check_;
  litmus::Thread machine_;
  std::vector<SourceAccess> source_;
  std::set<std::uint32_t> private_;
  bool has_branches_ = false;
  bool is_modelled_ = true;
};

/// The final states of the compiled code on a chip with store buffers that rc11 forbids for the source.
std::vector<litmus::State> states_beyond(const LitmusTest& test, const litmus::Test& machine) {
  std::vector<litmus::State> beyond;
  if (!test.is_judged()) return beyond;
  alignas(std::max_align_t) std::array<std::byte, 4096> memory{};
  base::Arena arena(memory);
  models::ModelOptions options;
  options.rmw = models::RmwBarrier::full;
  const litmus::Histogram states = litmus::run_exhaustively(machine, *models::make_model("tso", options, arena));
  for (const auto& [state, count] : states.states)
    if (!test.allowed.states.contains(state)) beyond.push_back(state);
  return beyond;
}

/// The lines of a thread, from "P0 (" to the next thread or the condition.
std::vector<std::string> source_of(const LitmusTest& test, std::uint32_t thread) {
  const std::string start = fmt::format("P{}", thread), next = fmt::format("P{}", thread + 1);
  std::vector<std::string> lines;
  std::istringstream in(test.source);
  bool is_inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(start + " ") || line.starts_with(start + "(")) is_inside = true;
    if (line.starts_with(next + " ") || line.starts_with(next + "(") || line.starts_with("locations") ||
        line.starts_with("exists") || line.starts_with("~exists") || line.starts_with("forall"))
      is_inside = false;
    if (is_inside && !line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace

bool AssemblyCheck::is_bug() const {
  return !states_beyond.empty() || std::any_of(findings.begin(), findings.end(),
                                               [](const AssemblyFinding& finding) { return finding.is_forbidden; });
}

AssemblyCheck check_assembly(const LitmusTest& test, const std::string& prefix,
                             const std::map<std::string, std::vector<std::string>>& functions) {
  AssemblyCheck check;
  litmus::Test machine = test.test;
  bool is_modelled = true;
  const auto threads = static_cast<std::uint32_t>(test.test.threads.size());
  for (std::uint32_t t = 0; t < threads; ++t) {
    const auto found = functions.find(litmus::function_name(prefix, t));
    check.threads.push_back(found == functions.end() ? CompiledThread{{}, {}, "the assembly does not have its function"}
                                                     : read_thread(found->second, litmus::locations_of(test.test, t)));
  }
  for (std::uint32_t t = 0; t < threads; ++t) {
    ThreadCheck thread(test, t, check.threads[t], check);
    is_modelled = thread.run() && thread.is_modelled() && is_modelled;
    machine.threads[t] = thread.machine();
  }
  if (is_modelled) check.states_beyond = states_beyond(test, machine);
  return check;
}

std::string side_by_side(const LitmusTest& test, std::uint32_t thread, const CompiledThread& compiled) {
  const std::vector<std::string> left = source_of(test, thread);
  std::size_t width = 20;
  for (const std::string& line : left) width = std::max(width, std::min<std::size_t>(line.size(), 90));
  std::string text;
  for (std::size_t i = 0; i < std::max(left.size(), compiled.listing.size()); ++i) {
    std::string right = i < compiled.listing.size() ? compiled.listing[i] : "";
    std::replace(right.begin(), right.end(), '\t', ' ');
    std::string row = fmt::format("    {:<{}} | {}", i < left.size() ? left[i] : "", width, right);
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

}  // namespace heddle::stress
