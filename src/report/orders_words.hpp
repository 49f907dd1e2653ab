// Words that all reports of heddle orders, fix and weaken share.
#pragma once

#include <string>

#include "orders/order_results.hpp"
#include "orders/source_diff.hpp"

namespace heddle::report {

/// "ring.hpp:50:14", "libring.so+0x1a2c in push"; relative to the working folder.
std::string site_place(const orders::OrderSite& site);
/// "relaxed -> release", "none" for a fence that is left out or was not there.
std::string change_text(const orders::SiteChange& change);
/// "store", "fence before the load".
std::string operation_text(const orders::SiteChange& change, const orders::OrderSite& site);
/// "x86-64: xchg / mov+mfence -> mov; Armv8: stlr -> str", "the same instructions".
std::string cost_text(const orders::SiteChange& change);
/// "proved: all 12 execution graphs were explored", "sampled: ...".
std::string certificate_text(const orders::Certificate& certificate);
/// Of all programs, in one clause.
std::string certificates_text(const std::vector<orders::Certificate>& certificates);
/// "not needed: no weaker order breaks anything in these programs".
std::string verdict_text(const orders::AuditedSite& audited);
/// "acquire, seq_cst".
std::string orders_seen_text(const orders::OrderSite& site);
/// What would be enough, or what breaks, for tables: "acq_rel is enough", "relaxed: data race on `x`".
std::string reason_text(const orders::AuditedSite& audited, const orders::OrderSite& site);
/// The sentence that every report ends with.
std::string scope_text(const orders::OrderResults& results);
std::string working_folder();

}  // namespace heddle::report
