// The descriptors through which threads of the program communicate: pipes, sockets, event counters, timers, epoll sets.
//
// The files are the kernel's, and so are their states: a call of the program that would block waits in the scheduler
// until poll() says that it does not block any more, and then goes to the kernel. A call that may change what poll()
// says is followed by update_waits(), which asks again for every waiting thread.
//
// A write to a file happens before a read from it (ThreadSanitizer's rule for descriptors). When executions are
// sampled, each file is a synchronisation object with an event for each call. A search keeps one object for all files:
// their states and the numbers of descriptors follow from the order of all calls, which is then in the graph.
//
// A file is inner if only threads of this program can change its state. Other files are outside; what other processes
// do to them is not part of the schedule. A thread that waits for one continues when no other thread can run.
#pragma once

#include <poll.h>
#include <time.h>

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "engine/memory/object_table.hpp"
#include "engine/operations/deadline.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/operations/interrupts.hpp"
#include "engine/operations/outside_waits.hpp"
#include "engine/operations/sync_executor.hpp"
#include "engine/processes/loopback_socket.hpp"
#include "engine/scheduling/event_log.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/threads/thread_table.hpp"

namespace heddle::engine {

enum class FileKind : std::uint8_t { pipe, socket, event_counter, timer, epoll, signals, other };

/// A file of the program that descriptors refer to.
struct DescriptorFile {
  FileKind kind = FileKind::other;
  SyncObject* object = nullptr;
  int number = -1;                    ///< one of the descriptors
  bool is_pair = false;               ///< it has two ends: pipe, connected sockets
  std::uint32_t descriptors[2] = {};  ///< how many refer to each end; a file that is no pair has one
  bool is_shared = false;             ///< a child process may have inherited a descriptor
  clockid_t clock = 0;                ///< timer
  Deadline due;                       ///< timer: when it expires next, in virtual time
  std::uint64_t interval = 0;         ///< timer: in nanoseconds; 0: it expires once
  SignalSet signals = 0;              ///< signals: those that can be read
  std::uint64_t receive_timeout = 0;  ///< socket: SO_RCVTIMEO in nanoseconds; 0: none
  std::uint64_t send_timeout = 0;
  base::ArenaVector<int> watched;            ///< epoll: the descriptors in the set
  base::ArenaVector<WaitingClient> clients;  ///< socket: that have connected, the next one to be accepted first
  LoopbackSocket* internet = nullptr;        ///< socket: TCP or UDP
  LoopbackSocket* accepted = nullptr;        ///< the end of a connection that a server has accepted
  sockaddr_storage unix_name = {};           ///< Unix socket: the name that it is bound to
  socklen_t unix_name_size = 0;
};

/// What one descriptor refers to.
struct Descriptor {
  DescriptorFile* file = nullptr;  ///< null: not known, an outside file
  std::uint8_t end = 0;
  SyncObject* number = nullptr;  ///< closing the descriptor happens before the number is used again
  bool was_closed = false;       ///< a file of the table had the number earlier in the execution
};

/// How long a call waits.
struct Patience {
  bool waits = true;
  Deadline until = no_deadline;
};

class DescriptorUses;
class Signals;

/// Many methods: one for each call of the program.
class Descriptors final : public OutsideWaits {
 public:
  Descriptors(base::Arena& execution_arena, ObjectTable& objects, ThreadTable& threads, Scheduler& scheduler,
              EventLog& log, DescriptorUses& uses)
      : execution_arena_(execution_arena), objects_(objects), threads_(threads), scheduler_(scheduler), log_(log),
        uses_(uses) {}

  void configure(const ExecutionPolicy& policy, SyncExecutor& executor) {
    policy_ = policy;
    executor_ = &executor;
  }
  void begin_execution();

  // ---- which descriptors there are ----------------------------------------------------------------------------
  /// The program is about to create, copy or close a descriptor. Under a search this is a step of its own: numbers of
  /// descriptors follow from the order of such calls.
  void change_table(std::uint64_t site);
  DescriptorFile& add(int fd, FileKind kind);
  /// Two ends of one file: a write to one end happens before a read from the other.
  DescriptorFile& add_pair(int first, int second, FileKind kind);
  /// A listening socket has accepted the client: the new descriptor is the other end of the client's file.
  void add_other_end(int fd, DescriptorFile& client);
  /// `to` refers to what `from` refers to.
  void copy(int from, int to);
  void forget(int fd);
  /// A descriptor enters or leaves an epoll set.
  void change_set(int set, int fd, bool leaves);
  /// A child process inherits the descriptors that are open now.
  void share_with_child();
  void add_child() {
    ++children_;
    has_started_child_ = true;
  }
  /// The program has waited for the end of a child process.
  void remove_child() { --children_; }
  const Descriptor* find(int fd) const {
    return fd >= 0 && static_cast<std::size_t>(fd) < table_.size() &&
                   table_[static_cast<std::size_t>(fd)].file != nullptr
               ? &table_[static_cast<std::size_t>(fd)]
               : nullptr;
  }
  /// The current thread is about to close a known descriptor. What it did before happens before a read that finds the
  /// end of the file, and before what is done to the next file that gets the number: programs keep tables by number.
  ///
  /// A thread that waits in a call on the descriptor has begun the call, or it has not. Both are possible on a real
  /// system. If the file is ready, the thread has not begun, and finds the number closed. If it is not, the thread has
  /// begun: the kernel keeps the file for it, and only what happens to the file can end the wait. The file is gone
  /// here, so when that happens, the thread turns out not to have begun.
  void close(int fd, std::uint64_t site);
  /// The part of close() that decides what threads find that wait for the descriptor. It is not a step.
  void answer_waits_before_close(int fd);
  /// The kernel has closed the descriptor.
  void end_close(int fd);
  /// All known descriptors are below.
  int end() const { return static_cast<int>(table_.size()); }
  DescriptorFile* file(int fd) const {
    const Descriptor* known = find(fd);
    return known == nullptr ? nullptr : known->file;
  }
  bool is_inner(int fd) const;

