#include "engine/transcriber.hpp"

#include <sys/auxv.h>

#include <cstring>

#include "base/hash.hpp"
#include "engine/address_space.hpp"
#include "engine/operation.hpp"

namespace heddle::engine {

using transcript::Action;
using transcript::Bytes;
using transcript::Cursor;
using transcript::PlainAccess;
using transcript::Segment;
using transcript::WordId;
using Kind = transcript::PlainAccess::Kind;

namespace {

// When half of it is used, the transcript begins anew.
constexpr std::size_t transcript_memory = std::size_t{512} << 20;
constexpr std::size_t least_transcript_memory = std::size_t{64} << 20;
// An access to more memory is not written down word by word.
constexpr std::size_t largest_access = 4096;
constexpr std::uintptr_t word_size = 8;
constexpr std::size_t largest_hashed_heap = std::size_t{16} << 10;
// A program that needs more is none for which a transcript pays.
constexpr std::uint32_t most_watch_rounds = 64;
constexpr std::size_t most_watched = 256;

std::uint64_t word_at(std::uintptr_t address) {
  std::uint64_t value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

/// The bytes of [begin, end) that are in the word at `word`.
Bytes bytes_in(std::uintptr_t word, std::uintptr_t begin, std::uintptr_t end) {
  const unsigned from = begin > word ? static_cast<unsigned>(begin - word) : 0;
  const unsigned to = end < word + word_size ? static_cast<unsigned>(end - word) : word_size;
  return static_cast<Bytes>((1U << to) - (1U << from));
}

}  // namespace

void Transcriber::configure(bool transcribes) {
  is_useful_ = transcribes;
  is_on_ = false;
  state_ = nullptr;
  if (!transcribes) return;
  if (arena_.capacity() == 0) arena_ = base::Arena(reserve_memory(transcript_memory, least_transcript_memory));
  const auto* last = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  start_of_process_ = {reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)),
                       reinterpret_cast<std::uintptr_t>(last) + std::strlen(last) + 1};
  watch_rounds_ = 0;
  all_watched_.clear();
  begin_transcript();
}

/// Memory of the heap is not there yet. Its words become known when they are accessed.
void Transcriber::begin_transcript() {
  begins_anew_ = false;
  arena_.reset();
  accesses_.forget();
  watched_.forget();
  state_ = arena_.create<transcript::RunState>(arena_, graph_);
  for (const Watched& watched : all_watched_) {
    WordId id;
    find_word(watched.word, id);
  }
}

void Transcriber::begin_execution(std::size_t common_steps) {
  if (is_useful_ && begins_anew_) begin_transcript();
  accesses_.clear();
  settled_ = 0;
  is_opaque_ = false;
  is_on_ = is_useful_ && common_steps <= state_->steps();
  if (!is_on_) return;
  if (common_steps == 0)
    state_->begin(threads_.main_slot().id);
  else
    state_->take_back(common_steps);
}

// ---- plain memory ---------------------------------------------------------------------------------------------

bool Transcriber::find_word(std::uintptr_t address, WordId& id) {
  transcript::PlainBytes& bytes = state_->bytes();
  const ProgramThread* owner = threads_.with_stack(address);
  if (!bytes.find(address, id)) {
    transcript::PlainBytes::Word word;
    word.address = address;
    if (bytes.is_full() || !describe(owner, word)) return false;
    id = bytes.add(word);
    if (word.watched != 0) watched_.push_back(arena_, id);
  }
  return bytes.word(id).stack_of == (owner == nullptr ? graph::no_thread : owner->id);
}

/// Describes a word that is seen for the first time. False: the memory may be none that can be read.
bool Transcriber::describe(const ProgramThread* owner, transcript::PlainBytes::Word& word) {
  if (owner != nullptr) {
    word.stack_of = owner->id;
  } else {
    if (start_of_process_.contains(word.address))
      word.initial = word_at(word.address);
    else if (!memory_.read(word.address, &word.initial, sizeof word.initial))
      return false;
    memory_.forget_reads();
    // What the execution has written until now is not initial. Memory of the heap is seen when it is allocated.
    if (snapshot_ != nullptr) snapshot_->find(word.address, word.initial);
    word.has_initial = 0xff;
  }
  for (const Watched& watched : all_watched_)
    if (watched.word == word.address) word.watched |= watched.bytes;
  return true;
}

void Transcriber::add(const PlainAccess& access) {
  accesses_.push_back(arena_, access);
  state_->bytes().add(access, state_->author(threads_.current().id));
}

/// The values of the writes that the program has made since they were announced.
void Transcriber::settle_writes() {
  for (; settled_ < accesses_.size(); ++settled_) {
    PlainAccess& access = accesses_[settled_];
    if (!access.writes() || access.kind == Kind::unseen_write) continue;
    const std::uint64_t value = word_at(state_->bytes().word(access.word).address);
    access.left = value & transcript::bits_of(access.bytes);
    state_->bytes().set_value(access.word, access.bytes, value, threads_.current().id);
  }
}

