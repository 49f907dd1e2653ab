// Memory and string functions of the C library that programs call most, with their reads and writes as accesses for
// the race check. (clang instruments calls of some of them, gcc of none.) The tables of checked calls, in
// libc_text_calls.cpp and its neighbours, have the others.
//
// Calls of these functions inside libheddle reach the C library: the linker's --wrap turns them into calls of
// __wrap_NAME. Otherwise the runtime would check its own accesses, and call itself without end.
#include "abi/libc/strings.hpp"

#include <dlfcn.h>

#include <cstdarg>
#include <cstring>
#include <cwchar>

#include "abi/instrumentation/plain_access.hpp"
#include "abi/start/runtime.hpp"

extern "C" [[noreturn]] void __chk_fail();

namespace heddle::abi {

namespace {

struct Functions {
  void* (*memcpy)(void*, const void*, std::size_t);
  void* (*memmove)(void*, const void*, std::size_t);
  void* (*memset)(void*, int, std::size_t);
  int (*memcmp)(const void*, const void*, std::size_t);
  void* (*memchr)(const void*, int, std::size_t);
  std::size_t (*strlen)(const char*);
  int (*strcmp)(const char*, const char*);
  int (*strncmp)(const char*, const char*, std::size_t);
  char* (*strchr)(const char*, int);
  char* (*strrchr)(const char*, int);
  char* (*strstr)(const char*, const char*);
  int (*vsnprintf)(char*, std::size_t, const char*, std::va_list);
};
Functions functions;

template <typename Function>
Function look_up(Function& function, const char* name) {
  if (function == nullptr) function = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
  return function;
}

// Plain loops: these run before symbols can be looked up, and during the loader's own lookups.
void* copy_bytes(void* to, const void* from, std::size_t size) {
  auto* t = static_cast<volatile char*>(to);
  const auto* f = static_cast<const char*>(from);
  for (std::size_t i = 0; i < size; ++i) t[i] = f[i];
  return to;
}

/// Most copies are of a word, for which there is a fast path.
template <races::AccessType type>
void check_access(const void* at, std::size_t size, std::uint64_t site) {
  if (running_for_instrumented(site) == nullptr) return;
  switch (size) {
    case 0: return;
    case 4: return access<4, type>(at, site);
    case 8: return access<8, type>(at, site);
    default: return access(at, size, races::is_write(type), site);
  }
}
void check_read(const void* at, std::size_t size, std::uint64_t site) {
  check_access<races::AccessType::plain_read>(at, size, site);
}
void check_write(const void* at, std::size_t size, std::uint64_t site) {
  check_access<races::AccessType::plain_write>(at, size, site);
}

void* copy(void* to, const void* from, std::size_t size, std::uint64_t site) {
  check_read(from, size, site);
  check_write(to, size, site);
  return look_up(functions.memcpy, "memcpy")(to, from, size);
}
void* move(void* to, const void* from, std::size_t size, std::uint64_t site) {
  check_read(from, size, site);
  check_write(to, size, site);
  return look_up(functions.memmove, "memmove")(to, from, size);
}
void* fill(void* to, int byte, std::size_t size, std::uint64_t site) {
  check_write(to, size, site);
  return look_up(functions.memset, "memset")(to, byte, size);
}
std::size_t length(const char* text) { return look_up(functions.strlen, "strlen")(text); }
std::size_t length_up_to(const char* text, std::size_t limit) {
  const void* end = look_up(functions.memchr, "memchr")(text, 0, limit);
  return end == nullptr ? limit : static_cast<std::size_t>(static_cast<const char*>(end) - text);
}
/// The number of characters that a comparison reads: up to the first difference or the end, and at most `limit`.
std::size_t compared(const char* a, const char* b, std::size_t limit) {
  std::size_t i = 0;
  while (i < limit && a[i] == b[i] && a[i] != '\0') ++i;
  return i < limit ? i + 1 : limit;
}
char* copy_text(char* to, const char* from, std::uint64_t site) {
  copy(to, from, length(from) + 1, site);
  return to;
}
/// The size, if the object has room for it. Otherwise the program ends, as _FORTIFY_SOURCE promises.
std::size_t fitting(std::size_t size, std::size_t room) {
  if (size > room) __chk_fail();
  return size;
}
char* append_text(char* to, const char* from, std::uint64_t site) {
  const std::size_t size = length(to);
  check_read(to, size + 1, site);
  copy_text(to + size, from, site);
  return to;
}
char* append_text_up_to(char* to, const char* from, std::size_t limit, std::uint64_t site) {
  const std::size_t size = length(to), added = length_up_to(from, limit);
  check_read(to, size + 1, site);
  copy(to + size, from, added, site);
  to[size + added] = '\0';
  return to;
}
char* copy_text_up_to(char* to, const char* from, std::size_t limit, std::uint64_t site) {
  const std::size_t size = length_up_to(from, limit);
  check_read(from, size < limit ? size + 1 : size, site);
  check_write(to, limit, site);
  look_up(functions.memcpy, "memcpy")(to, from, size);
  look_up(functions.memset, "memset")(to + size, 0, limit - size);
  return to;
}

}  // namespace

extern "C" {
// The functions that libheddle itself calls, see the head of this file.
void* __wrap_memcpy(void* to, const void* from, std::size_t size) {
  return functions.memcpy != nullptr ? functions.memcpy(to, from, size) : copy_bytes(to, from, size);
}
void* __wrap_memmove(void* to, const void* from, std::size_t size) {
  return look_up(functions.memmove, "memmove")(to, from, size);
}
void* __wrap_memset(void* to, int byte, std::size_t size) {
  if (functions.memset != nullptr) return functions.memset(to, byte, size);
  auto* t = static_cast<volatile char*>(to);
  for (std::size_t i = 0; i < size; ++i) t[i] = static_cast<char>(byte);
  return to;
}
int __wrap_memcmp(const void* a, const void* b, std::size_t size) {
  return look_up(functions.memcmp, "memcmp")(a, b, size);
}
std::size_t __wrap_strlen(const char* text) {
  std::size_t size = 0;
  while (static_cast<const volatile char*>(text)[size] != '\0') ++size;
  return size;
}
int __wrap_strcmp(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}
int __wrap_strncmp(const char* a, const char* b, std::size_t size) {
  for (; size != 0 && *a != '\0' && *a == *b; --size) ++a, ++b;
  return size == 0 ? 0 : static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}
int __wrap_snprintf(char* to, std::size_t size, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int written = look_up(functions.vsnprintf, "vsnprintf")(to, size, format, arguments);
  va_end(arguments);
  return written;
}
int __wrap_vsnprintf(char* to, std::size_t size, const char* format, std::va_list arguments) {
  return look_up(functions.vsnprintf, "vsnprintf")(to, size, format, arguments);
}
char* __wrap_strrchr(const char* text, int c) {
  const char* found = nullptr;
  for (;; ++text) {
    if (*text == static_cast<char>(c)) found = text;
    if (*text == '\0') return const_cast<char*>(found);
  }
}
}

void find_string_functions() {
  look_up(functions.memcpy, "memcpy");
  look_up(functions.memmove, "memmove");
  look_up(functions.memset, "memset");
  look_up(functions.memcmp, "memcmp");
  look_up(functions.memchr, "memchr");
  look_up(functions.strlen, "strlen");
  look_up(functions.vsnprintf, "vsnprintf");
}

}  // namespace heddle::abi

