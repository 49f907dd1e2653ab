// How a Transcriber follows plain memory: the accesses of the current segment, and writes without an announcement.
#include <cstring>

#include "engine/transcripts/transcriber.hpp"

namespace heddle::engine {

using graph::ThreadId;
using transcript::Bytes;
using transcript::Cursor;
using transcript::PlainAccess;
using transcript::WordId;
using Kind = transcript::PlainAccess::Kind;

namespace {

// An access to more memory is not written down word by word.
constexpr std::size_t largest_access = 4096;
// A segment with more accesses is not written down: what it takes must be little against half of the memory.
constexpr std::size_t most_accesses = 16384;
constexpr std::uintptr_t word_size = 8;
// The functions of the runtime have no more than this on the stack at a scheduling point.
constexpr std::size_t deepest_call = 4096;
// A program that needs more runs without a transcript.
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

void Transcriber::record_access(Kind kind, std::uintptr_t address, std::size_t size, std::uint64_t site,
                                std::uint32_t stack) {
  if (is_opaque_) return;
  settle_writes();
  frames_ = address & ~(word_size - 1);  // a thread accesses no memory below its frames
  if (size > largest_access || accesses_.size() > most_accesses || threads_.current().ignore_depth != 0)
    return mark_opaque();
  const std::uintptr_t end = address + size;
  for (std::uintptr_t at = address & ~(word_size - 1); at < end && is_on_; at += word_size) {
    PlainAccess access;
    access.kind = kind;
    access.bytes = bytes_in(at, address, end);
    access.site = site;
    access.stack = stack;
    if (!find_word(at, access.bytes, kind == Kind::allocation, access.word)) return mark_opaque();
    record_word(access);
  }
}

void Transcriber::record_word(PlainAccess access) {
  record_unseen_write(access.word);
  const transcript::PlainBytes::Word& word = state_->bytes().word(access.word);
  const bool is_own = word.stack_of == threads_.current().id;
  if (word.stack_of != graph::no_thread && !is_own) share(access.word);
  const bool may_find = access.may_find();
  if ((word.is_freed & access.bytes) != 0 || (may_find && (word.is_atomic & access.bytes) != 0)) return mark_opaque();
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
  mark_opaque();
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
void Transcriber::record_unseen_write(WordId id) {
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

void Transcriber::record_location(std::uintptr_t address, std::uint8_t size, graph::LocationId location,
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
  if (address + size > at + word_size || !find_word(at, place.bytes, false, place.word)) return mark_opaque();
  record_unseen_write(place.word);
  if (!state_->bytes().holds(place.word, place.bytes, word_at(at))) return find_unknown(place.word);
  const auto* newest = state_->bytes().newest_write(place.word, place.bytes);
  const bool agrees = newest == nullptr || imported == nullptr
                          ? (newest == nullptr) == (imported == nullptr)
                          : number(newest->thread) == imported->thread && newest->index == imported->index;
  if (!agrees) return mark_opaque();
  const std::uint32_t number = state_->transcript().place(place);
  state_->locate(number, location);
  state_->bytes().make_atomic(place.word, place.bytes);
}

}  // namespace heddle::engine
