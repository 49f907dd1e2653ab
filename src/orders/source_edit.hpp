// Edits of source text that change memory orders: the argument of a call is replaced or added, a fence is removed or
// put before or after a statement.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "findings/explanation.hpp"
#include "orders/lattice.hpp"
#include "orders/source_call.hpp"

namespace heddle::orders {

/// A change of one operation at a place of the source.
struct PlacedChange {
  findings::SourcePlace place;
  SiteOperation operation = SiteOperation::load;  ///< the last two add a fence
  MemoryOrder from = MemoryOrder::relaxed;        ///< that the program has passed; an added fence: none
  MemoryOrder to = MemoryOrder::relaxed;
};

struct TextEdit {
  TextRange range;
  std::string text;
};

/// A change that the text does not allow.
struct UneditedChange {
  std::size_t change = 0;  ///< its position
  std::string why;         ///< a clause
};

struct FileEdits {
  std::vector<TextEdit> edits;  ///< sorted, and apart from each other
  std::vector<UneditedChange> unedited;
};

/// All changes are in this file.
FileEdits edit_orders(const SourceText& source, std::span<const PlacedChange> changes);

/// The text with the edits made.
std::string apply_edits(const std::string& text, std::span<const TextEdit> edits);

}  // namespace heddle::orders
