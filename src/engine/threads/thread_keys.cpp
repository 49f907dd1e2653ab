#include "engine/threads/thread_keys.hpp"

#include <cerrno>

#include "engine/isolation/real.hpp"

namespace heddle::engine {

namespace {
constexpr int destructor_rounds = 4;             // PTHREAD_DESTRUCTOR_ITERATIONS
constexpr pthread_key_t most_early_keys = 1024;  // as many as the C library has
struct EarlyKey {
  bool used;
  void (*destructor)(void*);
};
EarlyKey early_keys[most_early_keys];
}  // namespace

void remember_early_key(pthread_key_t key, void (*destructor)(void*)) {
  if (key < most_early_keys) early_keys[key] = {true, destructor};
}

void forget_early_key(pthread_key_t key) {
  if (key < most_early_keys) early_keys[key] = {};
}

bool ThreadKeys::exists(pthread_key_t key) const {
  if (is_own_key(key)) return key - first_key < keys_.size() && keys_[key - first_key].used;
  if (key >= most_early_keys || !early_keys[key].used) return false;
  for (const pthread_key_t removed : removed_early_keys_)
    if (removed == key) return false;
  return true;
}

pthread_key_t ThreadKeys::create(void (*destructor)(void*)) {
  keys_.push_back(execution_arena_, {true, destructor});
  return first_key + static_cast<pthread_key_t>(keys_.size()) - 1;
}

int ThreadKeys::remove(pthread_key_t key) {
  if (!exists(key)) return EINVAL;
  if (is_own_key(key))
    keys_[key - first_key] = {};
  else
    removed_early_keys_.push_back(execution_arena_, key);
  return 0;
}

void* ThreadKeys::get(pthread_key_t key) const {
  const ProgramThread& self = threads_.current();
  for (const KeyValue& entry : self.keys)
    if (entry.key == key) return entry.value;
  const bool may_be_from_before = !is_own_key(key) && self.parent == nullptr && exists(key);
  return may_be_from_before ? real().pthread_getspecific(key) : nullptr;
}

int ThreadKeys::set(pthread_key_t key, const void* value) {
  if (!exists(key)) return EINVAL;
  ProgramThread& self = threads_.current();
  for (KeyValue& entry : self.keys)
    if (entry.key == key) {
      entry.value = const_cast<void*>(value);
      return 0;
    }
  self.keys.push_back(execution_arena_, {key, const_cast<void*>(value)});
  return 0;
}

void ThreadKeys::run_destructors() {
  ProgramThread& self = threads_.current();
  for (int round = 0; round < destructor_rounds; ++round) {
    bool ran = false;
    for (std::size_t i = 0; i < self.keys.size(); ++i) {
      KeyValue& entry = self.keys[i];
      if (entry.value == nullptr || !exists(entry.key)) continue;
      auto* destructor =
          is_own_key(entry.key) ? keys_[entry.key - first_key].destructor : early_keys[entry.key].destructor;
      if (destructor == nullptr) continue;
      void* value = entry.value;
      entry.value = nullptr;
      destructor(value);
      ran = true;
    }
    if (!ran) return;
  }
}

}  // namespace heddle::engine
