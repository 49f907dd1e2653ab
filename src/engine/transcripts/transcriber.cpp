#include "engine/transcripts/transcriber.hpp"

#include <sys/auxv.h>

#include <cstring>

#include "base/hash.hpp"
#include "engine/isolation/address_space.hpp"
#include "engine/operations/operation.hpp"

namespace heddle::engine {

using transcript::Action;
using transcript::Cursor;
using transcript::Segment;
using transcript::WordId;
using Kind = transcript::PlainAccess::Kind;

namespace {

// When half of it is used, the transcript begins anew.
constexpr std::size_t transcript_memory = std::size_t{128} << 20;
constexpr std::size_t least_transcript_memory = std::size_t{32} << 20;
constexpr std::size_t largest_hashed_heap = std::size_t{16} << 10;
// A program that needs more runs without a transcript.
constexpr std::uint32_t most_beginnings = 64;

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

/// The new transcript knows the listed words from the beginning. Words of blocks that an execution allocates are left
/// out: they come in when the block is allocated.
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

/// Begins a new transcript if the full one has replaced an execution, and stops transcribing otherwise.
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
    waiting.loop_length = graph_.thread(self.id).index - self.loops.waiting.begin();
  waiting.failed_emulations = self.loops.retries.failures;
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
  const std::uint64_t loops = base::hash_words(self.loops.waiting.hash(), retry_loops_.hash_of_window(self));
  return base::hash_words(self.local_state, self.name, heap, counts, lists, failures, loops) | 1;
}

/// Whether a loop waits may depend on memory that the thread has not read itself.
void Transcriber::record_looks() {
  if (!retry_loops_.has_noted_all_looks()) mark_opaque();
  for (const ProgramMemory::Read& look : retry_loops_.looks()) record_access(Kind::look, look.address, look.size, 0, 0);
}

void Transcriber::arrive(const ProgramThread& self) {
  if (reads(self.pending.kind)) record_looks();
  settle_writes();
  frames_ = find_frames(self);
  for (std::uint32_t i = 0; i < state_->bytes().size() && !begins_anew_; ++i) record_unseen_write(WordId{i});
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

void Transcriber::record_spurious_failure(memory::SpuriousFailure spurious_failure) {
  if (begins_anew_) return;
  auto& known = state_->cursor(threads_.current().id).segment->future->spurious_failure;
  if (known && *known != spurious_failure) return give_up();
  known = spurious_failure;
}

void Transcriber::record_child(const ProgramThread& child, bool is_detached) {
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