using namespace heddle::abi;  // NOLINT: the entry points below have the C library's names and no namespace

#pragma GCC visibility push(default)
extern "C" {

// <cstring> declares these with overloads for const, so they are defined here under other names, with the C library's
// symbols.
void* checked_memchr(const void* at, int byte, std::size_t size) noexcept __asm__("memchr");
char* checked_strchr(const char* text, int c) noexcept __asm__("strchr");
char* checked_strrchr(const char* text, int c) noexcept __asm__("strrchr");
char* checked_strstr(const char* text, const char* part) noexcept __asm__("strstr");

void* memcpy(void* to, const void* from, std::size_t size) noexcept { return copy(to, from, size, HEDDLE_CALLER); }
void* memmove(void* to, const void* from, std::size_t size) noexcept { return move(to, from, size, HEDDLE_CALLER); }
void* memset(void* to, int byte, std::size_t size) noexcept { return fill(to, byte, size, HEDDLE_CALLER); }
void bzero(void* to, std::size_t size) noexcept { fill(to, 0, size, HEDDLE_CALLER); }
void* mempcpy(void* to, const void* from, std::size_t size) noexcept {
  copy(to, from, size, HEDDLE_CALLER);
  return static_cast<char*>(to) + size;
}
// clang calls these instead of the plain names.
void* __tsan_memcpy(void* to, const void* from, std::size_t size) { return copy(to, from, size, HEDDLE_CALLER); }
void* __tsan_memmove(void* to, const void* from, std::size_t size) { return move(to, from, size, HEDDLE_CALLER); }
void* __tsan_memset(void* to, int byte, std::size_t size) { return fill(to, byte, size, HEDDLE_CALLER); }
// _FORTIFY_SOURCE: `room` is the size of the object at `to`.
void* __memcpy_chk(void* to, const void* from, std::size_t size, std::size_t room) {
  return copy(to, from, fitting(size, room), HEDDLE_CALLER);
}
void* __mempcpy_chk(void* to, const void* from, std::size_t size, std::size_t room) {
  return static_cast<char*>(copy(to, from, fitting(size, room), HEDDLE_CALLER)) + size;
}
void* __memmove_chk(void* to, const void* from, std::size_t size, std::size_t room) {
  return move(to, from, fitting(size, room), HEDDLE_CALLER);
}
void* __memset_chk(void* to, int byte, std::size_t size, std::size_t room) {
  return fill(to, byte, fitting(size, room), HEDDLE_CALLER);
}
char* __strcpy_chk(char* to, const char* from, std::size_t room) {
  fitting(length(from) + 1, room);
  return copy_text(to, from, HEDDLE_CALLER);
}
char* __stpcpy_chk(char* to, const char* from, std::size_t room) {
  fitting(length(from) + 1, room);
  return copy_text(to, from, HEDDLE_CALLER) + length(to);
}
char* __strncpy_chk(char* to, const char* from, std::size_t limit, std::size_t room) {
  return copy_text_up_to(to, from, fitting(limit, room), HEDDLE_CALLER);
}
char* __strcat_chk(char* to, const char* from, std::size_t room) {
  fitting(length(to) + length(from) + 1, room);
  return append_text(to, from, HEDDLE_CALLER);
}
char* __strncat_chk(char* to, const char* from, std::size_t limit, std::size_t room) {
  fitting(length(to) + length_up_to(from, limit) + 1, room);
  return append_text_up_to(to, from, limit, HEDDLE_CALLER);
}

int memcmp(const void* a, const void* b, std::size_t size) noexcept {
  check_read(a, size, HEDDLE_CALLER);
  check_read(b, size, HEDDLE_CALLER);
  return look_up(functions.memcmp, "memcmp")(a, b, size);
}
int bcmp(const void* a, const void* b, std::size_t size) noexcept {
  check_read(a, size, HEDDLE_CALLER);
  check_read(b, size, HEDDLE_CALLER);
  return look_up(functions.memcmp, "memcmp")(a, b, size);
}
void* checked_memchr(const void* at, int byte, std::size_t size) noexcept {
  void* found = look_up(functions.memchr, "memchr")(at, byte, size);
  check_read(at, found == nullptr ? size : address_of(found) - address_of(at) + 1, HEDDLE_CALLER);
  return found;
}
std::size_t strlen(const char* text) noexcept {
  const std::size_t size = length(text);
  check_read(text, size + 1, HEDDLE_CALLER);
  return size;
}
std::size_t strnlen(const char* text, std::size_t limit) noexcept {
  const std::size_t size = length_up_to(text, limit);
  check_read(text, size < limit ? size + 1 : size, HEDDLE_CALLER);
  return size;
}
int strcmp(const char* a, const char* b) noexcept {
  const std::size_t size = compared(a, b, ~std::size_t{0});
  check_read(a, size, HEDDLE_CALLER);
  check_read(b, size, HEDDLE_CALLER);
  return look_up(functions.strcmp, "strcmp")(a, b);
}
int strncmp(const char* a, const char* b, std::size_t limit) noexcept {
  const std::size_t size = compared(a, b, limit);
  check_read(a, size, HEDDLE_CALLER);
  check_read(b, size, HEDDLE_CALLER);
  return look_up(functions.strncmp, "strncmp")(a, b, limit);
}
char* checked_strchr(const char* text, int c) noexcept {
  char* found = look_up(functions.strchr, "strchr")(text, c);
  check_read(text, found == nullptr ? length(text) + 1 : address_of(found) - address_of(text) + 1, HEDDLE_CALLER);
  return found;
}
char* checked_strrchr(const char* text, int c) noexcept {
  check_read(text, length(text) + 1, HEDDLE_CALLER);
  return look_up(functions.strrchr, "strrchr")(text, c);
}
char* checked_strstr(const char* text, const char* part) noexcept {
  check_read(text, length(text) + 1, HEDDLE_CALLER);
  check_read(part, length(part) + 1, HEDDLE_CALLER);
  return look_up(functions.strstr, "strstr")(text, part);
}
char* strcpy(char* to, const char* from) noexcept { return copy_text(to, from, HEDDLE_CALLER); }
char* stpcpy(char* to, const char* from) noexcept { return copy_text(to, from, HEDDLE_CALLER) + length(to); }
char* strncpy(char* to, const char* from, std::size_t limit) noexcept {
  return copy_text_up_to(to, from, limit, HEDDLE_CALLER);
}
char* stpncpy(char* to, const char* from, std::size_t limit) noexcept {
  return copy_text_up_to(to, from, limit, HEDDLE_CALLER) + length_up_to(to, limit);
}
char* strcat(char* to, const char* from) noexcept { return append_text(to, from, HEDDLE_CALLER); }
char* strncat(char* to, const char* from, std::size_t limit) noexcept {
  return append_text_up_to(to, from, limit, HEDDLE_CALLER);
}
char* strdup(const char* text) noexcept {
  const std::size_t size = length(text) + 1;
  auto* copied = static_cast<char*>(malloc(size));
  if (copied != nullptr) copy(copied, text, size, HEDDLE_CALLER);
  return copied;
}
char* strndup(const char* text, std::size_t limit) noexcept {
  const std::size_t size = length_up_to(text, limit);
  auto* copied = static_cast<char*>(malloc(size + 1));
  if (copied == nullptr) return nullptr;
  copy(copied, text, size, HEDDLE_CALLER);
  copied[size] = '\0';
  return copied;
}

}  // extern "C"
#pragma GCC visibility pop
