#include "engine/transcriber.hpp"

#include <sys/auxv.h>

#include <algorithm>
#include <cstring>

#include "base/hash.hpp"
#include "engine/address_space.hpp"
#include "engine/operation.hpp"

namespace heddle::engine {

using graph::ThreadId;
using transcript::Action;
using transcript::Bytes;
using transcript::Cursor;
using transcript::PlainAccess;
using transcript::Segment;
using transcript::WordId;
using Kind = transcript::PlainAccess::Kind;

namespace {

// When half of it is used, the transcript begins anew.
constexpr std::size_t transcript_memory = std::size_t{128} << 20;
constexpr std::size_t least_transcript_memory = std::size_t{32} << 20;
// An access to more memory is not written down word by word.
constexpr std::size_t largest_access = 4096;
// A segment with more accesses is not written down: what it takes must be little against half of the memory.
constexpr std::size_t most_accesses = 16384;
constexpr std::uintptr_t word_size = 8;
// The functions of the runtime have no more than this on the stack at a scheduling point.
constexpr std::size_t deepest_call = 4096;
constexpr std::size_t largest_hashed_heap = std::size_t{16} << 10;
// A program that needs more is none for which a transcript pays.
constexpr std::uint32_t most_beginnings = 64;
constexpr std::size_t most_listed = 2048;

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
  beginnings_ = 0;
  was_wrong_ = false;
  listed_.clear();
  begin_transcript();
}

/// Blocks that executions allocate are not there yet.
void Transcriber::begin_transcript() {
  begins_anew_ = false;
  was_used_ = false;
  arena_.reset();
  accesses_.forget();
  state_ = arena_.create<transcript::RunState>(arena_, graph_);
  for (const Listed& listed : listed_) {
    transcript::PlainBytes::Word word;
    word.address = listed.address;
    word.stack_of = listed.stack_of;
    word.used = listed.used;
    word.is_shared = listed.is_shared;
    word.is_watched = listed.is_watched;
    if (listed.stack_of != graph::no_thread || describe(word)) state_->bytes().add(word);
  }
}

/// A transcript that is full before an execution was made from it is of no use.
void Transcriber::end_full_transcript() {
  if (!was_used_) return give_up();
  begins_anew_ = true;
  pause();
}

void Transcriber::begin_segment() {
  accesses_.clear();
  settled_ = 0;
  is_opaque_ = false;
  if (state_ != nullptr) contents_ = state_->bytes().contents();
}

/// A word has to be known from the beginning.
void Transcriber::begin_anew() {
  if (!begins_anew_ && ++beginnings_ > most_beginnings) return give_up();
  begins_anew_ = true;
}

void Transcriber::begin_execution(std::size_t common_steps) {
  if (is_useful_ && begins_anew_) begin_transcript();
  is_on_ = is_useful_ && common_steps <= state_->steps();
  if (!is_on_) return;
  if (common_steps == 0)
    state_->begin(threads_.main_slot().id);
  else
    state_->take_back(common_steps);
  begin_segment();
}

// ---- plain memory ---------------------------------------------------------------------------------------------

bool Transcriber::find_word(std::uintptr_t address, Bytes used, bool begins, WordId& id) {
  transcript::PlainBytes& bytes = state_->bytes();
  const ProgramThread* owner = threads_.with_stack(address);
  const ThreadId stack_of = owner == nullptr ? graph::no_thread : owner->id;
  if (!bytes.find(address, id)) {
    transcript::PlainBytes::Word word;
    word.address = address;
    word.stack_of = stack_of;
    const bool is_new_block = begins && owner == nullptr;
    if (bytes.is_full() || (owner == nullptr && !is_new_block && !describe(word))) return false;
    if (is_new_block || word.is_constant) word.used = 0xff;
    id = bytes.add(word);
  }
  if ((used & ~bytes.word(id).used) != 0) list(id, used);
  return bytes.word(id).stack_of == stack_of;
}

/// Describes a word that is not on a stack, at the beginning of an execution. False: the memory may be none that can be
/// read.
bool Transcriber::describe(transcript::PlainBytes::Word& word) {
  if (start_of_process_.contains(word.address))
    word.initial = word_at(word.address);
  else if (!memory_.read(word.address, &word.initial, sizeof word.initial))
    return false;
  memory_.forget_reads();
  // What the execution has written until now is not initial.
  if (snapshot_ != nullptr) snapshot_->find(word.address, word.initial);
  word.has_initial = 0xff;
  word.is_constant = memory_.is_constant(word.address);
  return true;
}

Transcriber::Listed* Transcriber::find_listed(std::uintptr_t address) {
  for (Listed& listed : listed_)
    if (listed.address == address) return &listed;
  return nullptr;
}

void Transcriber::list(WordId id, Bytes bytes) {
  const transcript::PlainBytes::Word& word = state_->bytes().word(id);
  state_->bytes().use(id, bytes);
  if (listed_.size() == most_listed) return give_up();
  if (Listed* listed = find_listed(word.address))
    listed->used |= bytes;
  else
    listed_.push_back(forever_, {word.address, word.stack_of, bytes, false, false});
  begin_anew();
}

/// A thread accesses a word on the stack of another one.
void Transcriber::share(WordId id) {
  const transcript::PlainBytes::Word& word = state_->bytes().word(id);
  if (word.is_shared) return;
  state_->bytes().share(id);
  if (Listed* listed = find_listed(word.address)) listed->is_shared = true;
  if (word.has_changed_unseen) watch(id);
}

void Transcriber::watch(WordId id) {
  if (Listed* listed = find_listed(state_->bytes().word(id).address)) listed->is_watched = true;
  begin_anew();
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
    state_->bytes().word(access.word).seen = value;
  }
}

