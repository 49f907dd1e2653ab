// A lossless compression of the cells of one chunk of shadow memory. Cells are eight times as large as the program's
// memory; this is for memory that the program has not used for some time. Equal neighbours are stored once. Records
// that differ only in index and bytes share the rest, their kind.
//
// Format: the number of kinds, the kinds (records without index and bytes), then runs of equal cells:
//   number of cells (2 bytes), type of run (1 byte), flags (1 byte), and then, for the type
//     nothing     no further bytes: the cells have no records of this execution
//     one, two    records: the kind (1 byte), bytes (1 byte), index (4 bytes)
//     whole       the bytes of the cell, for cells that none of the other types can describe
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "races/cell.hpp"

namespace heddle::races {

/// An upper bound of the compressed size of `cells` cells.
constexpr std::size_t largest_folded_size(std::size_t cells) { return 4096 + cells * (sizeof(Cell) + 4); }

/// Compresses the cells that have records of this execution into `out`. Returns the number of bytes, or 0 if no cell
/// has any.
std::size_t fold_cells(std::span<const Cell> cells, std::uint32_t execution, std::byte* out);
/// Restores cells that fold_cells() compressed in the same execution.
void unfold_cells(const std::byte* from, std::uint32_t execution, std::span<Cell> cells);

/// An upper bound of what fold_alike() writes.
inline constexpr std::size_t largest_folded_alike = 64;
/// Whether fold_alike() can describe such cells: they have one or two records and no flags.
bool can_fold_alike(const Cell& cell);
/// Compresses `cells` copies of one cell, in the format of fold_cells(). Returns the number of bytes.
std::size_t fold_alike(const Cell& cell, std::size_t cells, std::byte* out);
/// The cell that all of the compressed cells are copies of. Returns false if they differ, or have flags.
bool unfold_alike(const std::byte* from, std::uint32_t execution, std::size_t cells, Cell& out);

}  // namespace heddle::races
