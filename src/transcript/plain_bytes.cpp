#include "transcript/plain_bytes.hpp"

#include "base/hash.hpp"

namespace heddle::transcript {

using Kind = PlainAccess::Kind;

std::uint64_t bits_of(Bytes bytes) {
  std::uint64_t bits = bytes;  // one bit a byte, which is spread to the byte's lowest bit, and multiplied
  bits = (bits | bits << 28) & 0x0000000f0000000fULL;
  bits = (bits | bits << 14) & 0x0003000300030003ULL;
  bits = (bits | bits << 7) & 0x0101010101010101ULL;
  return bits * 0xff;
}

/// Where in the table the word is, or would be.
std::size_t PlainBytes::slot_of(std::uintptr_t address) const {
  std::size_t at = (address / 8 * 0x9e3779b97f4a7c15ULL) % buckets;
  while (table_[at] != 0 && words_[table_[at] - 1].address != address) at = (at + 1) % buckets;
  return at;
}

bool PlainBytes::find(std::uintptr_t address, WordId& id) const {
  if (table_.empty()) return false;
  const std::uint32_t found = table_[slot_of(address)];
  if (found != 0) id = WordId{found - 1};
  return found != 0;
}

WordId PlainBytes::add(Word word) {
  if (table_.empty()) table_ = arena_.create_array<std::uint32_t>(buckets);
  word.value = word.initial;
  word.known = word.has_initial;
  const std::size_t at = slot_of(word.address);
  words_.push_back(arena_, word);
  contents_ ^= hash_of(word);
  table_[at] = static_cast<std::uint32_t>(words_.size());
  return WordId{table_[at] - 1};
}

/// The hash of a word of which nothing can be found is 0.
std::uint64_t PlainBytes::hash_of(const Word& word) {
  const auto found = static_cast<Bytes>(word.used & word.known & ~(word.is_atomic | word.is_freed));
  if (found == 0 || (word.stack_of != graph::no_thread && !word.is_shared)) return 0;
  return base::hash_words(word.address, word.value & bits_of(found), found);
}

void PlainBytes::use(WordId id, Bytes bytes) {
  Word& word = words_[number(id)];
  contents_ ^= hash_of(word);
  word.used |= bytes;
  contents_ ^= hash_of(word);
}

void PlainBytes::share(WordId id) {
  Word& word = words_[number(id)];
  contents_ ^= hash_of(word);
  word.is_shared = true;
  contents_ ^= hash_of(word);
}

/// Logs the word as it is, and one of its records, before a change. It is followed by changed().
PlainBytes::Word& PlainBytes::change(WordId id, std::uint32_t record) {
  Word& word = words_[number(id)];
  Change& change = log_.add_uninitialised(arena_);
  change.word = id;
  change.records = static_cast<std::uint32_t>(word.records.size());
  change.changed_record = record;
  if (record != no_record) change.record = word.records[record];
  change.contents = contents_;
  change.value = word.value;
  change.known = word.known;
  change.foreign = word.foreign;
  change.is_atomic = word.is_atomic;
  change.is_freed = word.is_freed;
  contents_ ^= hash_of(word);
  return word;
}

void PlainBytes::changed(const Word& word) { contents_ ^= hash_of(word); }

void PlainBytes::take_back(std::uint32_t moment) {
  while (log_.size() > moment) {
    const Change& change = log_.back();
    Word& word = words_[number(change.word)];
    word.records.truncate(change.records);
    if (change.changed_record != no_record) word.records[change.changed_record] = change.record;
    word.value = change.value;
    word.known = change.known;
    word.foreign = change.foreign;
    word.is_atomic = change.is_atomic;
    word.is_freed = change.is_freed;
    contents_ = change.contents;
    log_.pop_back();
  }
}

bool PlainBytes::conflicts(const Word& word, Bytes bytes, bool writes, const Author& author) {
  for (const Record& record : word.records)
    if (record.thread != author.thread && (record.bytes & bytes) != 0 && (record.is_write || writes) &&
        (*author.clock)[number(record.thread)] < record.index)
      return true;
  return false;
}

/// On its own stack, a thread finds what other threads have left there.
bool PlainBytes::finds(const PlainAccess& access, graph::ThreadId thread) const {
  const Word& word = words_[number(access.word)];
  if (word.stack_of == thread && access.may_find() && (access.bytes & word.foreign) != access.found_bytes) return false;
  return holds(access.word, access.found_bytes, access.found);
}

bool PlainBytes::is_ordinary(const PlainAccess& access, const Author& author) const {
  const Word& word = words_[number(access.word)];
  if (!access.has_record()) return true;
  if ((word.is_freed & access.bytes) != 0) return false;
  if (access.kind != Kind::deallocation && (word.is_atomic & access.bytes) != 0) return false;
  return !conflicts(word, access.bytes, access.writes(), author);
}

bool PlainBytes::races_with_atomic(WordId id, Bytes bytes, bool writes, const Author& author) const {
  const Word& word = words_[number(id)];
  return (word.is_freed & bytes) != 0 || conflicts(word, bytes, writes, author);
}

void PlainBytes::add(const PlainAccess& access, const Author& author) {
  if (access.kind == Kind::unseen_write) set_value(access.word, access.bytes, access.left, author.thread);
  if (!access.has_record()) return;
  const Word& seen = words_[number(access.word)];
  std::uint32_t same = no_record;
  for (std::uint32_t i = 0; i < seen.records.size(); ++i)
    if (seen.records[i].thread == author.thread && seen.records[i].is_write == access.writes() &&
        seen.records[i].bytes == access.bytes)
      same = i;
  Word& word = change(access.word, same);
  Record& record = same != no_record ? word.records[same] : word.records.add_uninitialised(arena_);
  record = {author.thread, author.index, now(), access.bytes, access.writes(), access.stack, access.site};
  if (access.kind == Kind::deallocation) word.is_freed |= access.bytes;
  changed(word);
  if (access.writes()) set_value(access.word, access.bytes, access.left, author.thread);
}

void PlainBytes::set_value(WordId id, Bytes bytes, std::uint64_t value, graph::ThreadId writer) {
  Word& word = change(id);
  const std::uint64_t bits = bits_of(bytes);
  word.value = (word.value & ~bits) | (value & bits);
  word.known |= bytes;
  if (word.stack_of != graph::no_thread)
    word.foreign = static_cast<Bytes>(writer == word.stack_of ? word.foreign & ~bytes : word.foreign | bytes);
  changed(word);
}

void PlainBytes::make_atomic(WordId id, Bytes bytes) {
  Word& word = change(id);
  word.is_atomic |= bytes;
  changed(word);
}

const PlainBytes::Record* PlainBytes::newest_write(WordId id, Bytes bytes) const {
  const Record* newest = nullptr;
  for (const Record& record : words_[number(id)].records)
    if (record.is_write && (record.bytes & bytes) != 0 && (newest == nullptr || record.moment > newest->moment))
      newest = &record;
  return newest;
}

Bytes PlainBytes::differing(WordId id, std::uint64_t value) const {
  const Word& word = words_[number(id)];
  const std::uint64_t difference = word.value ^ value;
  Bytes bytes = static_cast<Bytes>(~word.known);
  for (unsigned i = 0; i < 8; ++i)
    if ((difference >> (8 * i) & 0xff) != 0) bytes |= static_cast<Bytes>(1U << i);
  return bytes;
}

}  // namespace heddle::transcript
