// Libraries that are linked statically are code of the program without instrumentation (isolation/unseen_code.hpp).
#include "abi/libc/cxx_library_calls.hpp"

#include <dlfcn.h>

#include <cerrno>

#include "abi/instrumentation/plain_access.hpp"
#include "abi/libc/call_extents.hpp"
#include "abi/libc/cxx_library_names.hpp"
#include "abi/start/forever.hpp"
#include "abi/start/redirected_imports.hpp"
#include "abi/start/runtime.hpp"

namespace heddle::abi {

namespace {

struct RedirectedCall {
  void* target;
  CxxCall description;
};
constexpr std::size_t most_calls = 4096;
RedirectedCall* calls[most_calls] = {};
std::size_t number_of_calls = 0;

/// std::cout and the like, which threads may share, and which may lie in the program or in the library.
constexpr const char* names_of_standard_streams[] = {
    "_ZSt3cin",        "_ZSt4cout",        "_ZSt4cerr",        "_ZSt4clog",       "_ZSt4wcin",       "_ZSt5wcout",
    "_ZSt5wcerr",      "_ZSt5wclog",       "_ZNSt3__13cinE",   "_ZNSt3__14coutE", "_ZNSt3__14cerrE", "_ZNSt3__14clogE",
    "_ZNSt3__14wcinE", "_ZNSt3__15wcoutE", "_ZNSt3__15wcerrE", "_ZNSt3__15wclogE"};
std::uint64_t standard_streams[std::size(names_of_standard_streams)];

bool is_standard_stream(std::uint64_t address) {
  for (const std::uint64_t stream : standard_streams)
    if (stream == address) return true;
  return false;
}

/// The links of a node of std::map and its like, as the C++ library's binary interface has them.
struct TreeNode {
  std::int32_t colour;  ///< 0: red
  TreeNode* parent;
  TreeNode* left;
  TreeNode* right;
};
struct ListNode {
  ListNode* next;
  ListNode* previous;
};

/// Where a string's text lies.
struct StringText {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  bool is_inside = true;
};
constexpr std::uint64_t most_of_a_string = std::uint64_t{1} << 30;  // more: the memory is no string

class Announcement {
 public:
  Announcement(const CxxCall& call, const std::uint64_t* arguments, std::uint64_t site)
      : call_(call), arguments_(arguments), site_(site) {}

  void make() {
    for (const CxxCall::Argument& argument : call_.arguments) {
      // A call with a null pointer crashes in the library, and not here.
      if (argument.effect == CxxEffect::none || (first_is_pointer() && arguments_[argument.position] < 4096)) return;
      announce(argument.effect, argument.position);
    }
  }

 private:
  bool first_is_pointer() const { return call_.arguments[0].effect != CxxEffect::tree_insert; }
  void access(std::uint64_t at, std::uint64_t size, bool is_write) {
    if (size != 0) abi::access(reinterpret_cast<const void*>(at), size, is_write, site_);
  }
  template <typename T>
  void change(const T* object) {
    access(address_of(object), sizeof *object, true);
  }
  template <typename T>
  void look_at(const T* object) {
    access(address_of(object), sizeof *object, false);
  }
  template <typename T>
  T* pointer(unsigned position) const {
    return reinterpret_cast<T*>(arguments_[position]);
  }

  void announce(CxxEffect effect, unsigned position);
  std::uint64_t string_size() const { return call_.is_llvm ? 24 : 32; }
  StringText text_of(std::uint64_t string) const;
  void use_string(std::uint64_t string, bool is_write);
  void read_text(unsigned position);
  void insert_into_tree();
  void erase_from_tree();
  void next_in_tree();
  void previous_in_tree();
  void transfer();
  void reverse();

