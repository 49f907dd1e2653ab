// Labels: the source lines of accesses. Two accesses have the same label if they are of the same kind and their code
// belongs to the same line and column, wherever the compiler has put it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "channel/access_trace.hpp"
#include "findings/module_map.hpp"
#include "findings/symbolizer.hpp"
#include "prediction/trace.hpp"

namespace heddle::prediction {

enum class AccessKind : std::uint8_t { load, store, rmw };

struct Label {
  AccessKind kind = AccessKind::load;
  graph::MemoryOrder order = graph::MemoryOrder::relaxed;
  std::string file;   ///< absolute if the debug information allows it; without debug information, "module+0x..."
  unsigned line = 0;  ///< 0: there is no debug information
  unsigned column = 0;
  std::string function;
  std::string variable;              ///< the global variable that all of its accesses are to; empty: none, or several
  bool may_read_own = false;         ///< a load of a location that its thread has stored to before
  bool may_read_others = false;      ///< a load of a location that several accesses write
  std::vector<std::uint64_t> sites;  ///< strategies::site_name() of each place in the code

  /// "queue.c:12"
  std::string place() const;
};

/// Finds the labels of traced steps.
class LabelBook {
 public:
  /// The modules of the process that wrote the traces that follow.
  void set_modules(std::shared_ptr<const findings::ModuleMap> modules) { modules_ = std::move(modules); }
  std::uint32_t label_of(const channel::TracedStep& step);
  const std::vector<Label>& labels() const { return labels_; }

 private:
  struct Place {
    std::string file;
    unsigned line = 0;
    unsigned column = 0;
    std::string function;
    std::uint32_t depth = 1;  ///< how many addresses decide the place
  };
  Place find_place(const channel::TracedStep& step);
  void remember_variable(Label& label, std::uint64_t address);

  findings::Symbolizer symbolizer_;
  std::shared_ptr<const findings::ModuleMap> modules_;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, AccessKind>, std::uint32_t> known_;  ///< by pcs
  std::map<std::tuple<std::string, unsigned, unsigned, AccessKind>, std::uint32_t> numbers_;            ///< by place
  std::map<std::pair<std::uint32_t, std::uint64_t>, bool> variables_seen_;
  std::vector<Label> labels_;
};

/// The executions that a worker has written (channel/access_trace.hpp), with labels. Trusts no size in `bytes`.
struct DecodedTraces {
  std::vector<Trace> traces;
  std::uint64_t left_out = 0;  ///< steps that did not fit
  std::size_t accesses = 0;
  std::size_t threads = 0;  ///< the most that made accesses in one execution
};
DecodedTraces decode_traces(std::span<const std::byte> bytes, LabelBook& labels);

}  // namespace heddle::prediction
