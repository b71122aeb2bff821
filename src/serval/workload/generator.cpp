#include "serval/workload/generator.h"

#include "serval/base/contract.h"

namespace serval {

TransactionPlan Generator::next(Random&, std::uint32_t) {
  expects(false, "the workload has plans");
  return {};
}

RowPlan Generator::next_rows(Random&, std::uint32_t) {
  expects(false, "the workload has plans over rows");
  return {};
}

std::unique_ptr<Script> Generator::next_script(Random& random, std::uint32_t session, KnownTags& known) {
  return play(next(random, session), known);
}

std::vector<std::string> Generator::broken_invariants(FinalState&) const { return {}; }

}  // namespace serval
