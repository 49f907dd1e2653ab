// Files through which threads of the program communicate without events: one writes what another reads, or creates the
// name that another looks up. A search explores the orders of events only. So it is no proof if such calls of two
// threads are not ordered by anything else (ProofGap::files).
//
// Each file, name and open descriptor has cells of shadow memory, at addresses that no memory has. The race detector
// says whether two uses of a cell are ordered.
//
//   content   a read conflicts with a write. Two writes conflict only if the file is read later: logs are not read.
//   position  a call that reads from a shared position moves it, and conflicts with all others that use it.
//   name      creating, deleting and renaming conflict with each other and with looking up.
//   list      listing a folder conflicts with every change of a name, wherever it is.
//   mapping   reading and writing by calls conflicts with a shared mapping of the file, whose accesses are elsewhere.
//
// Pipes, sockets and the like are events (engine/processes/descriptors.hpp). Only regular files count here.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/arena.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"
#include "races/detector.hpp"

struct stat;

namespace heddle::engine {

class FindingSink;

class FileUses {
 public:
  FileUses(base::Arena& execution_arena, const graph::ExecutionGraph& graph, races::Detector& races,
           ThreadTable& threads, FindingSink& findings)
      : execution_arena_(execution_arena), graph_(graph), races_(races), threads_(threads), findings_(findings) {}

  void configure(const ExecutionPolicy& policy) { is_on_ = policy.keeps_objects_in_graph; }
  void begin_execution() { subjects_.forget(); }

  /// The current thread reads from a position that the call names, or asks for the size.
  void read_at(int fd, std::uint64_t site) {
    if (is_on_) [[unlikely]]
      use_content(fd, false, Position::unused, site);
  }
  /// It reads from the descriptor's own position.
  void read(int fd, std::uint64_t site) {
    if (is_on_) [[unlikely]]
      use_content(fd, false, Position::read, site);
  }
  void write_at(int fd, std::uint64_t site) {
    if (is_on_) [[unlikely]]
      use_content(fd, true, Position::unused, site);
  }
  void write(int fd, std::uint64_t site) {
    if (is_on_) [[unlikely]]
      use_content(fd, true, Position::written, site);
  }
  /// The file is mapped such that others see changes.
  void map(int fd, std::uint64_t site) {
    if (is_on_) [[unlikely]]
      map_content(fd, site);
  }

  /// A null path is none.
  void look_up(const char* path, std::uint64_t site) {
    if (is_on_) [[unlikely]]
      use_name(path, false, site);
  }
  void change_name(const char* path, std::uint64_t site) {
    if (is_on_) [[unlikely]]
      use_name(path, true, site);
  }
  /// stat: the name, and the size of the content.
  void ask_for_size(const char* path, std::uint64_t site) {
    if (is_on_) [[unlikely]]
      use_size(path, false, site);
  }
  /// truncate.
  void change_size(const char* path, std::uint64_t site) {
    if (is_on_) [[unlikely]]
      use_size(path, true, site);
  }
  void list(const char* path, std::uint64_t site) {
    if (is_on_) [[unlikely]]
      list_names(path, site);
  }

 private:
  enum class Position : std::uint8_t { unused, read, written };
  enum class Kind : std::uint8_t { content, position, name, list };
  struct Subject {
    Kind kind = Kind::content;
    std::uint64_t key[2] = {};
    bool is_written_in_any_order = false;
    bool is_mapped = false;
  };

  std::size_t find(Kind kind, std::uint64_t first, std::uint64_t second);
  std::size_t find_name(const char* path);
  std::size_t find_list() { return find(Kind::list, 0, 0); }
  static bool is_regular(const struct stat& status);
  void use_content(int fd, bool writes, Position position, std::uint64_t site);
  void use_content(const struct stat& status, bool writes, std::uint64_t site);
  void map_content(int fd, std::uint64_t site);
  void use_name(const char* path, bool changes, std::uint64_t site);
  void use_size(const char* path, bool changes, std::uint64_t site);
  void list_names(const char* path, std::uint64_t site);
  void withhold_proof();
  /// Records the use in one of the subject's cells. True: another thread's use is not ordered with it.
  bool conflicts(std::size_t subject, unsigned cell, races::AccessType type, std::uint64_t site);

  base::Arena& execution_arena_;
  const graph::ExecutionGraph& graph_;
  races::Detector& races_;
  ThreadTable& threads_;
  FindingSink& findings_;
  base::ArenaVector<Subject> subjects_;
  bool is_on_ = false;
};

}  // namespace heddle::engine
