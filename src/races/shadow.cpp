#include "races/shadow.hpp"

#include "races/folded_cells.hpp"

namespace heddle::races {

namespace {
std::size_t slot_of(std::uintptr_t number, std::size_t size) {
  return (number * 0x9e3779b97f4a7c15ULL >> 20) & (size - 1);
}

/// Memory for compressed cells is allocated in these sizes: 64, 96, 128, 192, 256, 384, ...
constexpr std::size_t class_size(std::size_t number) {
  return (std::size_t{64} << (number / 2)) + (number % 2 == 0 ? 0 : std::size_t{32} << (number / 2));
}
}  // namespace

void ShadowMemory::advance_pulse() {
  if (pulse_ == nullptr) return;
  pulse_->store(pulse_->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

ShadowMemory::Entry* ShadowMemory::find_entry(std::uintptr_t number) {
  if (table_size_ == 0) return nullptr;
  for (std::size_t slot = slot_of(number, table_size_); table_[slot].used; slot = (slot + 1) & (table_size_ - 1))
    if (table_[slot].number == number) return &table_[slot];
  return nullptr;
}

ShadowMemory::Entry& ShadowMemory::add_entry(std::uintptr_t number) {
  if (entries_ * 2 >= table_size_) grow_table();
  std::size_t slot = slot_of(number, table_size_);
  while (table_[slot].used) slot = (slot + 1) & (table_size_ - 1);
  ++entries_;
  table_[slot].number = number;
  table_[slot].used = true;
  return table_[slot];
}

void ShadowMemory::grow_table() {
  const std::size_t size = table_size_ == 0 ? 1024 : table_size_ * 2;
  auto table = forever_->create_array<Entry>(size);
  for (std::size_t i = 0; i < table_size_; ++i) {
    if (!table_[i].used) continue;
    std::size_t slot = slot_of(table_[i].number, size);
    while (table[slot].used) slot = (slot + 1) & (size - 1);
    table[slot] = table_[i];
  }
  table_ = table.data();
  table_size_ = size;
}

Cell* ShadowMemory::find(std::uintptr_t address) {
  const std::uintptr_t number = address >> chunk_shift;
  Entry* entry = find_entry(number);
  if (entry == nullptr) return nullptr;
  if (entry->chunk == nullptr) {
    if (entry->folded == nullptr || entry->folded_in != execution_) return nullptr;
    unfold(*entry);
  }
  Cached& cached = cache_[number % cache_size];
  cached = Cached(*entry->chunk);
  return cached.cell(address);
}

ShadowMemory::Chunk& ShadowMemory::find_or_add(std::uintptr_t number) {
  Entry* entry = find_entry(number);
  if (entry == nullptr) {
    is_changing_ = true;
    entry = &add_entry(number);
    is_changing_ = false;
  }
  if (entry->met_in != execution_) {
    entry->met_in = execution_;
    advance_pulse();
  }
  return entry->chunk != nullptr ? *entry->chunk : unfold(*entry);
}

bool ShadowMemory::find_alike(std::uintptr_t address, Cell& cell) {
  cell.begin(execution_);
  if (!base::fast_paths) return false;
  const Entry* entry = find_entry(address >> chunk_shift);
  if (entry == nullptr) return true;
  if (entry->chunk != nullptr) return false;
  if (entry->folded == nullptr || entry->folded_in != execution_) return true;
  return unfold_alike(reinterpret_cast<const std::byte*>(entry->folded), execution_, chunk_cells, cell);
}

bool ShadowMemory::set_alike(std::uintptr_t address, const Cell& cell) {
  if (!can_fold_alike(cell)) return false;
  const std::uintptr_t number = address >> chunk_shift;
  is_changing_ = true;
  Entry* entry = find_entry(number);
  if (entry == nullptr) entry = &add_entry(number);
  if (entry->met_in != execution_) {
    entry->met_in = execution_;
    advance_pulse();
  }
  if (entry->folded != nullptr && size_class(entry->folded_size) != size_class(largest_folded_alike)) give_back(*entry);
  if (entry->folded == nullptr) entry->folded = take_piece(largest_folded_alike);
  entry->folded_size = largest_folded_alike;
  entry->folded_in = execution_;
  fold_alike(cell, chunk_cells, reinterpret_cast<std::byte*>(entry->folded));
  is_changing_ = false;
  return true;
}

ShadowMemory::Chunk& ShadowMemory::unfold(Entry& entry) {
  advance_pulse();
  is_changing_ = true;
  Chunk& chunk = unfold_into_chunk(entry);
  is_changing_ = false;
  return chunk;
}

ShadowMemory::Chunk& ShadowMemory::unfold_into_chunk(Entry& entry) {
  Chunk& chunk = take_chunk();
  chunk.number = entry.number;
  entry.chunk = &chunk;
  if (entry.folded == nullptr) return chunk;
  if (entry.folded_in == execution_)
    unfold_cells(reinterpret_cast<const std::byte*>(entry.folded), execution_, chunk.cells);
  give_back(entry);
  return chunk;
}

/// A chunk whose cells have no records of this execution.
ShadowMemory::Chunk& ShadowMemory::take_chunk() {
  if (chunks_.size() < most_chunks_) return *chunks_.push_back(*forever_, forever_->create<Chunk>());
  for (;;) {
    Chunk& chunk = *chunks_[next_to_fold_];
    next_to_fold_ = (next_to_fold_ + 1) % chunks_.size();
    // A cached chunk was used since the last round. It leaves the cache and stays for another round.
    Cached& cached = cache_[chunk.number % cache_size];
    if (cached.number == chunk.number) {
      cached = {};
      continue;
    }
    fold(*find_entry(chunk.number));
    for (Cell& cell : chunk.cells) cell.execution = 0;
    return chunk;
  }
}

void ShadowMemory::fold(Entry& entry) {
  if (scratch_ == nullptr) scratch_ = forever_->create_array<std::byte>(largest_folded_size(chunk_cells)).data();
  const std::size_t size = fold_cells(entry.chunk->cells, execution_, scratch_);
  entry.chunk = nullptr;
  if (size == 0) return;
  entry.folded = take_piece(size);
  entry.folded_size = static_cast<std::uint32_t>(size);
  entry.folded_in = execution_;
  std::memcpy(static_cast<void*>(entry.folded), scratch_, size);
}

std::size_t ShadowMemory::size_class(std::size_t size) {
  std::size_t number = 0;
  while (class_size(number) < size) ++number;
  return number;
}

ShadowMemory::Piece* ShadowMemory::take_piece(std::size_t size) {
  static_assert(class_size(size_classes - 1) >= largest_folded_size(chunk_cells));
  const std::size_t number = size_class(size);
  Piece*& first = free_pieces_[number];
  if (first == nullptr) return static_cast<Piece*>(forever_->allocate(class_size(number), alignof(Piece)));
  Piece* piece = first;
  first = piece->next_free;
  return piece;
}

void ShadowMemory::give_back(Entry& entry) {
  Piece*& first = free_pieces_[size_class(entry.folded_size)];
  entry.folded->next_free = first;
  first = entry.folded;
  entry.folded = nullptr;
}

}  // namespace heddle::races