void Transcriber::note_access(Kind kind, std::uintptr_t address, std::size_t size, std::uint64_t site,
                              std::uint32_t stack) {
  if (is_opaque_) return;
  settle_writes();
  if (size > largest_access || threads_.current().ignore_depth != 0) return note_unknown();
  const std::uintptr_t end = address + size;
  for (std::uintptr_t at = address & ~(word_size - 1); at < end && is_on_; at += word_size) {
    PlainAccess access;
    access.kind = kind;
    access.bytes = bytes_in(at, address, end);
    access.site = site;
    access.stack = stack;
    if (!find_word(at, access.word)) return note_unknown();
    note_word(access);
  }
}

void Transcriber::note_word(PlainAccess access) {
  note_unseen_writes(access.word);
  const transcript::PlainBytes::Word& word = state_->bytes().word(access.word);
  const bool may_find = access.kind == Kind::read || access.kind == Kind::write || access.kind == Kind::look;
  if ((word.is_freed & access.bytes) != 0 || (may_find && (word.is_atomic & access.bytes) != 0)) return note_unknown();
  const std::uint64_t real = word_at(word.address);
  if (may_find) {
    // What a thread finds on its own stack, it has left there itself, unless another thread wrote to it.
    const bool is_own = word.stack_of == threads_.current().id;
    access.found_bytes = is_own ? access.bytes & word.foreign : access.bytes;
    access.found = real & transcript::bits_of(access.found_bytes);
    check(access.word, access.found_bytes);
  }
  if (access.kind == Kind::unseen_write) access.left = real & transcript::bits_of(access.bytes);
  add(access);
}

/// Compares bytes with real memory. If they differ, a thread has written without an announcement.
void Transcriber::check(WordId id, Bytes bytes) {
  const std::uint64_t real = word_at(state_->bytes().word(id).address);
  if (state_->bytes().holds(id, bytes, real)) return;
  watch(id, bytes);
  // The rest of the execution may show more such words.
  state_->bytes().set_value(id, bytes, real, threads_.current().id);
}

void Transcriber::watch(WordId id, Bytes bytes) {
  if (!begins_anew_ && ++watch_rounds_ > most_watch_rounds) return give_up();
  begins_anew_ = true;
  const transcript::PlainBytes::Word& word = state_->bytes().word(id);
  if ((bytes & ~word.watched) == 0 || all_watched_.size() == most_watched) return give_up();
  all_watched_.push_back(forever_, {word.address, bytes});
}

/// Threads change at operations only, and there all watched words are compared. So what differs now was written by the
/// current thread.
void Transcriber::note_unseen_writes(WordId id) {
  const transcript::PlainBytes::Word& word = state_->bytes().word(id);
  if (word.watched == 0) return;
  if (word.stack_of != graph::no_thread && word.stack_of != threads_.current().id) return;
  const std::uint64_t real = word_at(word.address);
  const auto bytes =
      static_cast<Bytes>(state_->bytes().differing(id, real) & word.watched & ~(word.is_atomic | word.is_freed));
  if (bytes == 0) return;
  PlainAccess write;
  write.word = id;
  write.kind = Kind::unseen_write;
  write.bytes = bytes;
  write.left = real & transcript::bits_of(bytes);
  add(write);
}

void Transcriber::note_location(std::uintptr_t address, std::uint8_t size, graph::LocationId location,
                                const races::AccessRecord* imported) {
  if (is_opaque_) return;
  settle_writes();
  const std::uintptr_t at = address & ~(word_size - 1);
  transcript::Place place;
  place.address = address;
  place.size = size;
  place.name = graph_.location(location).name;
  if (address + size > at + word_size || !find_word(at, place.word)) return note_unknown();
  place.bytes = bytes_in(at, address, address + size);
  note_unseen_writes(place.word);
  check(place.word, place.bytes);
  const auto* newest = state_->bytes().newest_write(place.word, place.bytes);
  const bool agrees = newest == nullptr || imported == nullptr
                          ? (newest == nullptr) == (imported == nullptr)
                          : number(newest->thread) == imported->thread && newest->index == imported->index;
  if (!agrees) return note_unknown();
  const std::uint32_t number = state_->transcript().place(place);
  state_->locate(number, location);
  state_->bytes().make_atomic(place.word, place.bytes);
}

// ---- operations -----------------------------------------------------------------------------------------------

/// False: a transcript does not tell of such an operation.
bool Transcriber::describe(const ProgramThread& self, Action& action) const {
  if (self.pending_step.object != nullptr || self.has_undone || self.interrupted) return false;
  action = operands_;
  action.order = self.pending.order;
  action.operation = self.pending.operation;
  action.site = self.site;
  switch (static_cast<Operation>(self.pending.operation)) {
    case Operation::atomic_load: action.kind = Action::Kind::load; break;
    case Operation::atomic_store: action.kind = Action::Kind::store; break;
    case Operation::atomic_exchange:
    case Operation::atomic_add:
    case Operation::atomic_sub:
    case Operation::atomic_and:
    case Operation::atomic_or:
    case Operation::atomic_xor:
    case Operation::atomic_nand: action.kind = Action::Kind::modify; break;
    case Operation::compare_exchange: action.kind = Action::Kind::compare_exchange; break;
    case Operation::fence: action.kind = Action::Kind::fence; return true;
    case Operation::thread_create: action.kind = Action::Kind::create; return true;
    case Operation::thread_join: action.kind = Action::Kind::join; return action.joined != graph::no_thread;
    case Operation::thread_finish:
      action.kind = self.pending.yields ? Action::Kind::exit : Action::Kind::finish;
      return true;
    default: return false;
  }
  action.place = state_->place_of(self.pending.location);
  return action.place != transcript::no_place;
}

