// Functions of the C library that read or write memory of the program: a row says which memory, and an entry point
// follows from the row.
//
// The entry point (checked_call.cpp) keeps the arguments in registers as they were called with. It announces what the
// function reads, calls the function, and announces what the function has written if it succeeded. A call from code
// that is not instrumented goes to the C library without announcements of memory.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>

namespace heddle::abi {

struct CheckedCall;

/// A va_list, as the ABI describes it.
struct ArgumentList {
  std::uint32_t integers_used = 0;  ///< in bytes, of the saved registers
  std::uint32_t floats_used = 0;    ///< the same, after the integers
  std::uint64_t* stack = nullptr;
  std::uint64_t* registers = nullptr;
};
static_assert(sizeof(ArgumentList) == sizeof(std::va_list));

/// A call in progress. The assembly in checked_call.cpp knows the offsets.
struct Call {
  std::uint64_t integers[6];  ///< integer and pointer arguments; with what follows, as va_arg expects them
  unsigned char floats[8][16];
  std::uint64_t result;  ///< before the call: the number of floating-point arguments
  CheckedCall* row;
  std::uint64_t* stack;  ///< the other arguments
  std::uint64_t site;
  std::uint64_t kept[2];   ///< what the effects before the call leave to those after it
  ArgumentList list;       ///< of a function with a format: the arguments that the format describes
  std::uint64_t unused_;   ///< the stack stays aligned
  std::uint64_t saved[6];  ///< the result registers, while the effects after the call run

  std::uint64_t number(std::size_t argument) const { return argument < 6 ? integers[argument] : stack[argument - 6]; }
  template <typename T>
  T* pointer(std::size_t argument) const {
    return reinterpret_cast<T*>(number(argument));
  }
  /// A copy of the arguments that the format describes.
  void copy_list(std::va_list& to) const { __builtin_memcpy(&to, &list, sizeof list); }
  template <typename T>
  T* result_pointer() const {
    return reinterpret_cast<T*>(result);
  }
};

/// When a function has written what its row says.
enum class Success : std::uint8_t {
  always,
  zero,      ///< an int that is 0
  number,    ///< an int that is not negative
  positive,  ///< an int above 0
  count,     ///< a size that is not negative
  pointer,   ///< a pointer that is not null
};

/// Accesses of a function.
struct Effect {
  enum class Time : std::uint8_t {
    never,
    before,
    before_any_caller,  ///< also if code without instrumentation calls the function
    after,
    after_success,
  };
  Time time = Time::never;
  void (*announce)(Call& call) = nullptr;
};

/// Announces an access of the C library for the caller. Nothing if the address is null.
void announce(const Call& call, const void* at, std::size_t size, bool is_write);

/// What a function reads is checked before the call.
template <typename Extent>
inline constexpr Effect reads{
    Effect::Time::before, [](Call& call) {
      Extent::visit(call, [&call](const void* at, std::size_t size) { announce(call, at, size, false); });
    }};
/// What a function reads, if that depends on its result.
template <typename Extent>
inline constexpr Effect reads_by_result{Effect::Time::after, reads<Extent>.announce};
/// What a function has written, if it succeeded.
template <typename Extent>
inline constexpr Effect writes{
    Effect::Time::after_success, [](Call& call) {
      Extent::visit(call, [&call](const void* at, std::size_t size) { announce(call, at, size, true); });
    }};
/// What a function writes, whatever its result is, and which may not be there after the call.
template <typename Extent>
inline constexpr Effect writes_first{Effect::Time::before, writes<Extent>.announce};
/// Effects that do not fit the others.
template <auto function>
inline constexpr Effect before{Effect::Time::before, [](Call& call) { function(call); }};
template <auto function>
inline constexpr Effect after{Effect::Time::after_success, [](Call& call) { function(call); }};

struct CheckedCall {
  static constexpr std::size_t most_effects = 5;
  static constexpr std::uint8_t no_list = 0xff;

  const char* name;
  Success success = Success::always;
  Effect effects[most_effects] = {};
  /// The argument that is a va_list, or, if `list_name` is not null, the first that the format describes.
  std::uint8_t list_argument = no_list;
  /// The function of the same effect that takes a va_list.
  const char* list_name = nullptr;
  void* real = nullptr;  ///< looked up at the first call
  void* real_with_list = nullptr;

  constexpr bool works_after() const {
    for (const Effect& effect : effects)
      if (effect.time == Effect::Time::after || effect.time == Effect::Time::after_success) return true;
    return false;
  }
  constexpr bool concerns_any_caller() const {
    for (const Effect& effect : effects)
      if (effect.time == Effect::Time::before_any_caller) return true;
    return false;
  }
};

}  // namespace heddle::abi

/// Defines the entry point `name`: HEDDLE_CHECKED_CALL(puts, always, reads<Text<0>>). Needs using namespace
/// heddle::abi, outside of all namespaces.
#define HEDDLE_CHECKED_CALL(name, success, ...) \
  HEDDLE_CHECKED_ENTRY(name, (::heddle::abi::CheckedCall{#name, ::heddle::abi::Success::success, {__VA_ARGS__}}))
/// A function with a va_list: its position is `list`.
#define HEDDLE_CHECKED_LIST(name, success, list, ...) \
  HEDDLE_CHECKED_ENTRY(name, (::heddle::abi::CheckedCall{#name, ::heddle::abi::Success::success, {__VA_ARGS__}, list}))
/// A function with a variable number of arguments, the first of which is the argument `list`, where `list_name` has a
/// va_list.
#define HEDDLE_CHECKED_VARIADIC(name, success, list, list_name, ...) \
  HEDDLE_CHECKED_ENTRY(                                              \
      name, (::heddle::abi::CheckedCall{#name, ::heddle::abi::Success::success, {__VA_ARGS__}, list, #list_name}))

// The row is global, so that the entry point can name it, and hidden.
#define HEDDLE_CHECKED_ENTRY(name, row)                                                                    \
  extern "C" __attribute__((visibility("hidden"))) constinit ::heddle::abi::CheckedCall heddle_row_##name; \
  constinit ::heddle::abi::CheckedCall heddle_row_##name = row;                                            \
  asm(".text\n.balign 16\n.globl " #name "\n.type " #name ", @function\n" #name                            \
      ":\n.cfi_startproc\nendbr64\nleaq heddle_row_" #name                                                 \
      "(%rip), %r11\njmp heddle_checked_call\n.cfi_endproc\n"                                              \
      ".size " #name ", .-" #name "\n");
