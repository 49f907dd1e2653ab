#include "report/orders_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "orders/cost.hpp"
#include "report/text.hpp"

namespace heddle::report {

using orders::Certificate;
using orders::Judgement;
using orders::OrderSite;
using orders::SiteChange;
using orders::SiteOperation;
using orders::SiteVerdict;

namespace {

/// "mov -> xchg"; empty: both are the same.
std::string instructions_text(const char* machine, const std::string& before, const std::string& after) {
  if (before == after) return "";
  const auto shown = [](const std::string& instructions) { return instructions.empty() ? "nothing" : instructions; };
  return fmt::format("{}: {} -> {}", machine, shown(before), shown(after));
}

/// What a change to each order that is right, or wrong, means.
std::string first_bug(const orders::AuditedSite& audited) {
  for (const orders::WeakerOrder& weaker : audited.weaker)
    if (weaker.judgement == Judgement::wrong && !weaker.bugs.empty())
      return fmt::format("{}: {}", orders::name_of(weaker.order), weaker.bugs[0].message);
  return "";
}

std::string orders_with(const orders::AuditedSite& audited, Judgement judgement) {
  std::string text;
  for (const orders::WeakerOrder& weaker : audited.weaker)
    if (weaker.judgement == judgement) text += (text.empty() ? "" : ", ") + std::string(orders::name_of(weaker.order));
  return text;
}

}  // namespace

std::string working_folder() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

std::string site_place(const OrderSite& site) {
  if (site.place.line == 0) {
    std::string text = fmt::format("{}+{:#x}", short_path(site.path), site.offset);
    if (!site.place.function.empty()) text += " in " + short_function_name(site.place.function);
    return printable(text, Controls::escape);
  }
  std::string text = fmt::format("{}:{}", short_path(site.place.file), site.place.line);
  if (site.place.column != 0) text += fmt::format(":{}", site.place.column);
  return printable(text, Controls::escape);
}

std::string change_text(const SiteChange& change) {
  return fmt::format("{} -> {}", orders::name_of(change.from), orders::name_of(change.to));
}

std::string operation_text(const SiteChange& change, const OrderSite& site) {
  if (change.operation == site.operation) return orders::name_of(change.operation);
  return fmt::format("{} the {}", orders::name_of(change.operation), orders::name_of(site.operation));
}

std::string cost_text(const SiteChange& change) {
  const orders::SiteCost before = orders::cost_of(change.operation, change.from),
                         after = orders::cost_of(change.operation, change.to);
  std::string text;
  for (const std::string& machine :
       {instructions_text("x86-64", before.x86, after.x86), instructions_text("Armv8.0", before.arm, after.arm),
        before.arm_lse == before.arm && after.arm_lse == after.arm
            ? std::string()
            : instructions_text("Armv8.1", before.arm_lse, after.arm_lse)})
    if (!machine.empty()) text += (text.empty() ? "" : "; ") + machine;
  return text.empty() ? "the same instructions" : text;
}

std::string certificate_text(const Certificate& certificate) {
  if (certificate.is_proved)
    return fmt::format("proved: all {} execution graph{} explored", certificate.executions,
                       certificate.executions == 1 ? " was" : "s were");
  std::string text = fmt::format("sampled: {} executions showed no bug", certificate.executions);
  if (certificate.unseen)
    text +=
        fmt::format(", and the next one shows something new with a probability of about {:.2g}", *certificate.unseen);
  return text;
}

std::string certificates_text(const std::vector<Certificate>& certificates) {
  std::string text;
  for (const Certificate& certificate : certificates)
    text += (text.empty() ? "" : "; ") + certificate_text(certificate);
  return text;
}

std::string verdict_text(const orders::AuditedSite& audited) {
  switch (audited.verdict) {
    case SiteVerdict::relaxed: return "relaxed: nothing is weaker";
    case SiteVerdict::needed: return "needed: each weaker order breaks something";
    case SiteVerdict::too_strong: return "too strong: a weaker order is enough for these programs";
    case SiteVerdict::not_needed: return "not needed: no weaker order breaks anything in these programs";
    case SiteVerdict::not_reached:
      return "not reached: only one thread accesses the variable in each execution, so that these programs cannot tell";
    case SiteVerdict::too_weak: return "too weak: a finding goes away if the order is stronger";
    case SiteVerdict::never_executed: return "never executed by these programs";
    case SiteVerdict::several_orders:
      return "several orders: the program passes several orders here, so it was not changed";
    case SiteVerdict::not_wanted: return "left out by --site";
    case SiteVerdict::unknown: return "unknown: the executions were not enough for a judgement";
  }
  return "";
}

std::string orders_seen_text(const OrderSite& site) {
  std::string text;
  for (unsigned i = 0; i <= static_cast<unsigned>(graph::MemoryOrder::seq_cst); ++i)
    if ((site.orders_seen >> i & 1U) != 0)
      text += (text.empty() ? "" : ", ") + std::string(orders::name_of(static_cast<graph::MemoryOrder>(i)));
  return text;
}

std::string reason_text(const orders::AuditedSite& audited, const OrderSite& site) {
  switch (audited.verdict) {
    case SiteVerdict::needed: return first_bug(audited);
    case SiteVerdict::too_strong:
      return fmt::format("{} is enough; {}", orders_with(audited, Judgement::right), first_bug(audited));
    case SiteVerdict::not_needed:
    case SiteVerdict::not_reached: {
      bool is_proved = true;
      for (const orders::WeakerOrder& weaker : audited.weaker)
        for (const Certificate& certificate : weaker.certificates) is_proved &= certificate.is_proved;
      return fmt::format("{} is enough, {}", orders_with(audited, Judgement::right),
                         is_proved ? "proved" : "as far as was sampled");
    }
    case SiteVerdict::too_weak:
      return audited.enough ? fmt::format("{} cures it", orders::name_of(*audited.enough)) : "";
    case SiteVerdict::several_orders: return "the program passes " + orders_seen_text(site);
    case SiteVerdict::unknown:
      for (const orders::WeakerOrder& weaker : audited.weaker)
        if (!weaker.problem.empty()) return weaker.problem;
      return "";
    default: return "";
  }
}

std::string scope_text(const orders::OrderResults& results) {
  return fmt::format("This holds for {} only: another client may need stronger orders.",
                     results.programs.size() == 1 ? "this program with these arguments" : "these programs");
}

}  // namespace heddle::report
