#pragma once
// Finds a total order of the vertices of an acyclic graph that extends its edges and satisfies clauses over
// statements "u comes before v", or shows that there is none.
//
//   OrderSolver solver(known, topological_order(known, budget), budget);
//   solver.add_clause({solver.before(2, 1), solver.before(3, 2)});   // 2 < 1 or 3 < 2
//   while (solver.solve()) {
//     // look at solver.rank(): add clauses that it violates; stop when there are none
//   }
//
// A conflict-driven search (CDCL: Marques-Silva & Sakallah 1999, Moskewicz et al. 2001, Eén & Sörensson
// 2003) over the clauses, combined with one total order that agrees with the known edges and with every
// statement assigned true (DynamicOrder). A statement that closes a cycle is a conflict. Decisions are
// made only for clauses that the current order does not satisfy, so a nearly correct initial order costs
// almost nothing.
//
// Clauses may be added between calls of solve(); learned clauses are kept. Memory is linear in vertices,
// known edges and clauses; the cost of a call depends on what changed, not on the total size.
// Deterministic. Single-threaded.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "serval/base/budget.h"
#include "serval/graph/csr_graph.h"
#include "serval/solver/literal.h"

namespace serval {

// Why there is no order: these clauses (by the number that add_clause returned, ascending) contradict the
// known edges between these vertices (ascending; the ends of the statements that matter are among them).
struct Refutation {
  std::vector<std::uint32_t> clauses;
  std::vector<Vertex> vertices;
};

struct SolverStatistics {
  std::uint64_t variables = 0;
  std::uint64_t decisions = 0;
  std::uint64_t conflicts = 0;     // Both kinds: clauses and cycles.
  std::uint64_t cycles = 0;        // Conflicts due to a cycle.
  std::uint64_t propagations = 0;  // Statements assigned true, for any reason.
  std::uint64_t restarts = 0;
  std::uint64_t reorderings = 0;       // Statements that contradicted the order when assigned.
  std::uint64_t vertices_visited = 0;  // By searches for a new position in the order, or for a cycle.
};

// When the search restarts, switches strategy or forgets. Tests use small limits, so that small
// instances exercise everything.
struct SolverLimits {
  std::uint32_t restart_unit = 100;      // Conflicts, times Luby's sequence.
  std::uint32_t switch_period = 1000;    // Conflicts before switching to the other decision strategy.
  std::uint32_t learned_clauses = 4000;  // Initial limit.
  std::uint64_t antecedents = 1u << 25;  // Kept for refutations before unused ones are dropped.
};

class OrderSolver {
 public:
  // `known` must outlive the solver. `order` contains each of its vertices once, and all edges point
  // forward in it. O(vertices + edges).
  OrderSolver(const CsrGraph& known, const std::vector<Vertex>& order, Budget& budget,
              SolverLimits limits = {});
  OrderSolver(OrderSolver&&) noexcept;
  OrderSolver& operator=(OrderSolver&&) noexcept;
  ~OrderSolver();

  // "u comes before v", u != v. !before(u, v) == before(v, u), and the same pair always gives the same
  // variable. A statement that no clause uses does not slow the search down.
  Literal before(Vertex u, Vertex v);
  // A new variable unrelated to the order. The search tries false first.
  Literal choice();

  // At least one of these must be true; an empty clause cannot be satisfied. Returns the clause's
  // number: 0, 1, 2, ...
  std::uint32_t add_clause(std::span<const Literal> clause);
  std::uint32_t add_clause(std::initializer_list<Literal> clause) {
    return add_clause(std::span<const Literal>(clause.begin(), clause.size()));
  }

  // True: the current order extends the known edges and satisfies every clause. False: no order does,
  // not even after adding clauses. Throws BudgetExhausted; the solver stays usable, and the next solve()
  // continues from there.
  [[nodiscard]] bool solve();

  // By vertex, its position in the current total order, 0 .. vertices - 1. The order always agrees with
  // the known edges. It satisfies the clauses after solve() returned true, until the next clause is
  // added. The span is valid as long as the solver; its contents change in solve() and add_clause().
  std::span<const std::uint32_t> rank() const noexcept;
  // Statements: in the current order. Choices: the last value tried.
  bool is_true(Literal literal) const;

  // After solve() returned false. Derived from the antecedents of learned clauses: small, but not always
  // minimal.
  Refutation refutation() const;
  SolverStatistics statistics() const noexcept;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace serval
