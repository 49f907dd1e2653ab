// An answer of heddle fix or weaken as a change of the source: a unified diff, which `patch -p1` and `git apply` take,
// and the files as they are afterwards.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "orders/order_results.hpp"
#include "orders/source_edit.hpp"

namespace heddle::orders {

struct EditedFile {
  std::string path;
  std::string text;             ///< as it is now
  std::vector<TextEdit> edits;  ///< at least one
};

/// A change that a person has to make.
struct ChangeByHand {
  std::size_t change = 0;  ///< in OrderAnswer::changes
  std::string why;         ///< a clause
  std::string line;        ///< of the source, without spaces around it; empty: it cannot be read
};

struct SourceDiff {
  std::vector<EditedFile> files;  ///< by path
  std::vector<ChangeByHand> by_hand;
};

SourceDiff source_diff(const OrderAnswer& answer, const SiteList& sites);

/// With names relative to `folder`, if the file lies below it.
std::string unified_diff(const EditedFile& file, const std::string& folder);

}  // namespace heddle::orders
