// Calls of instrumented code into a library are led elsewhere: the slots through which a module calls what it imports
// get other addresses.
#pragma once

#include <cstdint>

namespace heddle::engine {
class Modules;
}  // namespace heddle::engine

namespace heddle::abi {

/// Says where calls of the imported function `name`, which lies at `target`, shall go. Null: nothing changes.
struct Redirection {
  void* (*destination_of)(void* context, const char* name, void* target);
  void* context;
};

/// Asks for the destination of every function that an instrumented module imports. Call before the snapshot.
void redirect_imports(const engine::Modules& modules, const Redirection& redirection);

/// Code that pushes `index` and jumps to `entry`. Null if there is no memory for it.
void* make_trampoline(std::uint32_t index, void (*entry)());

}  // namespace heddle::abi
