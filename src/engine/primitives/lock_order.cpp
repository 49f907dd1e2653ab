#include "engine/primitives/lock_order.hpp"

#include "engine/reporting/finding_sink.hpp"
#include "engine/threads/program_thread.hpp"

namespace heddle::engine {

namespace {

bool is_exclusive(const HeldLock& a, const HeldLock& b) {
  return a.mode == LockMode::exclusive || b.mode == LockMode::exclusive;
}

bool is_same(const HeldLock& a, const HeldLock& b) { return a.lock == b.lock && a.serial == b.serial; }

/// Whether the edge comes before the other one because of the creation of threads or of joins.
bool comes_before(const LockEdge& edge, const LockEdge& other) {
  for (const KnownSection& known : other.known)
    if (known.thread == edge.thread->id) return known.section >= edge.section;
  return false;
}

bool have_common_guard(const LockEdge& a, const LockEdge& b) {
  for (const HeldLock& one : a.guards)
    for (const HeldLock& other : b.guards)
      if (is_same(one, other) && is_exclusive(one, other)) return true;
  return false;
}

/// Whether two threads can be before the ends of these edges at the same time.
bool may_meet(const LockEdge& a, const LockEdge& b) {
  return a.thread != b.thread && !comes_before(a, b) && !comes_before(b, a) && !have_common_guard(a, b);
}

/// Whether the thread of the first edge may have to wait for the thread of the second.
bool leads_to(const LockEdge& edge, const LockEdge& next) {
  return is_same(edge.to, next.from) && is_exclusive(edge.to, next.from);
}

bool has_all(std::span<const HeldLock> all, std::span<const HeldLock> some) {
  for (const HeldLock& wanted : some) {
    bool is_there = false;
    for (const HeldLock& lock : all) is_there |= is_same(lock, wanted) && lock.mode == wanted.mode;
    if (!is_there) return false;
  }
  return true;
}

/// The thread knows what it learns of the other one now.
void learn(base::ArenaVector<KnownSection>& known, base::Arena& arena, KnownSection news) {
  for (KnownSection& old : known) {
    if (old.thread != news.thread) continue;
    if (old.section < news.section) old.section = news.section;
    return;
  }
  known.push_back(arena, news);
}

}  // namespace

ThreadLocks& LockOrder::locks_of(ProgramThread& thread) {
  if (thread.locks == nullptr) thread.locks = execution_arena_.create<ThreadLocks>();
  return *thread.locks;
}

void LockOrder::record_nesting(ProgramThread& self) {
  if (what_ == run::LockOrder::off) return;
  self.locks->has_nested = true;
  const std::span<const HeldLock> all = self.locks->held;
  const HeldLock& taken = all.back();
  const std::span<const HeldLock> held = all.first(all.size() - 1);
  std::span<const HeldLock> guards;  // a copy, made for the first new edge
  for (const HeldLock& from : held) {
    if (!from.is_alive() || is_same(from, taken) || knows_edge(self, from, taken, held)) continue;
    if (guards.empty()) guards = execution_arena_.copy_array(held);
    add_edge(self, from, taken, guards);
  }
}

/// Whether the lock has an edge that stands for the new one, or as many as it may have.
bool LockOrder::knows_edge(const ProgramThread& self, const HeldLock& from, const HeldLock& taken,
                           std::span<const HeldLock> held) {
  const auto& edges = from.lock->taken_after;
  for (const LockEdge* edge : edges)
    if (edge->thread == &self && is_same(edge->to, taken) && edge->to.site == taken.site &&
        edge->from.site == from.site && is_same(edge->from, from) && edge->to.mode == taken.mode &&
        edge->section == self.locks->section && has_all(held, edge->guards))
      return true;
  return edges.size() >= most_edges;
}

void LockOrder::add_edge(ProgramThread& self, const HeldLock& from, const HeldLock& taken,
                         std::span<const HeldLock> guards) {
  const ThreadLocks& own = *self.locks;
  const std::span<const KnownSection> known = own.known;
  LockEdge* edge = execution_arena_.create<LockEdge>(
      LockEdge{from, taken, &self, own.section, execution_arena_.copy_array(known), guards});
  from.lock->taken_after.push_back(execution_arena_, edge);
  if (!may_close(*edge)) return;
  const LockEdge* path[longest_cycle] = {edge};
  steps_ = most_steps;
  extend(path, 1);
}

/// Whether edges lead from the end of this one to its beginning, few enough for a cycle. Most programs take their locks
/// in one order, and extend(), which tries every path, is not needed.
bool LockOrder::may_close(const LockEdge& edge) {
  ++searches_;
  pending_.clear();
  pending_.push_back(execution_arena_, edge.to.lock);
  edge.to.lock->reached_by = searches_;
  std::size_t done = 0;
  for (std::size_t length = 1; length < longest_cycle; ++length) {
    const std::size_t end = pending_.size();
    for (; done < end; ++done)
      for (const LockEdge* next : pending_[done]->taken_after) {
        if (is_same(next->to, edge.from)) return true;
        if (!next->to.is_alive() || next->to.lock->reached_by == searches_) continue;
        next->to.lock->reached_by = searches_;
        pending_.push_back(execution_arena_, next->to.lock);
      }
  }
  return false;
}

/// The report begins with the eldest thread, whichever edge came last.
void LockOrder::report(std::span<const LockEdge*> cycle) {
  std::size_t first = 0;
  for (std::size_t i = 1; i < cycle.size(); ++i)
    if (precedes(cycle[i]->thread, cycle[first]->thread)) first = i;
  const LockEdge* turned[longest_cycle];
  for (std::size_t i = 0; i < cycle.size(); ++i) turned[i] = cycle[(first + i) % cycle.size()];
  findings_.report_lock_order({turned, cycle.size()}, what_ == run::LockOrder::report);
}

/// Looks for edges that close the cycle that begins with the path. Reports the first one, and returns whether there is
/// one.
bool LockOrder::extend(std::span<const LockEdge*> path, std::size_t length) {
  const LockEdge& last = *path[length - 1];
  for (const LockEdge* next : last.to.lock->taken_after) {
    if (!leads_to(last, *next) || !next->to.is_alive()) continue;
    if (steps_ == 0) return true;  // there may be a cycle, and it is not worth the time
    --steps_;
    bool fits = true;
    for (std::size_t i = 0; i < length; ++i) fits &= may_meet(*path[i], *next);
    if (!fits) continue;
    path[length] = next;
    if (leads_to(*next, *path[0])) {
      report(path.first(length + 1));
      return true;
    }
    if (length + 1 < path.size() && extend(path, length + 1)) return true;
  }
  return false;
}

void LockOrder::pass_to_child(ProgramThread& parent, ProgramThread& child) {
  if (parent.locks == nullptr) return;
  ThreadLocks& own = *parent.locks;
  if (!own.has_nested && own.known.empty()) return;
  ThreadLocks& its = locks_of(child);
  for (const KnownSection& known : own.known) its.known.push_back(execution_arena_, known);
  if (own.has_nested) learn(its.known, execution_arena_, {parent.id, own.section++});
}

void LockOrder::take_from_joined(ProgramThread& self, const ProgramThread& joined) {
  if (joined.locks == nullptr) return;
  const ThreadLocks& its = *joined.locks;
  if (!its.has_nested && its.known.empty()) return;
  ThreadLocks& own = locks_of(self);
  for (const KnownSection& known : its.known)
    if (known.thread != self.id) learn(own.known, execution_arena_, known);
  if (its.has_nested) learn(own.known, execution_arena_, {joined.id, its.section});
}

}  // namespace heddle::engine
