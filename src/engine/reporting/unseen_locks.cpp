#include "engine/reporting/unseen_locks.hpp"

#include <dlfcn.h>

#include <cstring>
#include <iterator>
#include <span>

#include "machine/code_scan.hpp"

// The unwinder has this function, but <unwind.h> does not declare it.
struct HeddleEhBases {
  void* text;
  void* data;
  void* function;
};
extern "C" const void* _Unwind_Find_FDE(void* address, HeddleEhBases* bases);

namespace heddle::engine {

namespace {

// Calls that are followed from a function, and from its caller.
constexpr unsigned depth_of_function = 2, depth_of_caller = 1;

struct Function {
  std::uint64_t begin = 0, end = 0;
};

/// The function that contains the address, by the table for exceptions. Empty if that is not known.
Function function_at(std::uint64_t address) {
  HeddleEhBases bases{};
  const auto* entry = static_cast<const std::uint8_t*>(_Unwind_Find_FDE(reinterpret_cast<void*>(address), &bases));
  if (entry == nullptr) return {};
  // The entry holds its length, the distance to its head, the function's distance from here, and the function's length.
  std::int32_t distance = 0;
  std::uint32_t length = 0;
  std::memcpy(&distance, entry + 8, sizeof distance);
  std::memcpy(&length, entry + 12, sizeof length);
  const std::uint64_t begin =
      reinterpret_cast<std::uint64_t>(entry + 8) + static_cast<std::uint64_t>(std::int64_t{distance});
  if (begin != reinterpret_cast<std::uint64_t>(bases.function)) return {};  // in another encoding
  return {begin, begin + length};
}

/// clang links UndefinedBehaviorSanitizer into the program. Its handlers count reports with a locked instruction, and
/// order no accesses of the program.
bool is_sanitizer_handler(std::uint64_t address) {
  Dl_info info{};
  return ::dladdr(reinterpret_cast<void*>(address), &info) != 0 && info.dli_sname != nullptr &&
         info.dli_saddr == reinterpret_cast<void*>(address) && std::strncmp(info.dli_sname, "__ubsan_", 8) == 0;
}

/// An instruction without its prefixes.
const std::uint8_t* opcode_of(const std::uint8_t* at, bool& has_lock) {
  for (;; ++at) {
    if (*at == 0xf0) has_lock = true;
    const bool is_prefix = *at == 0xf0 || *at == 0x66 || *at == 0xf2 || *at == 0xf3 || *at == 0x2e || *at == 0x3e ||
                           *at == 0x64 || *at == 0x65 || *at == 0x67 || (*at & 0xf0U) == 0x40;
    if (!is_prefix) return at;
  }
}

}  // namespace

bool UnseenLocks::is_in_function(std::uint64_t begin, std::uint64_t end, unsigned depth) const {
  for (std::uint64_t at = begin; at < end;) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(at);
    const auto instruction = machine::scan_instruction({bytes, end - at});
    if (!instruction) return false;
    bool has_lock = false;
    const std::uint8_t* const opcode = opcode_of(bytes, has_lock);
    const bool exchanges = (*opcode == 0x86 || *opcode == 0x87) && instruction->has_memory;
    if (has_lock || exchanges) return true;
    at += instruction->length;
    const bool calls = *opcode == 0xe8 || *opcode == 0xe9;
    const std::uint64_t target = at + static_cast<std::uint64_t>(instruction->displacement);
    if (calls && depth != 0 && (target < begin || target >= end) && has_locked(target, depth - 1)) return true;
  }
  return false;
}

/// Calls between libraries go through a jump to an address in memory.
bool UnseenLocks::has_locked(std::uint64_t address, unsigned depth) const {
  const Module* module = modules_.find(address);
  if (module == nullptr || module->role != ModuleRole::program) return false;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(address);
  constexpr std::uint8_t end_branch[] = {0xf3, 0x0f, 0x1e, 0xfa};
  if (std::memcmp(bytes, end_branch, sizeof end_branch) == 0) bytes += sizeof end_branch;
  if (*bytes == 0xf2) ++bytes;
  if (bytes[0] == 0xff && bytes[1] == 0x25) {
    std::int32_t distance = 0;
    std::memcpy(&distance, bytes + 2, sizeof distance);
    std::uint64_t target = 0;
    std::memcpy(&target, bytes + 6 + distance, sizeof target);
    module = modules_.find(target);
    if (module == nullptr || module->role != ModuleRole::program) return false;
    address = target;
  }
  if (!modules_.is_instrumented_code(address) || is_sanitizer_handler(address)) return false;
  const Function function = function_at(address);
  return is_in_function(function.begin, function.end, depth);
}

bool UnseenLocks::are_around(std::uint64_t site, std::uint32_t stack) {
  if (!modules_.is_instrumented_code(site)) return false;
  std::uint64_t callers[1] = {};
  stacks_.unwind(stack, callers);
  Known& known = known_[site % std::size(known_)];
  if (known.site == site && known.caller == callers[0]) return known.result;
  bool result = has_locked(site, depth_of_function);
  if (!result && callers[0] != 0 && modules_.is_instrumented_code(callers[0] - 1))
    result = has_locked(callers[0] - 1, depth_of_caller);
  known = {site, callers[0], result};
  return result;
}

}  // namespace heddle::engine
