#include "engine/isolation/float_modes.hpp"

#include <link.h>

namespace heddle::engine {

#if defined(__x86_64__)

namespace {

// With the last four it may call whatever it likes.
constexpr const char* functions[] = {
    "feclearexcept",   "fedisableexcept", "feenableexcept", "fegetenv",      "fegetexcept",      "fegetexceptflag",
    "fegetmode",       "fegetround",      "feholdexcept",   "feraiseexcept", "fesetenv",         "fesetexcept",
    "fesetexceptflag", "fesetmode",       "fesetround",     "fetestexcept",  "fetestexceptflag", "feupdateenv",
    "dlopen",          "dlmopen",         "dlsym",          "dlvsym"};

/// stmxcsr, ldmxcsr, and what saves or brings back all of a processor's state: 0f ae, or ae behind the prefix that AVX
/// has instead, and an operand in memory.
bool may_be_instruction(const unsigned char* opcode) {
  const unsigned char before = opcode[-1], operand = opcode[1];
  const bool has_prefix = before == 0x0f || before == 0xf8 || before == 0x78;
  const bool is_in_memory = operand >> 6 != 3;
  const unsigned which = operand >> 3 & 7;  // 6 and 7 are about the cache
  return has_prefix && is_in_memory && which <= 5;
}

bool has_instruction(const unsigned char* begin, std::size_t size) {
  constexpr unsigned char opcode = 0xae;
  for (std::size_t i = 1; i + 1 < size; ++i)
    if (begin[i] == opcode && may_be_instruction(begin + i)) return true;
  return false;
}

int look_for_instructions(dl_phdr_info* info, std::size_t, void* data) {
  const auto& modules = *static_cast<const Modules*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    constexpr unsigned wanted = PF_X | PF_R;
    if (header.p_type != PT_LOAD || (header.p_flags & wanted) != wanted) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    const Module* module = modules.find(begin);
    if (module == nullptr || module->role != ModuleRole::program || module->is_cxx_library) continue;
    if (has_instruction(reinterpret_cast<const unsigned char*>(begin), header.p_memsz)) return 1;
  }
  return 0;
}

}  // namespace

bool may_use_float_modes(const Modules& modules) {
  return program_imports(functions) || ::dl_iterate_phdr(look_for_instructions, const_cast<Modules*>(&modules)) != 0;
}

#else

bool may_use_float_modes(const Modules&) { return true; }

#endif

}  // namespace heddle::engine
