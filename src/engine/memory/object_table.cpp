#include "engine/memory/object_table.hpp"

#include "base/hash.hpp"
#include "engine/scheduling/execution_observer.hpp"

namespace heddle::engine {

SyncObject& ObjectTable::object(std::uintptr_t address, SyncKind kind) {
  const std::uintptr_t key = kind == SyncKind::annotation ? key_of_annotation(address) : address;
  SyncObject** known = objects_.find(key);
  if (known != nullptr && (*known)->kind == kind) return **known;
  if (known != nullptr) forget_key(key);  // the memory has become something else
  SyncObject& object = new_object(kind, names_.name_of(address));
  object.address = address;
  if (kind == SyncKind::condition || kind == SyncKind::futex) {
    object.sleepers.arena = &execution_arena_;
    object.state.list = &object.sleepers;
  }
  objects_.add(key, &object);
  races_.cell(address).has_object = true;
  return object;
}

SyncObject& ObjectTable::new_object(SyncKind kind, std::uint64_t name) {
  SyncObject* object = nullptr;
  if (free_.empty()) {
    object = execution_arena_.create<SyncObject>();
  } else {
    object = free_.back();
    free_.pop_back();
    object->begin_anew();
  }
  object->kind = kind;
  object->serial = ++serial_;
  object->location = graph_.add_location(name, 0, 0);
  if (observer_.is_on()) observer_.mark_opaque();
  return *object;
}

SyncObject& ObjectTable::add_file(std::uint64_t name, const char* title) {
  SyncObject& file = new_object(SyncKind::descriptor, name);
  file.title = title;
  files_.push_back(execution_arena_, &file);
  return file;
}

void ObjectTable::add_part(SyncObject& lock) {
  SyncObject& part = new_object(lock.kind, base::hash_words(names_.name_of(lock.address), lock.parts.size() + 1));
  part.address = lock.address;
  part.whole = &lock;
  lock.parts.push_back(execution_arena_, &part);
}

void ObjectTable::forget_file(SyncObject& file) {
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (files_[i] == &file) {
      files_.erase(i);
      break;
    }
  graph_.retire(file.location);
  retired_.push_back(execution_arena_, &file);
}

void ObjectTable::forget_key(std::uintptr_t key) {
  SyncObject** known = objects_.find(key);
  if (known == nullptr) return;
  graph_.retire((*known)->location);
  for (const SyncObject* part : (*known)->parts) graph_.retire(part->location);
  retired_.push_back(execution_arena_, *known);
  objects_.remove(key);
}

bool ObjectTable::is_in_use(const ThreadTable& threads, const SyncObject& object) {
  if (!object.waiters.empty()) return true;
  for (const ProgramThread* thread : threads.threads())
    if (thread->state == ProgramThread::State::alive && thread->pending.location == object.location) return true;
  return false;
}

}  // namespace heddle::engine
