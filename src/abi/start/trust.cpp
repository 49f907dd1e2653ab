// --trust. The imports of instrumented modules that lead into a trusted library are redirected to trampolines. A
// trampoline notes the call, replaces the return address, and jumps to the function; its return is noted, too.
//
// Both notes acquire and release one object of the library. So what threads did before a call happens before what
// others do after theirs, whichever of the two calls waits inside the library.
#include "abi/start/trust.hpp"

#include <link.h>

#include <algorithm>
#include <cstring>

#include "abi/start/redirected_imports.hpp"
#include "abi/start/runtime.hpp"

namespace heddle::abi {

namespace {

using engine::Engine;

struct TrustedCall {
  void* target;
  char* library;  ///< the object that the calls acquire and release
};

constexpr std::size_t most_calls = 4096, most_libraries = 16;
TrustedCall calls[most_calls];
std::size_t number_of_calls = 0;
char objects_of_libraries[most_libraries];
std::size_t number_of_libraries = 0;

void order(Engine& engine, const char* library, std::uint64_t site) {
  engine.sync().annotate_acquire(address_of(library), site);
  engine.sync().annotate_release(address_of(library), site);
}

}  // namespace

extern "C" {
#if defined(__x86_64__)
void heddle_trust_call();
void heddle_trust_return();

__attribute__((used)) void* heddle_trust_enter(std::uint64_t index, std::uint64_t* return_address) {
  const TrustedCall& call = calls[index];
  Engine* engine = running();
  if (engine == nullptr) return call.target;
  const std::uint64_t site = *return_address - 1;
  engine->scheduler().schedule_point(graph::EventKind::fence, graph::MemoryOrder::plain,
                                     engine::Operation::annotation_acquire, graph::no_location, site);
  order(*engine, call.library, site);
  engine->current().trusted_calls.push_back(
      engine->execution_arena(), {*return_address, reinterpret_cast<std::uintptr_t>(return_address), call.library});
  *return_address = reinterpret_cast<std::uint64_t>(heddle_trust_return);
  return call.target;
}

/// `slot` is where the return address of the call was.
__attribute__((used)) std::uint64_t heddle_trust_leave(std::uintptr_t slot) {
  Engine* engine = running();
  auto& open = engine->current().trusted_calls;
  while (open.back().slot != slot) open.pop_back();  // calls that a jump has left
  const engine::OpenTrustedCall call = open.back();
  open.pop_back();
  order(*engine, call.library, call.return_address - 1);
  return call.return_address;
}

// The index of the call is on the stack, below the return address. Everything that can hold an argument is kept.
asm(R"(
.text
.balign 16
.globl heddle_trust_call
.hidden heddle_trust_call
.type heddle_trust_call, @function
heddle_trust_call:
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  pushq %r10
  pushq %r11
  subq $136, %rsp
.irp number, 0, 1, 2, 3, 4, 5, 6, 7
  movups %xmm\number, 16*\number(%rsp)
.endr
  movq 208(%rsp), %rdi
  leaq 216(%rsp), %rsi
  call heddle_trust_enter
  movq %rax, 208(%rsp)
.irp number, 0, 1, 2, 3, 4, 5, 6, 7
  movups 16*\number(%rsp), %xmm\number
.endr
  addq $136, %rsp
  popq %r11
  popq %r10
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  ret
.size heddle_trust_call, .-heddle_trust_call

.balign 16
.type heddle_trust_return_frame, @function
heddle_trust_return_frame:
  .cfi_startproc
  .cfi_undefined rip
  nop
.globl heddle_trust_return
.hidden heddle_trust_return
heddle_trust_return:
  subq $8, %rsp
  pushq %rax
  pushq %rdx
  subq $40, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  leaq 56(%rsp), %rdi
  call heddle_trust_leave
  movq %rax, 56(%rsp)
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  addq $40, %rsp
  popq %rdx
  popq %rax
  ret
  .cfi_endproc
.size heddle_trust_return_frame, .-heddle_trust_return_frame
)");
#endif
}

namespace {

/// A trusted library: its executable memory, and the object of its calls.
struct Library {
  std::string_view name;  ///< as the user wrote it
  engine::Range code;
  char* object = nullptr;
};

// std::string_view::starts_with would need the C++ library in builds where the compiler does not inline it.
bool begins_with(const char* text, std::string_view prefix) {
  return std::strncmp(text, prefix.data(), prefix.size()) == 0;
}

bool has_name(const char* path, std::string_view name) {
  if (name.front() == '/') return path == name;
  const char* slash = std::strrchr(path, '/');
  const char* file = slash == nullptr ? path : slash + 1;
  constexpr std::string_view prefix = "lib";
  return begins_with(file, name) || (begins_with(file, prefix) && begins_with(file + prefix.size(), name));
}

int find_library(dl_phdr_info* info, std::size_t, void* data) {
  auto& library = *static_cast<Library*>(data);
  if (!has_name(info->dlpi_name, library.name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    library.code = {info->dlpi_addr + header.p_vaddr, info->dlpi_addr + header.p_vaddr + header.p_memsz};
    return 1;
  }
  return 0;
}

/// A trampoline for a function of the library.
void* trusted_destination(void* context, const char*, void* target) {
  const auto& library = *static_cast<const Library*>(context);
  if (!library.code.contains(address_of(target)) || number_of_calls == most_calls) return nullptr;
  calls[number_of_calls] = {target, library.object};
  return make_trampoline(static_cast<std::uint32_t>(number_of_calls++), heddle_trust_call);
}

}  // namespace

void trust_libraries(Engine& engine, engine::Modules& modules, std::string_view names) {
  while (!names.empty()) {
    const std::size_t length = std::min(names.find(','), names.size());
    Library library{{names.data(), length}, {}, nullptr};
    names.remove_prefix(length == names.size() ? length : length + 1);
    if (library.name.empty()) continue;
    ::dl_iterate_phdr(find_library, &library);
    if (library.code.size() == 0 || number_of_libraries == most_libraries)
      engine.execution().unsupported("--trust: the program has not loaded a library of the name %.*s",
                                     static_cast<int>(library.name.size()), library.name.data());
    library.object = &objects_of_libraries[number_of_libraries++];
    redirect_imports(modules, {trusted_destination, &library});
    modules.trust(library.code.begin);
  }
}

}  // namespace heddle::abi