  // ---- what the program does with them --------------------------------------------------------------------------
  /// The current thread is about to read from the file or to write to it; returns when that does not block. Returns
  /// false if it would, and the caller's patience has run out or a signal interrupts it (ProgramThread::wait_end).
  bool take(int fd, const Patience& patience, std::uint64_t site) {
    const bool is_ready = begin(fd, POLLIN, patience, site);
    site_ = site;  // the call may be accept, or receive descriptors
    return is_ready;
  }
  bool put(int fd, const Patience& patience, std::uint64_t site) { return begin(fd, POLLOUT, patience, site); }
  /// The current thread is about to make a call on the number. Under a search, a call that finds a closed number is a
  /// step of its own: that it does follows from its place among the others.
  void find_number(int fd, std::uint64_t site) {
    if (!policy_.keeps_objects_in_graph || fd < 0 || static_cast<std::size_t>(fd) >= table_.size()) return;
    const Descriptor& descriptor = table_[static_cast<std::size_t>(fd)];
    if (descriptor.file == nullptr && descriptor.was_closed) change_table(site);
  }
  /// A write, or the like, that never blocks: it happens before later reads.
  void release(int fd, std::uint64_t site);
  /// The state of the file may have changed: threads that wait for descriptors look again.
  void update_waits(int fd);
  /// A client looks for a server and does not find one. A closed socket on which a thread still waits for clients would
  /// have accepted it.
  void answer_waits_for_server();
  /// Returns true when poll() would return at once, and false when patience has run out or a signal interrupts the
  /// wait.
  bool wait_for(std::span<pollfd> files, const Patience& patience, std::uint64_t site);
  /// The file is ready, and the current thread has seen that. What its writers did happens before.
  void learn(int fd, std::uint64_t site);
  /// An epoll set has told the current thread which of its files are ready.
  void learn_of_set(int set, std::uint64_t site);
  /// The current thread waits for what only the outside can do. Returns when no other thread can run and poll() says
  /// that one of the files is ready; they belong to the caller. Returns false if a signal interrupted the wait.
  bool wait_for_outside(std::span<pollfd> files, std::uint64_t site);
  /// A call that was not to wait could do nothing. Other threads go first.
  void yield_after_failed_try(std::uint64_t site);

  // ---- timers -----------------------------------------------------------------------------------------------------
  void arm(int fd, Deadline due, std::uint64_t interval);
  /// Expires the timers whose time has come.
  void expire_timers();

  // ---- signals ----------------------------------------------------------------------------------------------------
  /// Signals were sent or taken: makes files of signals readable, or not.
  void update_signal_files(const Signals& signals);

  bool resolve_stuck(Deadline left) override;
  bool awaits_child() const override { return children_ != 0 && is_any_wait_outside(); }
  bool has_started_child() const override { return has_started_child_; }

 private:
  struct Request;
  friend struct DescriptorSteps;

  static Request* waiting_request_of(ProgramThread& thread);
  bool is_any_wait_outside() const;
  void reconsider_waits_for(int fd);
  template <typename Predicate>
  void answer_waits_for_closed(Predicate concerns);
  DescriptorFile& new_file(FileKind kind, const char* title);
  void refer(int fd, DescriptorFile& file, std::uint8_t end);
  bool begin(int fd, short events, const Patience& patience, std::uint64_t site);
  bool wait(SyncObject& object, const Step& step, Request& request, const Patience& patience, std::uint64_t site);
  bool try_in_search(SyncObject& object, const Rule& rule, Deadline until, std::uint64_t site);
  bool can_block_outside(int fd) const;
  bool can_block_outside(std::span<const pollfd> files) const;
  Deadline next_expiry(std::span<const pollfd> files) const;
  Deadline next_expiry_of(int fd, int levels) const;
  Deadline deadline_of(const Request& request) const;
  void renew_deadlines();
  SyncObject& object_of(DescriptorFile& file);
  SyncObject& pollers();
  SyncObject& all_files();
  void add_empty_event(Operation operation, std::uint64_t site);
  void expire(DescriptorFile& timer);

  base::Arena& execution_arena_;
  ObjectTable& objects_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  EventLog& log_;
  DescriptorUses& uses_;
  SyncExecutor* executor_ = nullptr;
  ExecutionPolicy policy_;
  base::ArenaVector<Descriptor> table_;  // by number
  base::ArenaVector<DescriptorFile*> timers_;
  SyncObject* pollers_ = nullptr;    // threads that wait for several files wait here
  SyncObject* all_files_ = nullptr;  // what a search keeps in the graph
  bool has_started_child_ = false;   // in this execution
  std::uint32_t children_ = 0;       // processes that the program started and has not waited for
  std::uint64_t version_ = 0;        // the value of all_files_: the number of calls so far
  std::uint64_t site_ = 0;           // of the newest call that may create a descriptor
};

}  // namespace heddle::engine
