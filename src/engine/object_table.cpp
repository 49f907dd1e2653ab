#include "engine/object_table.hpp"

namespace heddle::engine {

SyncObject& ObjectTable::object(std::uintptr_t address, SyncKind kind) {
  SyncObject** known = objects_.find(address);
  if (known != nullptr && (*known)->kind == kind) return **known;
  if (known != nullptr) forget(address);  // the memory has become something else
  SyncObject* object = nullptr;
  if (free_.empty()) {
    object = execution_arena_.create<SyncObject>();
  } else {
    object = free_.back();
    free_.pop_back();
    object->begin_anew();
  }
  object->kind = kind;
  object->address = address;
  object->location = graph_.add_location(names_.name_of(address), 0, 0);
  if (kind == SyncKind::condition || kind == SyncKind::futex) {
    object->sleepers.arena = &execution_arena_;
    object->state.list = &object->sleepers;
  }
  objects_.add(address, object);
  races_.cell(address).has_object = true;
  return *object;
}

void ObjectTable::forget(std::uintptr_t address) {
  SyncObject** known = objects_.find(address);
  if (known == nullptr) return;
  graph_.retire((*known)->location);
  retired_.push_back(execution_arena_, *known);
  objects_.remove(address);
}

bool ObjectTable::is_in_use(const ThreadTable& threads, const SyncObject& object) {
  if (!object.waiters.empty()) return true;
  for (const ProgramThread* thread : threads.threads())
    if (thread->state == ProgramThread::State::alive && thread->pending.location == object.location) return true;
  return false;
}

}  // namespace heddle::engine
