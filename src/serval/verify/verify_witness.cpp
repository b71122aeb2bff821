#include "serval/verify/verify_witness.h"

#include "serval/verify/facts.h"
#include "serval/verify/holds.h"
#include "serval/verify/violation.h"

namespace serval {

std::optional<std::string> verify_witness(const History& history, Level level, const Verdict& verdict,
                                          std::span<const std::int64_t> transaction_order) {
  if (const Holds* claim = std::get_if<Holds>(&verdict)) return verify::flaw_of(history, level, *claim);
  if (const Violated* claim = std::get_if<Violated>(&verdict))
    return verify::flaw_of(verify::Facts(history, transaction_order), level, *claim);
  return std::nullopt;
}

}  // namespace serval
