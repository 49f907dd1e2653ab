// The table of descriptors, and the calls on them. Waiting is in descriptor_waits.cpp.
#include "engine/processes/descriptors.hpp"

#include <cstdio>

#include "base/hash.hpp"
#include "engine/processes/descriptor_steps.hpp"
#include "engine/processes/descriptor_uses.hpp"

namespace heddle::engine {

using graph::EventKind;
using graph::MemoryOrder;

namespace {

const char* name_of(FileKind kind) {
  switch (kind) {
    case FileKind::pipe: return "pipe";
    case FileKind::socket: return "socket";
    case FileKind::event_counter: return "event counter";
    case FileKind::timer: return "timer";
    case FileKind::epoll: return "epoll set";
    case FileKind::signals: return "file of signals";
    case FileKind::other: return "file";
  }
  return "file";
}

}  // namespace

// ---- the table ----------------------------------------------------------------------------------------------

void Descriptors::begin_execution() {
  table_.forget();
  timers_.forget();
  pollers_ = all_files_ = nullptr;
  version_ = site_ = 0;
  children_ = 0;
  has_started_child_ = false;
}

SyncObject& Descriptors::pollers() {
  if (pollers_ == nullptr) pollers_ = &objects_.add_file(base::hash_text("pollers"), "one of several descriptors");
  return *pollers_;
}

SyncObject& Descriptors::all_files() {
  if (all_files_ == nullptr) all_files_ = &objects_.add_file(base::hash_text("files"), "a descriptor");
  return *all_files_;
}

SyncObject& Descriptors::object_of(DescriptorFile& file) {
  return policy_.keeps_objects_in_graph ? all_files() : *file.object;
}

void Descriptors::change_table(std::uint64_t site) {
  site_ = site;
  if (!policy_.keeps_objects_in_graph) return;
  Request request{this, {}, true};
  executor_->perform(all_files(), {&DescriptorSteps::look, reinterpret_cast<std::uint64_t>(&request)}, site);
}

void Descriptors::refer(int fd, DescriptorFile& file, std::uint8_t end) {
  const auto index = static_cast<std::size_t>(fd);
  if (index >= table_.size()) table_.resize(execution_arena_, index + 1);
  Descriptor& descriptor = table_[index];
  descriptor.file = &file;
  descriptor.end = end;
  uses_.open(fd);
  if (descriptor.number == nullptr) return;
  Request request{this, {}, true};
  executor_->perform(*descriptor.number, {&DescriptorSteps::read, reinterpret_cast<std::uint64_t>(&request)}, site_);
}

void Descriptors::close(int fd, std::uint64_t site) {
  release(fd, site);
  if (find(fd) == nullptr) return;  // other threads have run since
  answer_waits_before_close(fd);
  if (policy_.keeps_objects_in_graph) return;
  SyncObject*& number = table_[static_cast<std::size_t>(fd)].number;
  if (number == nullptr)
    number = &objects_.add_file(base::hash_words(static_cast<std::uint64_t>(fd), base::hash_text("number")),
                                "the number of a descriptor");
  Request request{this, {}, true};
  executor_->perform(*number, {&DescriptorSteps::write, reinterpret_cast<std::uint64_t>(&request)}, site);
}

/// What the thread waits for in a call on descriptors, or null.
Descriptors::Request* Descriptors::waiting_request_of(ProgramThread& thread) {
  if (thread.state != ProgramThread::State::alive) return nullptr;
  const SyncObject* object = thread.pending_step.object;
  const Rule* rule = &thread.pending_step.rule;  // of a search
  if (object == nullptr) {
    object = thread.waits_for;
    rule = thread.waits_with;
  }
  const bool waits = object != nullptr && object->kind == SyncKind::descriptor && DescriptorSteps::contains(rule);
  return waits ? &DescriptorSteps::request_of(*rule) : nullptr;
}

namespace {
/// Whether update_waits() or answer_waits_for_server() hear of all that could wake a thread that waits for the file
/// after it was closed.
bool is_followed_when_closed(const DescriptorFile& file) {
  if (file.is_shared) return false;
  switch (file.kind) {
    case FileKind::pipe:
    case FileKind::event_counter: return true;
    case FileKind::socket: return file.is_pair || (file.internet != nullptr && file.internet->is_listening);
    default: return false;
  }
}
}  // namespace

void Descriptors::answer_waits_before_close(int fd) {
  const Descriptor closed = *find(fd);
  for (ProgramThread* thread : threads_.threads()) {
    Request* request = thread == &threads_.current() ? nullptr : waiting_request_of(*thread);
    if (request == nullptr || request->never_waits) continue;
    for (std::size_t i = 0; i < request->files.size(); ++i) {
      if (request->files[i].fd != fd || request->waits_for_closed(i)) continue;
      if (request->is_ready() || !is_followed_when_closed(*closed.file)) {
        request->is_granted = request->found_closed = true;
        break;
      }
      if (request->closed.empty()) request->closed = execution_arena_.create_array<Descriptor>(request->files.size());
      request->closed[i] = closed;
    }
  }
}

/// Grants waits for closed files of which `concerns` is true.
template <typename Predicate>
void Descriptors::answer_waits_for_closed(Predicate concerns) {
  for (ProgramThread* thread : threads_.threads()) {
    Request* request = waiting_request_of(*thread);
    if (request == nullptr || request->closed.empty() || request->is_granted) continue;
    for (const Descriptor& closed : request->closed)
      if (closed.file != nullptr && concerns(closed)) request->is_granted = request->found_closed = true;
    if (request->is_granted && !policy_.keeps_objects_in_graph) scheduler_.update_enabled(*thread);
  }
}

void Descriptors::answer_waits_for_server() {
  answer_waits_for_closed(
      [](const Descriptor& closed) { return closed.file->internet != nullptr && closed.file->internet->is_listening; });
}

DescriptorFile& Descriptors::new_file(FileKind kind, const char* title) {
  auto* file = execution_arena_.create<DescriptorFile>();
  file->kind = kind;
  ProgramThread& self = threads_.current();
  if (!policy_.keeps_objects_in_graph)
    file->object = &objects_.add_file(base::hash_words(self.name, ++self.opened_files, base::hash_text("file")), title);
  return *file;
}

DescriptorFile& Descriptors::add(int fd, FileKind kind) {
  forget(fd);
  auto title = execution_arena_.create_array<char>(48);
  std::snprintf(title.data(), title.size(), "%s (descriptor %d)", name_of(kind), fd);
  DescriptorFile& file = new_file(kind, title.data());
  file.number = fd;
  file.descriptors[0] = 1;
  refer(fd, file, 0);
  return file;
}

DescriptorFile& Descriptors::add_pair(int first, int second, FileKind kind) {
  forget(first);
  forget(second);
  auto title = execution_arena_.create_array<char>(64);
  std::snprintf(title.data(), title.size(), "%s (descriptors %d and %d)", name_of(kind), first, second);
  DescriptorFile& file = new_file(kind, title.data());
  file.number = first;
  file.descriptors[0] = file.descriptors[1] = 1;
  file.is_pair = true;
  refer(first, file, 0);
  refer(second, file, 1);
  return file;
}

void Descriptors::add_other_end(int fd, DescriptorFile& client) {
  forget(fd);
  client.is_pair = true;
  ++client.descriptors[1];
  refer(fd, client, 1);
}

void Descriptors::copy(int from, int to) {
  if (from == to) return;
  forget(to);
  const Descriptor* known = find(from);
  if (known == nullptr) return;
  const Descriptor copied = *known;  // the table may move
  ++copied.file->descriptors[copied.end];
  refer(to, *copied.file, copied.end);
}

void Descriptors::forget(int fd) {
  const Descriptor* known = find(fd);
  if (known == nullptr) return;
  DescriptorFile& file = *known->file;
  --file.descriptors[known->end];
  table_[static_cast<std::size_t>(fd)].file = nullptr;
  table_[static_cast<std::size_t>(fd)].was_closed = true;
  for (const Descriptor& each : table_)
    if (each.file != nullptr && each.file->kind == FileKind::epoll) change_set(each.file->number, fd, true);
  if (file.descriptors[0] + file.descriptors[1] == 0) {
    file.due = no_deadline;
    if (file.object != nullptr) objects_.forget_file(*file.object);
    return;
  }
  if (file.number != fd) return;
  for (std::size_t i = 0; i < table_.size(); ++i)
    if (table_[i].file == &file) file.number = static_cast<int>(i);
}

void Descriptors::share_with_child() {
  for (const Descriptor& each : table_)
    if (each.file != nullptr) each.file->is_shared = true;
}

/// The other end of a pipe that a child process inherited may be open only there.
bool Descriptors::is_inner(int fd) const {
  const Descriptor* known = find(fd);
  if (known == nullptr) return false;
  const DescriptorFile& file = *known->file;
  return !file.is_shared || !file.is_pair || file.descriptors[1 - known->end] != 0;
}

bool Descriptors::can_block_outside(int fd) const {
  const DescriptorFile* known = file(fd);
  if (known == nullptr || known->is_shared) return fd >= 0;
  for (const int watched : known->watched)
    if (can_block_outside(watched)) return true;
  return false;
}

bool Descriptors::can_block_outside(std::span<const pollfd> files) const {
  for (const pollfd& each : files)
    if (can_block_outside(each.fd)) return true;
  return false;
}

void Descriptors::change_set(int set, int fd, bool leaves) {
  base::ArenaVector<int>& watched = file(set)->watched;
  for (std::size_t i = 0; i < watched.size(); ++i)
    if (watched[i] == fd) {
      watched.erase(i);
      break;
    }
  if (!leaves) watched.push_back(execution_arena_, fd);
  renew_deadlines();
}

// ---- calls --------------------------------------------------------------------------------------------------

bool Descriptors::begin(int fd, short events, const Patience& patience, std::uint64_t site) {
  pollfd asked{fd, events, 0};
  Request request{this, {&asked, 1}};
  if (!is_inner(fd)) {
    if (patience.waits && events == POLLIN && !wait_for_outside(request.files, site)) return false;
    if (find(fd) == nullptr) return true;
    request.never_waits = true;
  }
  DescriptorFile& file = *find(fd)->file;
  const Step& step = events == POLLIN ? DescriptorSteps::read : DescriptorSteps::write;
  SyncObject& object = object_of(file);
  if (patience.waits && !request.never_waits) {
    request.can_block_outside = file.is_shared;
    if (!wait(object, step, request, patience, site)) return false;
    const bool has_new_file = request.found_closed && find(fd) != nullptr;
    return !has_new_file || begin(fd, events, patience, site);
  }
  executor_->begin_call(object, step, site);
  expire_timers();
  // A call that finds nothing learns nothing. Under a search it is a step nevertheless, since its result follows from
  // its place among the others.
  if (!policy_.keeps_objects_in_graph && !request.is_ready()) return true;
  request.never_waits = true;
  executor_->perform(object, {&step, reinterpret_cast<std::uint64_t>(&request)}, site);
  return true;
}

void Descriptors::release(int fd, std::uint64_t site) {
  const Descriptor* known = find(fd);
  if (known == nullptr) return;
  Request request{this, {}, true};
  SyncObject& object = object_of(*known->file);
  executor_->begin_call(object, DescriptorSteps::write, site);
  executor_->perform(object, {&DescriptorSteps::write, reinterpret_cast<std::uint64_t>(&request)}, site);
}

void Descriptors::update_waits(int fd) {
  if (const Descriptor* known = find(fd))
    answer_waits_for_closed([&](const Descriptor& closed) {
      return closed.file == known->file && (!closed.file->is_pair || closed.end != known->end);
    });
  reconsider_waits_for(fd);
}

void Descriptors::end_close(int fd) {
  if (const Descriptor* known = find(fd))
    answer_waits_for_closed([&](const Descriptor& closed) {
      return closed.file == known->file && closed.file->is_pair && closed.end != known->end;
    });
  reconsider_waits_for(fd);
  forget(fd);
}

void Descriptors::reconsider_waits_for(int fd) {
  if (policy_.keeps_objects_in_graph) return;
  if (const Descriptor* known = find(fd)) scheduler_.reconsider(*known->file->object);
  if (pollers_ != nullptr) scheduler_.reconsider(*pollers_);
}

bool Descriptors::wait_for(std::span<pollfd> files, const Patience& patience, std::uint64_t site) {
  Request request{this, files};
  request.can_block_outside = can_block_outside(files);
  SyncObject& object = policy_.keeps_objects_in_graph ? all_files() : pollers();
  if (patience.waits) {
    if (!wait(object, DescriptorSteps::look, request, patience, site)) return false;
    const bool has_new_file = request.found_closed && poll_kernel(files, 0) == 0;
    return !has_new_file || wait_for(files, patience, site);
  }
  executor_->begin_call(object, DescriptorSteps::look, site);
  expire_timers();
  request.never_waits = true;
  executor_->perform(object, {&DescriptorSteps::look, reinterpret_cast<std::uint64_t>(&request)}, site);
  return true;
}

void Descriptors::learn(int fd, std::uint64_t site) {
  const Descriptor* known = find(fd);
  if (known == nullptr || policy_.keeps_objects_in_graph) return;
  Request request{this, {}, true};
  executor_->perform(*known->file->object, {&DescriptorSteps::read, reinterpret_cast<std::uint64_t>(&request)}, site);
}

void Descriptors::learn_of_set(int set, std::uint64_t site) {
  learn(set, site);
  for (const int fd : file(set)->watched) {
    pollfd asked{fd, POLLIN, 0};
    if (poll_kernel({&asked, 1}, 0) > 0) learn(fd, site);
  }
}

bool Descriptors::wait_for_outside(std::span<pollfd> files, std::uint64_t site) {
  if (policy_.keeps_objects_in_graph) return true;  // the call itself blocks
  threads_.current().wait_end = WaitEnd::ordinary;
  Request request{this, files};
  request.can_block_outside = true;
  const Rule rule{&DescriptorSteps::look, reinterpret_cast<std::uint64_t>(&request)};
  return executor_->wait_and_perform(pollers(), rule, site, no_deadline).succeeded;
}

void Descriptors::yield_after_failed_try(std::uint64_t site) {
  scheduler_.yield(site);
  add_empty_event(Operation::descriptor_poll, site);
}

/// A call without a result is an event, too, so that a loop of such calls reaches --max-events.
void Descriptors::add_empty_event(Operation operation, std::uint64_t site) {
  log_.begin_event(EventKind::fence, MemoryOrder::plain, operation, site);
  log_.record();
}

}  // namespace heddle::engine
