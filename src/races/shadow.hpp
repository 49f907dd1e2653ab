// Shadow memory: for every 8 bytes of the program that were accessed, who accessed them and when. A cell
// carries the number of the execution it speaks of, so a new execution starts clean without clearing anything.
//
// Cells lie in chunks, and only so many chunks are there as cells at a time: beyond, those that were not used for the
// longest time are folded (races/folded_cells.hpp), and come back when they are asked for. A cell is eight times as
// large as what it speaks of; a program with gigabytes of heap would need tens of them.
//
// Looking up a cell may fold another one: whoever holds a cell must not look up the next.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"
#include "base/fast_paths.hpp"
#include "races/cell.hpp"

namespace heddle::races {

class ShadowMemory {
 public:
  static constexpr std::uintptr_t cell_bytes = 8;
  /// Cells of 128 MiB of the program's memory: 1 GiB.
  static constexpr std::size_t usual_chunks = 8192;

  /// `forever` outlives executions: what was taken of it is used again, and never given back. `most_chunks` are there
  /// as cells at a time.
  explicit ShadowMemory(base::Arena& forever, std::size_t most_chunks = usual_chunks)
      : forever_(&forever), most_chunks_(most_chunks) {}

  void begin_execution(std::uint32_t execution) { execution_ = execution; }

  /// From now on `pulse` moves whenever an execution reaches memory that is new to it, and when folded cells come back:
  /// whoever fills or goes through gigabytes without any other sign of life is not stuck. One that goes round in little
  /// memory is, for all that anybody knows.
  void set_pulse(std::atomic<std::uint64_t>& pulse) { pulse_ = &pulse; }
  /// For signal handlers: who interrupts it now must not leave by a jump.
  bool is_changing() const { return is_changing_; }

  /// The cell of this address, whatever execution it speaks of.
  Cell& any_cell(std::uintptr_t address) {
    Cached& cached = cache_[(address >> chunk_shift) % cache_size];
    if (!base::fast_paths || cached.number != address >> chunk_shift) [[unlikely]]
      cached = Cached(find_or_add(address >> chunk_shift));
    return *cached.cell(address);
  }
  /// The cell of this address, made empty if it speaks of another execution.
  Cell& cell(std::uintptr_t address) {
    Cell& cell = any_cell(address);
    if (cell.execution != execution_) cell.begin(execution_);
    return cell;
  }

  /// The cell of this address, whatever execution it speaks of, if that takes no search; otherwise null.
  Cell* cached_cell(std::uintptr_t address) const {
    const Cached& cached = cache_[(address >> chunk_shift) % cache_size];
    return base::fast_paths && cached.number == address >> chunk_shift ? cached.cell(address) : nullptr;
  }

  /// The cell of this address if it speaks of this execution; otherwise null, and `next` is where to look on: nothing
  /// before it is of interest.
  Cell* existing_cell(std::uintptr_t address, std::uintptr_t& next) {
    Cell* cell = cached_cell(address);
    if (cell == nullptr) cell = find(address);
    next = cell == nullptr ? (address | chunk_mask) + 1 : address + cell_bytes;
    return cell != nullptr && cell->execution == execution_ ? cell : nullptr;
  }

 private:
  static constexpr unsigned chunk_shift = 14;
  static constexpr std::uintptr_t chunk_mask = (std::uintptr_t{1} << chunk_shift) - 1;
  static constexpr std::size_t cache_size = 1024;  // direct-mapped: 16 MiB of program memory without a search
  static constexpr std::size_t chunk_cells = (chunk_mask + 1) / cell_bytes;

  struct Chunk {
    std::uintptr_t number = 0;
    Cell cells[chunk_cells];
  };
  /// A chunk that was used lately.
  struct Cached {
    std::uintptr_t number = ~std::uintptr_t{0};
    std::uintptr_t cell_of_address_0 = 0;  ///< if the chunk reached down to there

    Cached() = default;
    explicit Cached(Chunk& chunk)
        : number(chunk.number), cell_of_address_0(reinterpret_cast<std::uintptr_t>(chunk.cells) -
                                                  (chunk.number << chunk_shift) / cell_bytes * sizeof(Cell)) {}
    Cell* cell(std::uintptr_t address) const {
      return reinterpret_cast<Cell*>(cell_of_address_0 + address / cell_bytes * sizeof(Cell));
    }
  };
  /// Folded cells, or room for some.
  struct Piece {
    Piece* next_free;
  };
  /// All that there is to know of a part of the program's memory.
  struct Entry {
    std::uintptr_t number = 0;
    Chunk* chunk = nullptr;   ///< its cells
    Piece* folded = nullptr;  ///< or what became of them; neither: nothing is known
    std::uint32_t folded_size = 0;
    std::uint32_t folded_in = 0;  ///< the execution
    std::uint32_t met_in = 0;     ///< the execution that was here last
    bool used = false;
  };

  /// Null: this execution has nothing there.
  Cell* find(std::uintptr_t address);
  [[gnu::cold, gnu::noinline]] Chunk& find_or_add(std::uintptr_t number);
  void beat();
  Entry* find_entry(std::uintptr_t number);
  Entry& add_entry(std::uintptr_t number);
  void grow_table();
  Chunk& unfold(Entry& entry);
  Chunk& unfold_into_chunk(Entry& entry);
  Chunk& take_chunk();
  void fold(Entry& entry);
  static std::size_t size_class(std::size_t size);
  Piece* take_piece(std::size_t size);
  void give_back(Entry& entry);

  base::Arena* forever_;
  std::size_t most_chunks_;
  std::uint32_t execution_ = 0;
  Cached cache_[cache_size];
  Entry* table_ = nullptr;  // open addressing, a power of two large
  std::size_t table_size_ = 0;
  std::size_t entries_ = 0;
  base::ArenaVector<Chunk*> chunks_;
  std::size_t next_to_fold_ = 0;  ///< among the chunks, round and round
  static constexpr std::size_t size_classes = 32;
  Piece* free_pieces_[size_classes] = {};
  std::byte* scratch_ = nullptr;
  std::atomic<std::uint64_t>* pulse_ = nullptr;
  volatile bool is_changing_ = false;
};

}  // namespace heddle::races
