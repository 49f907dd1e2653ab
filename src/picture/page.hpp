// Pages in HTML, each in one file that needs no other: pictures with their stories, and the report of a campaign.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "picture/edges.hpp"
#include "picture/picture.hpp"

namespace heddle::picture {

/// The picture of one finding of a report.
struct FindingPicture {
  std::uint64_t key = 0;  ///< of the finding
  Picture picture;
  /// A JSON report whose only finding is this one, if it says more than the report of the page; empty: it does not.
  std::string report = {};
};

/// What a page shows.
struct PageContent {
  std::string title;
  std::string report;  ///< the JSON report of the run
  std::vector<FindingPicture> pictures;
  std::vector<Relation> relations;  ///< that are shown at first
};

/// A page on one execution. `content` has one picture. A problem says that heddle was built without pages.
Result<std::string> execution_page(const PageContent& content);
/// A page on a campaign.
Result<std::string> campaign_page(const PageContent& content);

/// Nothing, or why there are no pages.
Outcome check_pages();

}  // namespace heddle::picture
