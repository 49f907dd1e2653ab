#include "engine/threads/program_function.hpp"

#include <cstring>
#include <string_view>

namespace heddle::engine {

namespace {

/// What the unwinder's _Unwind_Find_FDE returns beside the entry.
struct UnwinderBases {
  void* text;
  void* data;
  void* function;
};
extern "C" const void* _Unwind_Find_FDE(void* code, UnwinderBases* bases);  // NOLINT: the unwinder's name

// Of an entry: its length, the distance back to the description that it shares with others, the begin of the function,
// the length of the function.
constexpr std::size_t distance_at = 4, length_at = 12;
// Of a description: its length, an identifier, a version, a text, four numbers of a byte each, and how entries encode
// addresses, if the text has no more letters.
constexpr std::size_t text_at = 9;
constexpr std::string_view plain_text = "zR";
constexpr std::size_t encoding_at = text_at + plain_text.size() + 1 + 4;
constexpr std::uint8_t relative_word = 0x1b;  ///< DW_EH_PE_pcrel | DW_EH_PE_sdata4

}  // namespace

ProgramFunction find_function(std::uint64_t return_address) {
  UnwinderBases bases;
  const auto* entry = static_cast<const std::uint8_t*>(
      _Unwind_Find_FDE(reinterpret_cast<void*>(static_cast<std::uintptr_t>(return_address - 1)), &bases));
  if (entry == nullptr) return {};
  std::int32_t distance;
  std::memcpy(&distance, entry + distance_at, sizeof distance);
  const std::uint8_t* const description = entry + distance_at - distance;
  const std::string_view text(reinterpret_cast<const char*>(description + text_at));
  ProgramFunction function;
  function.may_catch = !text.starts_with('z') || text.find('L') != std::string_view::npos;
  if (text != plain_text || description[encoding_at] != relative_word) return function;
  std::uint32_t length;
  std::memcpy(&length, entry + length_at, sizeof length);
  const auto begin = reinterpret_cast<std::uintptr_t>(bases.function);
  function.code = {begin, begin + length};
  return function;
}

}  // namespace heddle::engine