void Transcriber::note_access(Kind kind, std::uintptr_t address, std::size_t size, std::uint64_t site,
                              std::uint32_t stack) {
  if (is_opaque_) return;
  settle_writes();
  frames_ = address & ~(word_size - 1);  // a thread accesses no memory below its frames
  if (size > largest_access || accesses_.size() > most_accesses || threads_.current().ignore_depth != 0)
    return note_unknown();
  const std::uintptr_t end = address + size;
  for (std::uintptr_t at = address & ~(word_size - 1); at < end && is_on_; at += word_size) {
    PlainAccess access;
    access.kind = kind;
    access.bytes = bytes_in(at, address, end);
    access.site = site;
    access.stack = stack;
    if (!find_word(at, access.bytes, kind == Kind::allocation, access.word)) return note_unknown();
    note_word(access);
  }
}

void Transcriber::note_word(PlainAccess access) {
  note_unseen_write(access.word);
  const transcript::PlainBytes::Word& word = state_->bytes().word(access.word);
  const bool is_own = word.stack_of == threads_.current().id;
  if (word.stack_of != graph::no_thread && !is_own) share(access.word);
  const bool may_find = access.may_find();
  if ((word.is_freed & access.bytes) != 0 || (may_find && (word.is_atomic & access.bytes) != 0)) return note_unknown();
  const std::uint64_t real = word_at(word.address);
  if (may_find) {
    // What a thread finds on its own stack, it has left there itself, unless another thread wrote to it.
    access.found_bytes = is_own ? access.bytes & word.foreign : access.bytes;
    access.found = real & transcript::bits_of(access.found_bytes);
    if (!state_->bytes().holds(access.word, access.found_bytes, real)) return find_unknown(access.word);
  }
  if (access.kind == Kind::unseen_write) access.left = real & transcript::bits_of(access.bytes);
  add(access);
}

/// Where the frames of the program begin on the stack of the current thread. If no word is in question, those of the
/// runtime, which are below, may count as frames of the program.
std::uintptr_t Transcriber::find_frames(const ProgramThread& self) {
  if (self.frames != 0) return self.frames;
  const auto own = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  bool matters = false;
  for (std::uint32_t i = 0; i < state_->bytes().size() && !matters; ++i) {
    const std::uintptr_t at = state_->bytes().word(WordId{i}).address;
    matters = at >= own && at < own + deepest_call;
  }
  const std::uintptr_t found = matters ? local_state_.find_frames() : 0;
  return found == 0 ? own : found;
}

/// A thread finds a value that the transcript does not know.
void Transcriber::find_unknown(WordId id) {
  if (state_->bytes().word(id).stack_of != graph::no_thread && !state_->bytes().word(id).is_watched) watch(id);
  note_unknown();
}

/// Whether the word is in a frame of the thread on whose stack it is.
bool Transcriber::is_in_frame(const transcript::PlainBytes::Word& word) {
  if (word.stack_of == threads_.current().id) return word.address >= frames_;
  if (!state_->has(word.stack_of)) return false;
  const Cursor& owner = state_->cursor(word.stack_of);
  return owner.state != Cursor::State::ended && owner.segment != nullptr &&
         word.address >= owner.segment->stack_pointer;
}

bool Transcriber::may_be_compared(WordId id) {
  const transcript::PlainBytes::Word& word = state_->bytes().word(id);
  return !word.is_constant && (word.stack_of == graph::no_thread || is_in_frame(word));
}

