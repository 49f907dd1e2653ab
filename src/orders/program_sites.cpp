#include "orders/program_sites.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "base/hash.hpp"
#include "findings/debug_file.hpp"
#include "findings/edited_place.hpp"
#include "findings/elf_symbols.hpp"

extern char** environ;

namespace heddle::orders {

namespace {

/// What a process prints; empty if it cannot be started.
std::string output_of(const char* path, const std::vector<const char*>& environment) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const char* arguments[] = {path, nullptr};
  pid_t child = -1;
  const int error = ::posix_spawn(&child, path, &actions, nullptr, const_cast<char**>(arguments),
                                  const_cast<char**>(environment.data()));
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  ssize_t size = 0;
  while (error == 0 && ((size = ::read(ends[0], buffer, sizeof buffer)) > 0 || (size < 0 && errno == EINTR)))
    if (size > 0) text.append(buffer, static_cast<std::size_t>(size));
  ::close(ends[0]);
  if (error == 0)
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  return text;
}

/// The libraries that the loader would load for the program. The loader lists them, and does not start the program.
std::vector<std::string> libraries_of(const std::string& program) {
  std::vector<const char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  environment.push_back("LD_TRACE_LOADED_OBJECTS=1");
  environment.push_back(nullptr);
  const std::string text = output_of(program.c_str(), environment);
  std::vector<std::string> libraries;
  // Lines such as "	libring.so => /usr/lib/libring.so (0x00007f...)".
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    const std::size_t arrow = line.find(" => "), address = line.rfind(" (0x");
    if (arrow == line.npos || address == line.npos || address < arrow + 4) continue;
    libraries.emplace_back(line.substr(arrow + 4, address - arrow - 4));
  }
  return libraries;
}

/// Code of a library that is no wrapper, and that no code of the user was inlined around. Null: it is a wrapper, whose
/// callers are the places to edit.
const findings::Frame* library_place(const std::vector<findings::Frame>& frames) {
  if (frames.empty() || findings::is_atomic_wrapper(frames.back().function)) return nullptr;
  for (const findings::Frame& frame : frames)
    if (frame.line != 0 && !findings::is_atomic_wrapper(frame.function)) return &frame;
  return nullptr;
}

}  // namespace

void ProgramSites::add_module(const std::string& path) {
  const std::vector<AtomicCall> calls = atomic_calls(path);
  if (calls.empty()) return;
  findings::DebugFile debug(path);
  const std::uint64_t module = base::hash_text(path);
  for (const AtomicCall& call : calls) {
    // The call instruction itself is before the address that it returns to.
    const std::vector<findings::Frame> frames = debug.frames(call.return_address - 1);
    auto [frame, wrapper] = findings::edited_frame(frames);
    if (frame != nullptr && frame->line != 0 && findings::is_atomic_wrapper(*frame)) frame = library_place(frames);
    if (frame == nullptr || frame->line == 0) {
      const std::string function = frames.empty() ? "" : frames.front().function;
      // The code of a wrapper: its callers are the places to edit.
      if (!findings::is_atomic_wrapper(function))
        sites_.push_back({module, call.return_address, call.operations, {"", 0, 0, function}, path});
      continue;
    }
    sites_.push_back({module,
                      call.return_address,
                      call.operations,
                      {frame->file, frame->line, frame->column, frame->function},
                      path,
                      wrapper != nullptr ? wrapper->function : ""});
  }
}

ProgramSites ProgramSites::read(const std::string& program) {
  ProgramSites sites;
  sites.add_module(program);
  for (const std::string& library : libraries_of(program)) {
    const auto imports = findings::imported_functions(library);
    const auto first = imports.lower_bound("__tsan_");
    if (first != imports.end() && first->starts_with("__tsan_")) sites.add_module(library);
  }
  return sites;
}

}  // namespace heddle::orders
