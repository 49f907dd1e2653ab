// The loaded ELF files: which memory is the program's to be reset, which thread-local storage it has, and what
// the driver needs to symbolise addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.hpp"

namespace heddle::engine {

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
  std::size_t size() const { return end - begin; }
};

/// Thread-local storage of one module: a piece of the static TLS block, at a fixed distance from the thread
/// pointer in every thread.
struct TlsImage {
  std::ptrdiff_t offset = 0;  ///< from the thread pointer
  const void* initial = nullptr;
  std::size_t initial_size = 0;
  std::size_t size = 0;
};

enum class ModuleRole : std::uint8_t {
  program,  ///< the executable and its libraries, the C++ library among them
  system,   ///< libc, the loader, the unwinder, the mathematical library, the vdso: threads are not switched inside
  heddle,
};

struct Module {
  const char* path = "";
  std::uint32_t number = 0;  ///< the same in every process; unlike those of all other modules
  std::uintptr_t base = 0;   ///< what to subtract from an address to get the ELF file's
  Range all;
  ModuleRole role = ModuleRole::program;
  bool is_cxx_library = false;
  /// Its variables are reset between executions. This holds for the program and for most of the system, but not for the
  /// loader: it knows of the threads and libraries of the process, which stay.
  bool is_reset = false;
  bool is_trusted = false;            ///< --trust: calls into it are ordered
  bool instrumented = false;          ///< calls the compiler's instrumentation: what it does is visible
  char build_id[64] = {};             ///< hexadecimal, empty if there is none
  base::ArenaVector<Range> writable;  ///< without what the loader filled in
  bool has_tls = false;
  TlsImage tls;
  bool needs_executable_stack = false;  ///< gcc's nested functions put code on the stack
};

class Modules {
 public:
  /// Looks at what is loaded now. Paths and arrays live in `arena`.
  void read(base::Arena& arena);
  /// Libraries were loaded or unloaded (dlopen). Those that read() has found stay.
  void refresh(base::Arena& arena);
  /// A library that was loaded after read(), and is loaded still; null if there is none.
  const Module* loaded_later() const { return modules_.size() > first_count_ ? &modules_[first_count_] : nullptr; }

  /// --trust names the module that holds the address.
  void trust(std::uintptr_t address) {
    for (Module& module : modules_)
      if (module.all.contains(address)) module.is_trusted = true;
  }

  std::span<const Module> all() const { return modules_; }
  /// Where the thread-local storage of the modules that read() has found lies, relative to the thread pointer.
  struct StaticTls {
    std::ptrdiff_t begin = 0;
    std::ptrdiff_t end = 0;
    std::size_t size() const { return static_cast<std::size_t>(end - begin); }
  };
  const StaticTls& static_tls() const { return static_tls_; }
  /// Whether one of the modules asks for executable stacks; the loader makes those of all threads executable then.
  bool need_executable_stacks() const {
    for (const Module& module : modules_)
      if (module.needs_executable_stack) return true;
    return false;
  }
  const Module* find(std::uintptr_t address) const;
  /// A name for a code or data address that is the same in every process: module number and offset.
  std::uint64_t canonical(std::uintptr_t address) const;
  /// The address in this process that has the name; 0 if the module is not loaded.
  std::uintptr_t address_of(std::uint64_t canonical) const;
  /// True if the address lies in the first module, the program itself, where most variables are.
  bool program_holds(std::uintptr_t address) const { return !modules_.empty() && modules_[0].all.contains(address); }
  /// Code whose synchronisation is visible. What other code does to memory must not be judged: the locks and
  /// reference counts that make it right cannot be seen.
  bool is_instrumented_code(std::uint64_t address) const {
    for (const Range& range : instrumented_)
      if (range.contains(address)) return true;
    return false;
  }
  /// Code of the program and its libraries, other than libheddle.
  bool is_foreign_code(std::uint64_t address) const {
    const Module* module = find(address);
    return module != nullptr && module->role != ModuleRole::heddle;
  }

 private:
  base::ArenaVector<Module> modules_;
  std::size_t first_count_ = 0;           // modules that read() has found
  base::ArenaVector<Module> seen_later_;  // by refresh(), unloaded ones included
  base::ArenaVector<Range> instrumented_;
  StaticTls static_tls_;
};

/// The code of the C++ library (libstdc++).
bool is_cxx_library_code(std::uint64_t address);
/// Does the program, or a library of it other than the C++ library, import a function of one of these names?
bool program_imports(std::span<const char* const> names);

/// Looks up the functions of the instrumentation that the program calls, instead of at their first call: the emulation
/// of its code (retry_loops.hpp) finds the same in every execution.
void bind_instrumentation();

/// The code of modules with the role `system`; usable before anything is initialised.
bool is_system_code(const void* address);
/// The code of those among them that are not reset, such as the loader.
bool is_loader_code(const void* address);

}  // namespace heddle::engine
