#include "abi/libc/random_numbers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "abi/instrumentation/user_memory.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

// A device has no end, but a file has. Programs take a few bytes, to seed their generators.
constexpr std::size_t size_of_random_file = std::size_t{256} << 10;

unsigned random_device_value() {
  engine::Engine* engine = running();
  return engine == nullptr ? 1U : static_cast<unsigned>(engine->dice().next_for_program());
}

}  // namespace

void fill_randomly(engine::Engine& engine, void* buffer, std::size_t size) {
  auto* bytes = static_cast<unsigned char*>(buffer);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(engine.dice().next_for_program());
}

bool is_random_device(const char* path) {
  return path != nullptr && (std::strcmp(path, "/dev/urandom") == 0 || std::strcmp(path, "/dev/random") == 0);
}

int open_random_bytes(engine::Engine& engine, int flags) {
  const auto fd =
      static_cast<int>(engine::real().syscall(SYS_memfd_create, "random", (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0U));
  if (fd < 0) return -1;
  std::uint64_t words[512];
  for (std::size_t written = 0; written < size_of_random_file; written += sizeof words) {
    for (std::uint64_t& word : words) word = engine.dice().next_for_program();
    engine::real().syscall(SYS_pwrite64, fd, words, sizeof words, written);
  }
  return fd;
}

ssize_t get_random_bytes(void* buffer, std::size_t size, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr) return engine::real().syscall(SYS_getrandom, buffer, size, 0);
  fill_randomly(*engine, buffer, size);
  announce_array(buffer, size, true, site);
  return static_cast<ssize_t>(size);
}

#pragma GCC visibility push(default)
extern "C" {

ssize_t getrandom(void* buffer, std::size_t size, unsigned) { return get_random_bytes(buffer, size, HEDDLE_CALLER); }
int getentropy(void* buffer, std::size_t size) { return get_random_bytes(buffer, size, HEDDLE_CALLER) < 0 ? -1 : 0; }

// The C library has these from 2.36 on. It would ask the kernel by itself.
void arc4random_buf(void* buffer, std::size_t size) { get_random_bytes(buffer, size, HEDDLE_CALLER); }
std::uint32_t arc4random() {
  std::uint32_t number = 0;
  arc4random_buf(&number, sizeof number);
  return number;
}
std::uint32_t arc4random_uniform(std::uint32_t bound) {
  return static_cast<std::uint32_t>(std::uint64_t{arc4random()} * bound >> 32);
}

// The state of the C library's generators is not part of the snapshot. These generators restart in every execution.
int rand() {
  engine::Engine* engine = running();
  if (engine == nullptr) return engine::next_function<int (*)()>("rand")();
  return static_cast<int>(engine->dice().next_for_program() & RAND_MAX);
}
long random() { return rand(); }
void srand(unsigned seed) {
  if (engine::Engine* engine = running())
    engine->dice().seed_programs(seed);
  else
    engine::next_function<void (*)(unsigned)>("srand")(seed);
}
void srandom(unsigned seed) { srand(seed); }

// std::random_device would ask the processor or the system. std::random_device::_M_getval() and _M_init(const
// std::string&) are defined under their mangled names: defining the class would need the C++ library.
unsigned _ZNSt13random_device9_M_getvalEv(void*) { return random_device_value(); }
void _ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void*, const void*) {}
void _ZNSt13random_device7_M_finiEv(void*) {}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
