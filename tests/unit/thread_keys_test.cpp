// Thread-specific data of one thread, without fibers.
#include "engine/threads/thread_keys.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

#include "engine/isolation/address_space.hpp"

namespace heddle::engine {

namespace {

std::vector<int> destroyed;
void destroy(void* value) { destroyed.push_back(*static_cast<int*>(value)); }

class ThreadKeysTest : public testing::Test {
 protected:
  ThreadKeysTest() {
    destroyed.clear();
    threads.set_current(&thread);
  }

  base::Arena arena{reserve_memory(std::size_t{1} << 20, std::size_t{1} << 20)};
  Modules modules;
  ExecutionEnd end{nullptr};
  ThreadTable threads{arena, arena, modules, end};
  ProgramThread parent;
  ProgramThread thread;
  ThreadKeys keys{arena, threads};
  int one = 1, two = 2;
};

TEST_F(ThreadKeysTest, AKeyHasNoValueUntilTheThreadSetsOne) {
  thread.parent = &parent;
  const pthread_key_t key = keys.create(nullptr);
  EXPECT_TRUE(ThreadKeys::is_own_key(key));
  EXPECT_EQ(keys.get(key), nullptr);
  EXPECT_EQ(keys.set(key, &one), 0);
  EXPECT_EQ(keys.get(key), &one);
  EXPECT_EQ(keys.set(key, &two), 0);
  EXPECT_EQ(keys.get(key), &two);
}

TEST_F(ThreadKeysTest, AKeyThatWasDeletedIsRefused) {
  const pthread_key_t key = keys.create(nullptr);
  EXPECT_EQ(keys.remove(key), 0);
  EXPECT_EQ(keys.remove(key), EINVAL);
  EXPECT_EQ(keys.set(key, &one), EINVAL);
}

TEST_F(ThreadKeysTest, AtItsEndAThreadDestroysTheValuesOfTheKeysThatAreLeft) {
  const pthread_key_t kept = keys.create(destroy);
  const pthread_key_t deleted = keys.create(destroy);
  const pthread_key_t plain = keys.create(nullptr);
  for (const pthread_key_t key : {kept, deleted, plain}) keys.set(key, key == kept ? &one : &two);
  keys.remove(deleted);
  keys.run_destructors();
  EXPECT_EQ(destroyed, std::vector<int>{1});
  keys.run_destructors();
  EXPECT_EQ(destroyed, std::vector<int>{1}) << "a value is destroyed once";
}

TEST_F(ThreadKeysTest, AnEarlyKeyThatAnExecutionDeletesExistsInTheNext) {
  constexpr pthread_key_t early = 1000;
  remember_early_key(early, destroy);
  for (int execution = 0; execution < 2; ++execution) {
    keys.begin_execution();
    thread.keys.clear();
    EXPECT_EQ(keys.set(early, &one), 0);
    EXPECT_EQ(keys.remove(early), 0);
    EXPECT_EQ(keys.remove(early), EINVAL);
    EXPECT_EQ(keys.set(early, &one), EINVAL);
    keys.run_destructors();
    EXPECT_TRUE(destroyed.empty()) << "the value of a deleted key is not destroyed";
  }
  forget_early_key(early);
  keys.begin_execution();
  EXPECT_EQ(keys.set(early, &one), EINVAL);
}

}  // namespace
}  // namespace heddle::engine
