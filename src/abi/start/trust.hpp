// --trust: calls into a library that is not instrumented are ordered, as if each took and left one lock.
#pragma once

#include <string_view>

namespace heddle::engine {
class Engine;
class Modules;
}  // namespace heddle::engine

namespace heddle::abi {

/// Redirects the calls of instrumented code into these libraries, whose names are separated by commas. Call before the
/// snapshot. Does not return if the program has no such library.
void trust_libraries(engine::Engine& engine, engine::Modules& modules, std::string_view names);

}  // namespace heddle::abi
