// What the program does with the result of an atomic addition, found out by emulation for all results at once.
//
// The result is a symbol. The emulator takes both answers to every question about it, so the code goes several ways. If
// no way keeps anything of the result, the result has done nothing but choose the way. The questions compare the result
// plus a number with a number. Their answers change at certain values only, and each value between them takes one way.
//
// A way undoes the addition if the next operations are the addition of the opposite number to the same location, then
// any loads of the location, and then the first addition again, in an equivalent state (equivalence.hpp). On the way
// the program makes no plain access that other threads could see.
#pragma once

#include "machine/equivalence.hpp"

namespace heddle::machine {

struct ResultWays {
  static constexpr std::uint32_t most = 24;
  static constexpr std::uint16_t undoes = 0;

  /// Results are signed numbers of the operation's size. The results from begin[i] on, below begin[i + 1], take the
  /// same way. The first is the smallest number.
  std::int64_t begin[most] = {};
  std::uint16_t way[most] = {};  ///< `undoes`, or the number of a way that does not
  std::uint32_t count = 0;

  bool is_unused() const { return count == 1 && way[0] != undoes; }
  bool can_undo() const;
  std::uint16_t way_of(std::int64_t result) const;
  /// Whether the results from `least` to `most` that do not undo take one way, and all results above (or below) one of
  /// them do so, too.
  bool is_monotone(std::int64_t least, std::int64_t most, bool upwards) const;
};

class WaysOfResult {
 public:
  WaysOfResult(Emulator& emulator, Terms& terms, Equivalence& equivalence, base::Arena& scratch)
      : emulator_(emulator), terms_(terms), equivalence_(equivalence), scratch_(scratch) {}

  /// The state is at the first instruction of an entry point that adds. Returns false if it is not known what the
  /// program does with the result, or if something of the result is kept.
  bool find(const State& addition, ResultWays& ways);

 private:
  static constexpr std::uint32_t most_paths = 16, most_conditions = 6;
  static constexpr unsigned most_loads = 3;

  struct Condition {
    Assumptions::Relation relation = Assumptions::Relation::equal;
    std::uint64_t offset = 0;  ///< the result plus this is compared ...
    std::uint64_t number = 0;  ///< ... with this
    bool result_is_left = false;
    bool holds = false;
  };
  struct Path {
    Condition conditions[most_conditions];
    std::uint32_t count = 0;
    bool undoes = false;
  };

  bool add_path(const State& addition, Value one, Value other, Assumptions& of_one, Assumptions& of_other);
  bool add_conditions(const Assumptions& assumptions, Value result, Path& path) const;
  bool is_on(const Path& path, std::int64_t result) const;
  bool add_boundaries(ResultWays& ways) const;
  bool set_ways(ResultWays& ways) const;
  bool is_undoing(const State& addition, const State& next);
  bool runs_into_undoing(const State& addition, State& state);
  bool comes_back(const State& addition, const State& at, unsigned depth);
  static bool is_quiet(const State& state);
  std::uint64_t added(const State& state, const EntryPoint& entry) const;

  Emulator& emulator_;
  Terms& terms_;
  Equivalence& equivalence_;
  base::Arena& scratch_;
  unsigned bits_ = 0;  ///< of the result
  Path paths_[most_paths];
  std::uint32_t path_count_ = 0;
  const State* loads_[most_loads] = {};  ///< the states at loads that lead to the current one
};

}  // namespace heddle::machine
