#include "engine/threads/address_names.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstdio>
#include <memory>

namespace heddle::engine {

namespace {

std::array<std::byte, 1 << 16> memory;
constexpr std::size_t stack_size = 1 << 18;
int variable;

/// Pages of their own: a fiber protects the lowest page of its stack, which malloc could otherwise hand out again.
class StackPages {
 public:
  StackPages()
      : begin_(static_cast<std::byte*>(
            ::mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~StackPages() { ::munmap(begin_, stack_size); }
  StackPages(const StackPages&) = delete;
  StackPages& operator=(const StackPages&) = delete;

  std::byte* begin() const { return begin_; }

 private:
  std::byte* begin_;
};

/// Two threads. The test decides where their thread-local storage lies.
class AddressNamesTest : public ::testing::Test {
 protected:
  AddressNamesTest() {
    modules.read(arena);
    for (auto& thread : threads) {
      thread = std::make_unique<ProgramThread>();
      thread->name = 100 + living.size();
      living.push_back(arena, thread.get());
    }
    threads[1]->fiber.prepare(stack.begin(), stack_size, 0);
  }
  void put_storage_of(int thread, std::uintptr_t above) {
    threads[static_cast<std::size_t>(thread)]->fiber.set_thread_pointer(above);
  }
  static std::uintptr_t address_of(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

  StackPages stack;
  base::Arena arena{memory};
  Heap heap;
  Modules modules;
  std::array<std::unique_ptr<ProgramThread>, 2> threads;
  AddressNames::Threads living;
  AddressNames names{heap, modules, living, {}};
};

}  // namespace

TEST_F(AddressNamesTest, AVariableIsNamedByItsModuleWhereverThreadsKeepTheirStorage) {
  const auto* of_a_library = stdout;  // the object, not the pointer to it
  for (const std::uintptr_t address : {address_of(of_a_library), address_of(&variable)}) {
    ASSERT_NE(modules.find(address), nullptr);
    const std::uint64_t name = names.name_of(address);
    put_storage_of(0, address + 64);
    EXPECT_EQ(names.name_of(address), name);
    put_storage_of(0, 0);
    put_storage_of(1, address + 4096);
    EXPECT_EQ(names.name_of(address), name);
    put_storage_of(1, 0);
  }
}

TEST_F(AddressNamesTest, ThreadLocalVariablesAreNamedByTheirThreadAndDistance) {
  const auto block = std::make_unique<std::array<std::byte, 4096>>();
  const std::uintptr_t first = address_of(block->data()) + 1000, second = first + 2000;
  put_storage_of(0, first);
  put_storage_of(1, second);
  const std::uint64_t of_first = names.name_of(first - 16), of_second = names.name_of(second - 16);
  EXPECT_NE(of_first, of_second);
  EXPECT_NE(of_first, names.name_of(first - 24));
  put_storage_of(0, first + 8);
  EXPECT_EQ(names.name_of(first - 8), of_first);
}

TEST_F(AddressNamesTest, LocalVariablesAreNamedFromTheTopOfTheStack) {
  const Range own = threads[1]->fiber.stack();
  const std::uint64_t name = names.name_of(own.end - 100);
  EXPECT_TRUE(names.is_on_a_stack(own.end - 100));
  EXPECT_NE(names.name_of(own.end - 108), name);
  threads[1]->name = 7;
  EXPECT_NE(names.name_of(own.end - 100), name);
}

TEST_F(AddressNamesTest, TheStackOfTheCallerOfCheckCountsAsAStack) {
  const int local = 0;
  EXPECT_FALSE(names.is_on_a_stack(address_of(&local)));
  names.set_callers_stack({address_of(&local) - 64, address_of(&local) + 64});
  EXPECT_TRUE(names.is_on_a_stack(address_of(&local)));
  EXPECT_TRUE(names.is_on_callers_stack(address_of(&local)));
  EXPECT_FALSE(names.is_on_callers_stack(address_of(&local) + 64));
}

}  // namespace heddle::engine
