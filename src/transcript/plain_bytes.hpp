// The program's plain memory, as far as threads share it, while executions are made from a transcript. It answers two
// questions: what would a plain read find, and does an access race?
//
// Memory is kept in words of eight aligned bytes, which are numbered when they are first seen, and keep their number
// and their initial value in all executions. The rest of a word belongs to the execution. Each change is logged, so
// that the execution can be taken back to an earlier moment.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "base/vector_clock.hpp"
#include "graph/event.hpp"

namespace heddle::transcript {

enum class WordId : std::uint32_t {};
constexpr std::uint32_t number(WordId id) { return static_cast<std::uint32_t>(id); }

/// A bit for each byte of a word.
using Bytes = std::uint8_t;
/// Their bits, of the word's value.
std::uint64_t bits_of(Bytes bytes);

/// A plain access of a thread to bytes of one word.
struct PlainAccess {
  enum class Kind : std::uint8_t {
    read,
    write,
    allocation,    ///< a write that finds nothing
    deallocation,  ///< a write after which the bytes must not be accessed any more
    look,          ///< not an access: the thread's further way depends on what a read would find
    unseen_write,  ///< the thread has written without an announcement; there is no record of it
  };
  WordId word{};
  Kind kind = Kind::read;
  Bytes bytes = 0;
  /// The bytes of `found` that were there before the access. The thread's further way may depend on them. Compilers do
  /// not announce a read that is followed by a write, so this holds for writes, too.
  Bytes found_bytes = 0;
  std::uint32_t stack = 0;
  std::uint64_t site = 0;
  std::uint64_t found = 0;
  std::uint64_t left = 0;  ///< the value that a write left

  bool writes() const { return kind != Kind::read && kind != Kind::look; }
  bool may_find() const { return kind == Kind::read || kind == Kind::write || kind == Kind::look; }
  /// The race check knows of the access.
  bool has_record() const { return kind != Kind::look && kind != Kind::unseen_write; }
  friend bool operator==(const PlainAccess&, const PlainAccess&) = default;
};

/// Who makes an access: the thread, the index of its plain accesses, and what happens before them.
struct Author {
  graph::ThreadId thread;
  std::uint32_t index;
  const base::VectorClock* clock;
};

class PlainBytes {
 public:
  /// One access of the execution to a word. A later access of the same thread and kind to the same bytes replaces it.
  struct Record {
    graph::ThreadId thread;
    std::uint32_t index;
    std::uint32_t moment;  ///< records of one execution are ordered by this
    Bytes bytes;
    bool is_write;
    std::uint32_t stack;
    std::uint64_t site;
  };
  struct Word {
    std::uintptr_t address = 0;
    std::uint64_t initial = 0;
    /// The bytes whose initial value is known. Those of stacks are not: frames come and go without notice. Nor are
    /// those of blocks that an execution allocates.
    Bytes has_initial = 0;
    graph::ThreadId stack_of = graph::no_thread;  ///< the thread on whose stack it is
    bool is_constant = false;                     ///< no thread can write to it

    // Of the transcript: see engine/transcripts/transcriber.hpp.
    Bytes used = 0;
    bool is_shared = false;
    bool is_watched = false;
    bool has_changed_unseen = false;
    std::uint64_t seen = 0;

    // Of the execution:
    std::uint64_t value = 0;
    Bytes known = 0;      ///< the bytes whose value is known
    Bytes foreign = 0;    ///< of a stack: the bytes that another thread wrote last
    Bytes is_atomic = 0;  ///< the bytes that are locations of the graph
    Bytes is_freed = 0;
    base::ArenaVector<Record> records;
  };

  /// The arena outlives executions.
  explicit PlainBytes(base::Arena& arena) : arena_(arena) {}

  /// Finds the word at this address, which is a multiple of eight. False: there is none.
  bool find(std::uintptr_t address, WordId& id) const;
  /// Adds a word that is not there. Its members that do not belong to the execution are set.
  WordId add(Word word);
  bool is_full() const { return words_.size() >= most_words; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }
  const Word& word(WordId id) const { return words_[number(id)]; }
  /// The bytes are used from now on.
  void use(WordId id, Bytes bytes);
  /// Another thread than that of its stack accesses the word.
  void share(WordId id);
  /// For the members that are not the execution's, other than those above.
  Word& word(WordId id) { return words_[number(id)]; }

  /// Takes the access back to the beginning of the execution.
  void clear() { take_back(0); }
  /// A hash of what the threads may find in the used bytes of all words but those on stacks that only their thread
  /// accesses.
  std::uint64_t contents() const { return contents_; }
  /// The moment to which take_back() returns.
  std::uint32_t now() const { return static_cast<std::uint32_t>(log_.size()); }
  void take_back(std::uint32_t moment);

  /// Whether an access to the word would find this value. False also if it is not known what it would find.
  bool holds(WordId id, Bytes bytes, std::uint64_t value) const {
    const Word& word = words_[number(id)];
    return (word.known & bytes) == bytes && ((word.value ^ value) & bits_of(bytes)) == 0;
  }
  /// Whether an access of the thread would find what this one found.
  bool finds(const PlainAccess& access, graph::ThreadId thread) const;
  /// Whether the access is an ordinary one: it conflicts with no other access, and the bytes are neither freed nor a
  /// location of the graph.
  bool is_ordinary(const PlainAccess& access, const Author& author) const;
  /// Whether an atomic access to the bytes conflicts with a plain one.
  bool races_with_atomic(WordId id, Bytes bytes, bool writes, const Author& author) const;
  /// Adds the access, and the value that it left.
  void add(const PlainAccess& access, const Author& author);
  /// Sets the value of bytes that the newest access wrote.
  void set_value(WordId id, Bytes bytes, std::uint64_t value, graph::ThreadId writer);
  /// The bytes are a location of the graph from now on.
  void make_atomic(WordId id, Bytes bytes);
  /// The newest write to any of the bytes; null if there is none.
  const Record* newest_write(WordId id, Bytes bytes) const;
  /// The bytes whose value is not known to be this one.
  Bytes differing(WordId id, std::uint64_t value) const;

 private:
  static constexpr std::size_t most_words = std::size_t{1} << 14;
  static constexpr std::size_t buckets = 2 * most_words;
  static constexpr std::uint32_t no_record = 0xffffffffU;

  /// What a word was before a change.
  struct Change {
    WordId word;
    std::uint32_t records;
    std::uint32_t changed_record;  ///< no_record: none
    Record record;
    std::uint64_t contents;
    std::uint64_t value;
    Bytes known, foreign, is_atomic, is_freed;
  };
  std::size_t slot_of(std::uintptr_t address) const;
  Word& change(WordId id, std::uint32_t record = no_record);
  void changed(const Word& word);
  static std::uint64_t hash_of(const Word& word);
  static bool conflicts(const Word& word, Bytes bytes, bool writes, const Author& author);

  base::Arena& arena_;
  base::ArenaVector<Word> words_;
  std::span<std::uint32_t> table_;  ///< by hash of the address: the word's number plus 1; 0: free
  base::ArenaVector<Change> log_;
  std::uint64_t contents_ = 0;
};

}  // namespace heddle::transcript
