#include "findings/symbolizer.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>

#include "findings/debug_file.hpp"
#include "findings/local_names.hpp"
#include "findings/stack_ends.hpp"

namespace heddle::findings {

class Symbolizer::Implementation {
 public:
  void symbolize(Stack& stack, const ModuleMap& modules) {
    stack.frames.clear();
    for (std::size_t i = 0; i < stack.pcs.size(); ++i) add_frames(stack.pcs[i], i == 0, modules, stack.frames);
    trim_stack(stack.frames);
  }

  void symbolize(DataAddress& address, const ModuleMap& modules) {
    if (address.frame.pc != 0) return symbolize_local(address, modules);
    const LoadedFile* module = modules.find(address.value);
    if (module == nullptr) return;
    if (auto variable = file(module->path).variable(address.value - module->base)) {
      address.symbol = std::move(variable->name);
      address.offset = variable->offset;
    }
  }

 private:
  void symbolize_local(DataAddress& address, const ModuleMap& modules) {
    const LoadedFile* module = modules.find(address.frame.pc);
    if (module == nullptr) return;
    static std::map<std::string, LocalNames> names;
    auto known = names.find(module->path);
    if (known == names.end()) known = names.emplace(module->path, LocalNames(module->path)).first;
    const auto local = known->second.find(address.frame.pc - module->base, address.frame);
    if (!local) return;
    address.symbol = local->name + local->part.path;
    address.offset = local->part.offset;
    address.type = local->part.type;
  }

  void add_frames(std::uint64_t pc, bool innermost, const ModuleMap& modules, std::vector<Frame>& out) {
    // A return address is that of the next instruction, which may belong to another line or function.
    const std::uint64_t inside = innermost ? pc : pc - 1;
    const LoadedFile* module = modules.find(inside);
    if (module == nullptr) {
      out.emplace_back();
      return;
    }
    for (Frame frame : file(module->path).frames(inside - module->base)) {
      frame.module = std::filesystem::path(module->path).filename().string();
      frame.offset = pc - module->base;
      out.push_back(std::move(frame));
    }
  }

  /// All symbolizers of the process share the files, since the same program is read for findings, replays and trials.
  static DebugFile& file(const std::string& path) {
    static std::map<std::string, DebugFile> files;
    const auto found = files.find(path);
    return found != files.end() ? found->second : files.emplace(path, DebugFile(path)).first->second;
  }
};

Symbolizer::Symbolizer() : implementation_(std::make_unique<Implementation>()) {
  // Otherwise elfutils downloads debug information of the system's libraries, which delays the report.
  ::unsetenv("DEBUGINFOD_URLS");
}
Symbolizer::~Symbolizer() = default;

void Symbolizer::symbolize(Stack& stack, const ModuleMap& modules) { implementation_->symbolize(stack, modules); }
void Symbolizer::symbolize(DataAddress& address, const ModuleMap& modules) {
  implementation_->symbolize(address, modules);
}

void Symbolizer::symbolize(Finding& finding) {
  if (finding.has_names) return;
  static const ModuleMap no_modules;
  const ModuleMap& modules = finding.modules ? *finding.modules : no_modules;
  Implementation& in = *implementation_;
  in.symbolize(finding.stack, modules);
  for (Access& access : finding.accesses) {
    in.symbolize(access.address, modules);
    in.symbolize(access.stack, modules);
  }
  if (finding.object) {
    in.symbolize(finding.object->address, modules);
    in.symbolize(finding.object->stack, modules);
  }
  for (ThreadState& thread : finding.threads) {
    if (thread.object) in.symbolize(*thread.object, modules);
    in.symbolize(thread.stack, modules);
  }
}

}  // namespace heddle::findings
