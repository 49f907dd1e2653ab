// Shadow memory: a cell with the recorded accesses for every 8 bytes of the program that were accessed. A cell holds
// the number of its execution, so that a new execution need not clear the cells of earlier ones.
//
// Cells lie in chunks. Cells are eight times as large as the program's memory, so the number of chunks is limited.
// Beyond the limit, the chunk that was least recently used is compressed (races/folded_cells.hpp), until its next use.
//
// A lookup may compress another chunk. So a reference to a cell is invalid after the next lookup.
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
  /// 1 GiB of cells, for 128 MiB of the program's memory.
  static constexpr std::size_t usual_chunks = 8192;

  /// Allocates from `forever`, which outlives executions; memory is reused but never freed. Keeps at most `most_chunks`
  /// chunks uncompressed.
  explicit ShadowMemory(base::Arena& forever, std::size_t most_chunks = usual_chunks)
      : forever_(&forever), most_chunks_(most_chunks) {}

  void begin_execution(std::uint32_t execution) { execution_ = execution; }

  /// Increments `pulse` from now on when an execution accesses a chunk for the first time, and when a chunk is
  /// restored. The watchdog takes this as progress: a thread that fills or reads gigabytes without a visible event is
  /// not stuck. A loop over little memory does not increment it.
  void set_pulse(std::atomic<std::uint64_t>& pulse) { pulse_ = &pulse; }
  /// Whether a change is under way. A signal handler that interrupts it must return, and must not jump out.
  bool is_changing() const { return is_changing_; }

  /// The cell of this address, possibly with records of an earlier execution.
  Cell& any_cell(std::uintptr_t address) {
    Cached& cached = cache_[(address >> chunk_shift) % cache_size];
    if (!base::fast_paths || cached.number != address >> chunk_shift) [[unlikely]]
      cached = Cached(find_or_add(address >> chunk_shift));
    return *cached.cell(address);
  }
  /// The cell of this address, emptied if its records are of an earlier execution.
  Cell& cell(std::uintptr_t address) {
    Cell& cell = any_cell(address);
    if (cell.execution != execution_) cell.begin(execution_);
    return cell;
  }

  /// The cell of this address if its chunk is cached, possibly with records of an earlier execution; null otherwise.
  Cell* cached_cell(std::uintptr_t address) const {
    const Cached& cached = cache_[(address >> chunk_shift) % cache_size];
    return base::fast_paths && cached.number == address >> chunk_shift ? cached.cell(address) : nullptr;
  }

  /// The cell of this address if it has records of this execution, null otherwise. `next` becomes the next address that
  /// may have any.
  Cell* existing_cell(std::uintptr_t address, std::uintptr_t& next) {
    Cell* cell = cached_cell(address);
    if (cell == nullptr) cell = find(address);
    next = cell == nullptr ? (address | chunk_mask) + 1 : address + cell_bytes;
    return cell != nullptr && cell->execution == execution_ ? cell : nullptr;
  }

  static constexpr unsigned chunk_shift = 14;
  static constexpr std::size_t chunk_bytes = std::size_t{1} << chunk_shift;
  /// Accesses to large ranges need no cells of their own: a chunk whose cells are all alike stays compressed.
  /// Returns true if all cells of the chunk at `address` are alike, and gives one of them, which has no records if the
  /// chunk has none of this execution.
  [[gnu::noinline]] bool find_alike(std::uintptr_t address, Cell& cell);
  /// Makes all cells of the chunk copies of `cell`, after find_alike() returned true. Returns false, without side
  /// effects, if they cannot be kept compressed.
  [[gnu::noinline]] bool set_alike(std::uintptr_t address, const Cell& cell);

 private:
  static constexpr std::uintptr_t chunk_mask = (std::uintptr_t{1} << chunk_shift) - 1;
  static constexpr std::size_t cache_size = 1024;  // direct-mapped: 16 MiB of program memory without a search
  static constexpr std::size_t chunk_cells = (chunk_mask + 1) / cell_bytes;

  struct Chunk {
    std::uintptr_t number = 0;
    Cell cells[chunk_cells];
  };
  /// The place of a recently used chunk.
  struct Cached {
    std::uintptr_t number = ~std::uintptr_t{0};
    std::uintptr_t cell_of_address_0 = 0;  ///< where the chunk would have to begin, so that an address is an index

    Cached() = default;
    explicit Cached(Chunk& chunk)
        : number(chunk.number), cell_of_address_0(reinterpret_cast<std::uintptr_t>(chunk.cells) -
                                                  (chunk.number << chunk_shift) / cell_bytes * sizeof(Cell)) {}
    Cell* cell(std::uintptr_t address) const {
      return reinterpret_cast<Cell*>(cell_of_address_0 + address / cell_bytes * sizeof(Cell));
    }
  };
  /// Compressed cells, or free memory for some.
  struct Piece {
    Piece* next_free;
  };
  /// A chunk, compressed or not, in the table of chunks.
  struct Entry {
    std::uintptr_t number = 0;
    Chunk* chunk = nullptr;   ///< the cells, if they are not compressed
    Piece* folded = nullptr;  ///< the compressed cells; if both are null, there are no records
    std::uint32_t folded_size = 0;
    std::uint32_t folded_in = 0;  ///< the execution of the compressed cells
    std::uint32_t met_in = 0;     ///< the last execution that accessed the chunk
    bool used = false;
  };

  /// The cell of this address; null if the chunk has no records of this execution.
  Cell* find(std::uintptr_t address);
  [[gnu::cold, gnu::noinline]] Chunk& find_or_add(std::uintptr_t number);
  void advance_pulse();
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
  Entry* table_ = nullptr;  // open addressing; the size is a power of two
  std::size_t table_size_ = 0;
  std::size_t entries_ = 0;
  base::ArenaVector<Chunk*> chunks_;
  std::size_t next_to_fold_ = 0;  ///< index into chunks_; advances cyclically
  static constexpr std::size_t size_classes = 32;
  Piece* free_pieces_[size_classes] = {};
  std::byte* scratch_ = nullptr;
  std::atomic<std::uint64_t>* pulse_ = nullptr;
  volatile bool is_changing_ = false;
};

}  // namespace heddle::races
