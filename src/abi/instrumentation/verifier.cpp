// The functions that software verifiers share (include/heddle/verifier.h): assumptions, assertions and nondeterministic
// values. A program may define __VERIFIER_assert itself; then its own is called.
#include "heddle/verifier.h"

#include <cstdlib>

#include "abi/start/runtime.hpp"

namespace heddle::abi {

namespace {

std::uint32_t below(std::uint32_t options, std::uint64_t site) {
  engine::Engine* engine = running();
  return engine == nullptr || options == 0 ? 0 : engine->choose_value(options, site);
}

std::uint32_t any(std::uint64_t site) {
  engine::Engine* engine = running();
  return engine == nullptr ? 0 : engine->choose_any_value(site);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void __VERIFIER_assume(int condition) {
  if (condition != 0) return;
  if (engine::Engine* engine = running()) engine->scheduler().assume_not(HEDDLE_CALLER);
  std::exit(0);
}
void __VERIFIER_assert(int condition) {
  if (condition != 0) return;
  if (engine::Engine* engine = running()) {
    engine->findings().report_failed_assertion("__VERIFIER_assert", HEDDLE_CALLER);
    engine->scheduler().end_with_finding();
  }
  std::abort();
}
void __VERIFIER_error(void) {
  if (engine::Engine* engine = running()) {
    engine->findings().report_at(engine::FindingKind::assertion, "__VERIFIER_error was called", HEDDLE_CALLER);
    engine->scheduler().end_with_finding();
  }
  std::abort();
}

unsigned __VERIFIER_nondet_below(unsigned options) { return below(options, HEDDLE_CALLER); }
bool __VERIFIER_nondet_bool(void) { return below(2, HEDDLE_CALLER) != 0; }
char __VERIFIER_nondet_char(void) { return static_cast<char>(any(HEDDLE_CALLER)); }
signed char __VERIFIER_nondet_schar(void) { return static_cast<signed char>(any(HEDDLE_CALLER)); }
unsigned char __VERIFIER_nondet_uchar(void) { return static_cast<unsigned char>(any(HEDDLE_CALLER)); }
short __VERIFIER_nondet_short(void) { return static_cast<short>(any(HEDDLE_CALLER)); }
unsigned short __VERIFIER_nondet_ushort(void) { return static_cast<unsigned short>(any(HEDDLE_CALLER)); }
int __VERIFIER_nondet_int(void) { return static_cast<int>(any(HEDDLE_CALLER)); }
unsigned __VERIFIER_nondet_uint(void) { return any(HEDDLE_CALLER); }
long __VERIFIER_nondet_long(void) { return static_cast<long>(any(HEDDLE_CALLER)); }
unsigned long __VERIFIER_nondet_ulong(void) { return any(HEDDLE_CALLER); }
long long __VERIFIER_nondet_longlong(void) { return static_cast<long long>(any(HEDDLE_CALLER)); }
unsigned long long __VERIFIER_nondet_ulonglong(void) { return any(HEDDLE_CALLER); }
size_t __VERIFIER_nondet_size_t(void) { return any(HEDDLE_CALLER); }

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
