// The C++ library is not instrumented, and works on the program's containers, strings and streams. Calls of
// instrumented code into it announce these accesses (cxx_library_names.hpp says which).
#pragma once

namespace heddle::engine {
class Modules;
}  // namespace heddle::engine

namespace heddle::abi {

/// Redirects the calls. Call before the snapshot.
void check_cxx_library_calls(const engine::Modules& modules);

}  // namespace heddle::abi
