// What functions of the C++ library, which is not instrumented, do to the program's containers, strings and streams. It
// follows from their mangled names.
//
//   - A member function that is not const changes its object, and the others read it. Functions such as begin() and
//     operator[], which the standard considers const ([container.requirements.dataraces]), read it.
//   - Of the other arguments, texts, arrays and strings count.
//   - Functions that change the links between the nodes of trees and lists have rows of their own.
#pragma once

#include <cstdint>

namespace heddle::abi {

/// What happens to an argument.
enum class CxxEffect : std::uint8_t {
  none,
  make_string,   ///< a constructor: nothing is in the memory yet
  read_ends,     ///< of a string: where the text is, and how long
  read_string,   ///< with its text
  write_string,  ///< with its text
  end_string,    ///< a destructor
  read_text,     ///< up to its zero
  read_array,    ///< its length is the next argument
  use_stream,    ///< changes it; nothing for std::cout and the like
  read_stream,
  make_object,
  read_object,
  write_object,
  tree_insert,  ///< the arguments are those of std::_Rb_tree_insert_and_rebalance
  tree_erase,
  tree_next,
  tree_previous,
  list_hook,
  list_unhook,
  list_transfer,
  list_reverse,
  list_swap,
};

struct CxxCall {
  static constexpr std::size_t most_effects = 4;
  struct Argument {
    CxxEffect effect = CxxEffect::none;
    std::uint8_t position = 0;
  };
  Argument arguments[most_effects];
  std::uint8_t size = 0;            ///< of an object, in words
  std::uint8_t character_size = 1;  ///< of strings and texts
  bool is_llvm = false;             ///< strings have the layout of LLVM's library

  bool is_empty() const { return arguments[0].effect == CxxEffect::none; }
};

/// The effects of the function; none if it is not known, or accesses nothing of the program.
CxxCall describe_cxx_function(const char* mangled_name);

}  // namespace heddle::abi