transcript::Waiting Transcriber::waiting_of(const ProgramThread& self) const {
  transcript::Waiting waiting;
  waiting.is_parked = self.parked;
  waiting.need_not_go_on = self.parked && self.need_not_go_on;
  if (self.parked && !self.need_not_go_on)
    waiting.loop_length = graph_.thread(self.id).index - self.waiting_loop.begin();
  waiting.failed_emulations = self.retry_window.failures;
  return waiting;
}

/// A key of everything that the thread's further way depends on, beside the results of its operations and what plain
/// reads find: its registers and its stack, the heap blocks that it has allocated (code that is not instrumented may
/// read them), and what the engine keeps of it. 0: that is not known.
std::uint64_t Transcriber::state_of(const ProgramThread& self) const {
  if (self.local_state == 0) return 0;
  const std::uint64_t heap = heap_.hash_of_slot(self.place, largest_hashed_heap);
  if (heap == 0) return 0;
  const std::uint64_t counts = base::hash_words(self.spawned, self.opened_files, self.failures.size(), self.given_up);
  const std::uint64_t lists =
      base::hash_words(self.tls_destructors.size(), self.keys.size(), self.cleanup_buffers.size());
  std::uint64_t failures = 0;
  for (const ProgramThread::Visit& failure : self.failures)
    failures = base::hash_words(failures, failure.place, failure.count);
  const std::uint64_t loops = base::hash_words(self.waiting_loop.hash(), retry_loops_.hash_of_window(self));
  return base::hash_words(self.local_state, self.name, heap, counts, lists, failures, loops) | 1;
}

/// Whether a loop waits may depend on memory that the thread has not read itself.
void Transcriber::note_looks() {
  if (!retry_loops_.has_noted_all_looks()) note_unknown();
  for (const ProgramMemory::Read& look : retry_loops_.looks()) note_access(Kind::look, look.address, look.size, 0, 0);
}

void Transcriber::arrive(const ProgramThread& self) {
  if (reads(self.pending.kind)) note_looks();
  settle_writes();
  for (const WordId id : watched_) note_unseen_writes(id);
  if (!is_on_) return;
  if (findings_.has_findings()) return end_before_finding();
  begins_anew_ |= arena_.is_half_full();
  if (begins_anew_) return pause();
  Cursor& cursor = state_->cursor(self.id);
  Segment segment;
  segment.is_opaque = is_opaque_ || !describe(self, segment.action);
  if (segment.is_opaque) segment.action = {};
  segment.waiting = waiting_of(self);
  segment.stack_pointer = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  segment.use_of_result = self.use_of_result;
  segment.accesses = accesses_.span();
  operands_ = {};
  Segment* known =
      cursor.state == Cursor::State::moving
          ? state_->transcript().find_or_add(*cursor.branch, segment, segment.is_opaque ? 0 : state_of(self))
          : nullptr;
  accesses_.clear();
  settled_ = 0;
  if (known == nullptr) return give_up();
  if (known->is_opaque)
    is_on_ = false;
  else
    state_->arrive(cursor, *known);
}

/// Something was reported of the newest step, or of what its thread did after it. Every execution with that step has
/// the finding, so it must be one of the program.
void Transcriber::end_before_finding() {
  if (state_->steps() > 1)
    state_->take_back(state_->steps() - 1);
  else
    state_->begin(threads_.main_slot().id);
  pause();
}

void Transcriber::note_spurious_failure(memory::SpuriousFailure spurious_failure) {
  auto& known = state_->cursor(threads_.current().id).segment->future->spurious_failure;
  if (known && *known != spurious_failure) return give_up();
  known = spurious_failure;
}

void Transcriber::note_child(const ProgramThread& child, bool is_detached) {
  transcript::Future::Child& known = state_->cursor(threads_.current().id).segment->future->child;
  if (is_detached || child.rank == ProgramThread::no_rank) return give_up();
  if (known.thread != graph::no_thread && known.thread != child.id) return give_up();
  known.thread = child.id;
  known.name = child.name;
  known.rank = child.rank;
}

void Transcriber::performed(graph::EventId id) {
  const graph::Event& event = graph_.event(id);
  if (!state_->has(event.thread)) return give_up();
  Cursor& cursor = state_->cursor(event.thread);
  if (cursor.state != Cursor::State::arrived) return give_up();
  state_->performed(cursor, event, id);
  accesses_.clear();
  settled_ = 0;
  is_opaque_ = false;
}

}  // namespace heddle::engine
