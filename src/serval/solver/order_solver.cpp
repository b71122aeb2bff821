#include "serval/solver/order_solver.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "serval/base/contract.h"
#include "serval/solver/search.h"

namespace serval {

// The search, and the variable for each pair of vertices (smaller vertex first).
class OrderSolver::Implementation {
 public:
  Implementation(const CsrGraph& known, const std::vector<Vertex>& order, Budget& budget, SolverLimits limits)
      : search(known, order, budget, limits) {}

  Literal before(Vertex u, Vertex v) {
    expects(u != v, "two vertices");
    const std::uint64_t pair = std::uint64_t{std::min(u, v)} << 32 | std::max(u, v);
    const auto [entry, added] = statements.try_emplace(pair);
    if (added) entry->second = search.add_statement(std::min(u, v), std::max(u, v));
    return u < v ? entry->second : !entry->second;
  }

  Search search;
  absl::flat_hash_map<std::uint64_t, Literal> statements;
};

OrderSolver::OrderSolver(const CsrGraph& known, const std::vector<Vertex>& order, Budget& budget,
                         SolverLimits limits)
    : implementation_(std::make_unique<Implementation>(known, order, budget, limits)) {}
OrderSolver::OrderSolver(OrderSolver&&) noexcept = default;
OrderSolver& OrderSolver::operator=(OrderSolver&&) noexcept = default;
OrderSolver::~OrderSolver() = default;

Literal OrderSolver::before(Vertex u, Vertex v) { return implementation_->before(u, v); }
Literal OrderSolver::choice() { return implementation_->search.add_choice(); }
std::uint32_t OrderSolver::add_clause(std::span<const Literal> clause) {
  return implementation_->search.add_clause(clause);
}
bool OrderSolver::solve() { return implementation_->search.solve(); }
std::span<const std::uint32_t> OrderSolver::rank() const noexcept { return implementation_->search.rank(); }
bool OrderSolver::is_true(Literal literal) const { return implementation_->search.is_true(literal); }
Refutation OrderSolver::refutation() const { return implementation_->search.refutation(); }
SolverStatistics OrderSolver::statistics() const noexcept { return implementation_->search.statistics(); }

}  // namespace serval