  const CxxCall& call_;
  const std::uint64_t* arguments_;
  std::uint64_t site_;
};

void Announcement::announce(CxxEffect effect, unsigned position) {
  const std::uint64_t argument = arguments_[position];
  const auto* node = pointer<ListNode>(position);
  switch (effect) {
    case CxxEffect::none: return;
    case CxxEffect::make_string:
    case CxxEffect::end_string: return access(argument, string_size(), true);
    case CxxEffect::read_ends: return access(argument, call_.is_llvm ? string_size() : 16, false);
    case CxxEffect::read_string: return use_string(argument, false);
    case CxxEffect::write_string: return use_string(argument, true);
    case CxxEffect::read_text: return read_text(position);
    case CxxEffect::read_array: return access(argument, arguments_[position + 1] * call_.character_size, false);
    // Behind the pointer to the virtual table, which others may read. The buffer of a stream begins there or at the
    // next word, and code in headers uses its pointers.
    case CxxEffect::use_stream:
    case CxxEffect::read_stream:
      if (!is_standard_stream(argument)) access(argument + 8, 64, effect == CxxEffect::use_stream);
      return;
    case CxxEffect::make_object:
    case CxxEffect::read_object:
    case CxxEffect::write_object:
      return access(argument, std::uint64_t{8} * call_.size, effect != CxxEffect::read_object);
    case CxxEffect::tree_insert: return insert_into_tree();
    case CxxEffect::tree_erase: return erase_from_tree();
    case CxxEffect::tree_next: return next_in_tree();
    case CxxEffect::tree_previous: return previous_in_tree();
    case CxxEffect::list_hook:
      change(node);
      change(&pointer<ListNode>(1)->previous);
      return change(&pointer<ListNode>(1)->previous->next);
    case CxxEffect::list_unhook:
      look_at(node);
      change(&node->next->previous);
      return change(&node->previous->next);
    case CxxEffect::list_transfer: return transfer();
    case CxxEffect::list_reverse: return reverse();
    case CxxEffect::list_swap:
      for (const ListNode* list : {node, static_cast<const ListNode*>(pointer<ListNode>(1))}) {
        change(list);
        if (list->next == list) continue;
        change(&list->next->previous);
        change(&list->previous->next);
      }
      return;
  }
}

StringText Announcement::text_of(std::uint64_t string) const {
  const auto* words = reinterpret_cast<const std::uint64_t*>(string);
  if (!call_.is_llvm) return {words[0], words[1] * call_.character_size, words[0] == string + 16};
  const auto first = *reinterpret_cast<const std::uint8_t*>(string);
  if ((first & 1U) == 0) return {string + call_.character_size, std::uint64_t{first} / 2 * call_.character_size, true};
  return {words[2], words[1] * call_.character_size, false};
}

void Announcement::use_string(std::uint64_t string, bool is_write) {
  access(string, is_write || call_.is_llvm ? string_size() : 16, is_write);
  const StringText text = text_of(string);
  if (text.length > most_of_a_string || (text.is_inside && is_write)) return;
  access(text.begin, text.length, is_write);
}

void Announcement::read_text(unsigned position) {
  if (call_.character_size == 1)
    access(arguments_[position], bytes_of(pointer<const char>(position)), false);
  else
    access(arguments_[position], bytes_of(pointer<const wchar_t>(position)), false);
}

// A change of a tree conflicts with every other use of it ([container.requirements.dataraces]). It is announced for the
// root, and for the nodes on the way to it, which another thread may stand on.
void Announcement::insert_into_tree() {
  const auto* header = pointer<TreeNode>(3);
  change(header);
  change(pointer<TreeNode>(1));
  for (const TreeNode* node = pointer<TreeNode>(2); node != header && node != nullptr; node = node->parent)
    change(node);
}

void Announcement::erase_from_tree() {
  const auto* header = pointer<TreeNode>(1);
  change(header);
  const TreeNode* node = pointer<TreeNode>(0);
  for (const TreeNode* child : {node->left, node->right})
    if (child != nullptr) change(child);
  // The successor takes the place of a node with two children.
  if (node->left != nullptr && node->right != nullptr) {
    const TreeNode* next = node->right;
    while (next->left != nullptr) next = next->left;
    if (next->right != nullptr) change(next->right);
    for (; next != node; next = next->parent) change(next);
  }
  for (; node != header && node != nullptr; node = node->parent) change(node);
}

void Announcement::next_in_tree() {
  const TreeNode* node = pointer<TreeNode>(0);
  look_at(&node->right);
  if (node->right != nullptr) {
    for (node = node->right; look_at(&node->left), node->left != nullptr;) node = node->left;
    return;
  }
  const TreeNode* above = node->parent;
  for (look_at(&node->parent); look_at(&above->right), node == above->right; above = above->parent) {
    look_at(&above->parent);
    node = above;
  }
}

void Announcement::previous_in_tree() {
  const TreeNode* node = pointer<TreeNode>(0);
  look_at(node);
  const bool is_header = node->colour == 0 && node->parent != nullptr && node->parent->parent == node;
  if (is_header) return;  // the last node is beside it
  if (node->left != nullptr) {
    for (node = node->left; look_at(&node->right), node->right != nullptr;) node = node->right;
    return;
  }
  const TreeNode* above = node->parent;
  for (; above != nullptr && (look_at(&above->left), node == above->left) && above->parent != node;
       above = above->parent) {
    look_at(&above->parent);
    node = above;
  }
}

void Announcement::transfer() {
  const ListNode *position = pointer<ListNode>(0), *first = pointer<ListNode>(1), *last = pointer<ListNode>(2);
  if (position == last) return;
  for (const ListNode* node : {position, first, last}) {
    change(&node->previous);
    change(&node->previous->next);
  }
}

void Announcement::reverse() {
  const ListNode* list = pointer<ListNode>(0);
  const ListNode* node = list;
  do {
    change(node);
    node = node->next;
  } while (node != list);
}

}  // namespace

extern "C" {
#if defined(__x86_64__)
void heddle_cxx_library_call();

__attribute__((used)) void* heddle_enter_cxx_library(const std::uint64_t* arguments, std::uint64_t index,
                                                     std::uint64_t return_address) {
  const RedirectedCall& call = *calls[index];
  if (running() == nullptr) return call.target;
  const int error = errno;
  Announcement(call.description, arguments, return_address - 1).make();
  errno = error;
  return call.target;
}

// The index of the call is on the stack, below the return address. Everything that can hold an argument is kept.
asm(R"(
.text
.balign 16
.globl heddle_cxx_library_call
.hidden heddle_cxx_library_call
.type heddle_cxx_library_call, @function
heddle_cxx_library_call:
  pushq %rax
  pushq %r10
  pushq %r11
  pushq %r9
  pushq %r8
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  subq $136, %rsp
.irp number, 0, 1, 2, 3, 4, 5, 6, 7
  movups %xmm\number, 16*\number(%rsp)
.endr
  leaq 136(%rsp), %rdi
  movq 208(%rsp), %rsi
  movq 216(%rsp), %rdx
  call heddle_enter_cxx_library
  movq %rax, 208(%rsp)
.irp number, 0, 1, 2, 3, 4, 5, 6, 7
  movups 16*\number(%rsp), %xmm\number
.endr
  addq $136, %rsp
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %r8
  popq %r9
  popq %r11
  popq %r10
  popq %rax
  ret
.size heddle_cxx_library_call, .-heddle_cxx_library_call
)");
#endif
}

namespace {

void* checked_destination(void* context, const char* name, void* target) {
#if defined(__x86_64__)
  const auto& modules = *static_cast<const engine::Modules*>(context);
  if (number_of_calls == most_calls) return nullptr;
  const CxxCall description = describe_cxx_function(name);
  if (description.is_empty()) return nullptr;
  const engine::Module* library = modules.find(address_of(target));
  if (library == nullptr || !library->is_cxx_library) return nullptr;
  calls[number_of_calls] = forever().create<RedirectedCall>(RedirectedCall{target, description});
  return make_trampoline(static_cast<std::uint32_t>(number_of_calls++), heddle_cxx_library_call);
#else
  return nullptr;
#endif
}

}  // namespace

void check_cxx_library_calls(const engine::Modules& modules) {
  for (std::size_t i = 0; i < std::size(standard_streams); ++i)
    standard_streams[i] = address_of(::dlsym(RTLD_DEFAULT, names_of_standard_streams[i]));
  redirect_imports(modules, {checked_destination, const_cast<engine::Modules*>(&modules)});
}

}  // namespace heddle::abi
