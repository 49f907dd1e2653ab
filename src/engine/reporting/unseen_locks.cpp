#include "engine/reporting/unseen_locks.hpp"

#include <dlfcn.h>

#include <cstring>
#include <iterator>
#include <span>

#include "machine/decoder.hpp"

// The unwinder has this function, but <unwind.h> does not declare it.
struct HeddleEhBases {
  void* text;
  void* data;
  void* function;
};
extern "C" const void* _Unwind_Find_FDE(void* address, HeddleEhBases* bases);

namespace heddle::engine {

namespace {

using machine::Operation;

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

}  // namespace

bool UnseenLocks::is_in_function(std::uint64_t begin, std::uint64_t end, unsigned depth) const {
  for (std::uint64_t at = begin; at < end;) {
    const auto instruction = machine::decode({reinterpret_cast<const std::uint8_t*>(at), end - at});
    if (!instruction) return false;
    const bool exchanges = instruction->operation == Operation::exchange && instruction->accesses_memory();
    if (instruction->is_locked || exchanges) return true;
    at += instruction->length;
    const bool calls = instruction->operation == Operation::call || instruction->operation == Operation::jump;
    const std::uint64_t target = at + static_cast<std::uint64_t>(instruction->immediate);
    if (calls && instruction->is_direct() && depth != 0 && (target < begin || target >= end) &&
        has_locked(target, depth - 1))
      return true;
  }
  return false;
}

bool UnseenLocks::has_locked(std::uint64_t address, unsigned depth) const {
  const Module* module = modules_.find(address);
  if (module == nullptr || module->role != ModuleRole::program) return false;
  const std::span code(reinterpret_cast<const std::uint8_t*>(address), module->all.end - address);
  if (const auto slot = machine::linkage_slot(code)) {
    std::memcpy(&address, code.data() + *slot, sizeof address);
    module = modules_.find(address);
    if (module == nullptr || module->role != ModuleRole::program) return false;
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
