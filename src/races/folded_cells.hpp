// The cells of a chunk of shadow memory, folded: what a program touched once and left alone need not cost eight times
// its size. Neighbours that say the same are told once, and of the rest only what tells them apart; nothing is lost.
//
// Bytes: the number of kinds, the kinds (records without index and bytes), then runs of cells:
//   how many cells (2 bytes), what they are (1 byte), flags (1 byte), and for
//     nothing     no more
//     one, two    records: the kind (1 byte), bytes (1 byte), index (4 bytes)
//     whole       the cell as it is, for all that does not fit
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "races/cell.hpp"

namespace heddle::races {

/// The most that a chunk of so many cells takes.
constexpr std::size_t largest_folded_size(std::size_t cells) { return 4096 + cells * (sizeof(Cell) + 4); }

/// Writes the cells that speak of this execution to `out`; returns how many bytes, 0 if there are none.
std::size_t fold_cells(std::span<const Cell> cells, std::uint32_t execution, std::byte* out);
/// The reverse.
void unfold_cells(const std::byte* from, std::uint32_t execution, std::span<Cell> cells);

}  // namespace heddle::races
