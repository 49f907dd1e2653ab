// The steps of calls on descriptors, as rules of synchronisation objects (sync_rules.hpp), and what a thread waits for.
#pragma once

#include <poll.h>

#include <span>

#include "engine/operations/sync_rules.hpp"
#include "engine/processes/descriptors.hpp"

namespace heddle::engine {

/// What a waiting thread asks poll() for. It lies on the stack of that thread; the address is the parameter of its
/// rule.
struct Descriptors::Request {
  Descriptors* owner;
  std::span<pollfd> files;
  bool never_waits = false;        ///< the call is made whatever poll() says
  bool can_block_outside = false;  ///< something outside of the program may make a file ready
  bool is_granted = false;         ///< no other thread could run and a file is ready, or the call finds a closed number
  bool found_closed = false;       ///< granted by Descriptors::close: the number may have a new file
  /// By index in `files`: what was closed while the thread waited for it. Empty until that happens.
  std::span<Descriptor> closed = {};
  Deadline patience = no_deadline;  ///< of the caller

  bool is_ready() const;
  bool waits_for_closed(std::size_t i) const { return !closed.empty() && closed[i].file != nullptr; }
};

/// The steps of calls on files. A file's state is in the kernel. Under a search, the value of the object that stands
/// for all files is the number of calls so far. Only the newest value is the state that the kernel can be asked for,
/// and a call changes no older state: the steps that a search places earlier are executed earlier.
struct DescriptorSteps {
  static Descriptors::Request& request_of(const Rule& rule) {
    return *reinterpret_cast<Descriptors::Request*>(rule.parameter);
  }
  static Effect judge(const ObjectState& state, const Rule& rule) {
    const Descriptors::Request& request = request_of(rule);
    const bool in_graph = request.owner->policy_.keeps_objects_in_graph;
    if (in_graph && state.value != request.owner->version_) return Effect::waits;
    if (!request.is_ready()) return Effect::waits;
    return in_graph ? Effect::changes : Effect::keeps;
  }
  static void change(ObjectState& state, const Rule& rule) { state.value = ++request_of(rule).owner->version_; }

  static const Step read, write, look;
  static bool contains(const Rule* rule) {
    return rule != nullptr && (rule->step == &read || rule->step == &write || rule->step == &look);
  }
};

/// Of more files than this, files outside of the program are not told apart.
inline constexpr std::size_t most_polled_files = 1024;

/// poll(), without a change of errno, which belongs to the thread that happens to run.
int poll_kernel(std::span<pollfd> files, int milliseconds);

}  // namespace heddle::engine