/// Compares a word with real memory. What differs was written by the current thread.
void Transcriber::note_unseen_write(WordId id) {
  if (!may_be_compared(id)) return;
  transcript::PlainBytes& bytes = state_->bytes();
  transcript::PlainBytes::Word& word = bytes.word(id);
  const std::uint64_t real = word_at(word.address);
  const auto plain = static_cast<Bytes>(word.used & ~(word.is_atomic | word.is_freed));
  const auto differing = static_cast<Bytes>(bytes.differing(id, real) & plain);
  // A block that is not allocated yet holds nothing.
  if (word.stack_of == graph::no_thread) return add_unseen_write(id, differing & word.known);
  const bool is_own = word.stack_of == threads_.current().id;
  const bool is_foreign_write = !is_own && ((word.seen ^ real) & transcript::bits_of(plain)) != 0;
  word.seen = real;
  if (word.is_watched) return add_unseen_write(id, is_own ? differing : differing & word.known);
  if (is_foreign_write) return watch(id);
  if (!is_own || (differing & word.known) == 0) return;
  if (word.is_shared) return watch(id);
  word.has_changed_unseen = true;
  bytes.set_value(id, differing & word.known, real, word.stack_of);
}

void Transcriber::add_unseen_write(WordId id, Bytes bytes) {
  if (bytes == 0) return;
  PlainAccess write;
  write.word = id;
  write.kind = Kind::unseen_write;
  write.bytes = bytes;
  write.left = word_at(state_->bytes().word(id).address) & transcript::bits_of(bytes);
  add(write);
}

/// All threads are at their operations, as they were in the execution that the steps are from. So memory outside the
/// stacks must be what it was.
void Transcriber::end_repeating() {
  for (std::uint32_t i = 0; i < state_->bytes().size(); ++i) {
    transcript::PlainBytes::Word& word = state_->bytes().word(WordId{i});
    if (word.is_constant) continue;
    if (word.stack_of != graph::no_thread) {
      if (state_->has(word.stack_of) && state_->cursor(word.stack_of).state != Cursor::State::ended)
        word.seen = word_at(word.address);
    } else if (const auto plain = static_cast<Bytes>(word.used & word.known & ~(word.is_atomic | word.is_freed));
               plain != 0 && !state_->bytes().holds(WordId{i}, plain, word_at(word.address))) {
      was_wrong_ = true;
      return give_up();
    }
  }
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
  place.bytes = bytes_in(at, address, address + size);
  frames_ = at;
  if (address + size > at + word_size || !find_word(at, place.bytes, false, place.word)) return note_unknown();
  note_unseen_write(place.word);
  if (!state_->bytes().holds(place.word, place.bytes, word_at(at))) return find_unknown(place.word);
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
  frames_ = find_frames(self);
  for (std::uint32_t i = 0; i < state_->bytes().size() && !begins_anew_; ++i) note_unseen_write(WordId{i});
  if (!is_on_) return;
  if (findings_.has_findings()) return end_before_finding();
  if (arena_.is_half_full()) return end_full_transcript();
  if (begins_anew_) return begin_segment();
  Cursor& cursor = state_->cursor(self.id);
  Segment segment;
  segment.is_opaque = is_opaque_ || !describe(self, segment.action);
  if (segment.is_opaque) segment.action = {};
  segment.waiting = waiting_of(self);
  segment.stack_pointer = frames_;
  segment.use_of_result = self.use_of_result;
  segment.accesses = accesses_.span();
  operands_ = {};
  Segment* known =
      cursor.state == Cursor::State::moving
          ? state_->transcript().find_or_add(*cursor.branch, segment, segment.is_opaque ? 0 : state_of(self))
          : nullptr;
  if (known != nullptr) state_->transcript().see(*known, contents_);
  begin_segment();
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
  if (begins_anew_) return;
  auto& known = state_->cursor(threads_.current().id).segment->future->spurious_failure;
  if (known && *known != spurious_failure) return give_up();
  known = spurious_failure;
}

void Transcriber::note_child(const ProgramThread& child, bool is_detached) {
  if (begins_anew_) return;
  transcript::Future::Child& known = state_->cursor(threads_.current().id).segment->future->child;
  if (is_detached || child.rank == ProgramThread::no_rank) return give_up();
  if (known.thread != graph::no_thread && known.thread != child.id) return give_up();
  known.thread = child.id;
  known.name = child.name;
  known.rank = child.rank;
}

void Transcriber::performed(graph::EventId id) {
  if (begins_anew_) return begin_segment();
  const graph::Event& event = graph_.event(id);
  if (!state_->has(event.thread)) return give_up();
  Cursor& cursor = state_->cursor(event.thread);
  if (cursor.state != Cursor::State::arrived) return give_up();
  state_->performed(cursor, event, id);
  begin_segment();
}

}  // namespace heddle::engine
