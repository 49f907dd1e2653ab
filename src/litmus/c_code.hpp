// C11 from litmus tests, for real hardware: one function a thread, in the order of the test's instructions, so that the
// compiler sees the accesses, orders and dependencies of the test.
#pragma once

#include <string>
#include <vector>

#include "litmus/test.hpp"

namespace heddle::litmus {

/// How the accesses of all threads use a location.
enum class LocationUse : std::uint8_t { unused, plain, atomic, mixed };
std::vector<LocationUse> location_uses(const Test& test);

/// The locations that a thread names, in ascending order: the parameters of its function.
std::vector<std::uint32_t> locations_of(const Test& test, std::uint32_t thread);
/// The observables of the test that are registers of this thread, in ascending order.
std::vector<std::uint32_t> registers_of(const Test& test, std::uint32_t thread);

/// "PREFIX_P0"
std::string function_name(const std::string& prefix, std::uint32_t thread);

/// void PREFIX_P0(int64_t *out, TYPE *x, ...): runs the thread once, and leaves the final values of its observed
/// registers in out[]. #line directives name the lines of `file`, unless it is empty.
std::string thread_function(const Test& test, std::uint32_t thread, const std::string& prefix, const std::string& file);

/// "int32_t"
std::string c_type(Type type);

}  // namespace heddle::litmus
