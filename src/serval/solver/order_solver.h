#pragma once
// Finds a total order of the vertices of an acyclic graph that extends its edges and satisfies clauses over
// statements "u comes before v", or shows that there is none.
//
//   OrderSolver solver(known, topological_order(known, budget), budget);
//   solver.add_clause({solver.before(2, 1), solver.before(3, 2)});   // 2 < 1 or 3 < 2
//   while (solver.solve()) {
//     // look at solver.rank(): add clauses that it violates; leave when there are none
//   }
//
// A search that learns from conflicts (CDCL: Marques-Silva & Sakallah 1999, Moskewicz et al. 2001, Eén &
// Sörensson 2003) over the clauses, and beside it one total order that agrees with the known edges and with
// every statement taken to be true (DynamicOrder). A statement that closes a cycle is a conflict. Decisions
// are made only for clauses that the present order does not satisfy, so a start that is nearly right costs
// nearly nothing.
//
// Clauses may be added between calls of solve(); what was learned stays. Memory is linear in vertices,
// known edges and clauses; a call costs what changes, not what is there. Deterministic. One thread.

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
  std::uint64_t conflicts = 0;     // Of clauses and of cycles.
  std::uint64_t cycles = 0;        // Conflicts that were cycles.
  std::uint64_t propagations = 0;  // Statements taken to be true, for whatever reason.
  std::uint64_t restarts = 0;
  std::uint64_t reorderings = 0;       // Statements against the order at their time.
  std::uint64_t vertices_visited = 0;  // By searches for a new place in the order, or for a cycle.
};

// When the search changes its ways. Tests take small ones, so that small instances see everything.
struct SolverLimits {
  std::uint32_t restart_unit = 100;      // Conflicts, times Luby's sequence.
  std::uint32_t switch_period = 1000;    // Conflicts before the other way to decide is tried.
  std::uint32_t learned_clauses = 4000;  // Kept at first.
  std::uint64_t antecedents = 1u << 25;  // Kept for refutations before those that no longer matter go.
};

class OrderSolver {
 public:
  // `known` must outlive the solver; `order` names each of its vertices once, and all edges point forward
  // in it. O(vertices + edges).
  OrderSolver(const CsrGraph& known, std::vector<Vertex> order, Budget& budget, SolverLimits limits = {});
  OrderSolver(OrderSolver&&) noexcept;
  OrderSolver& operator=(OrderSolver&&) noexcept;
  ~OrderSolver();

  // "u comes before v", u != v. !before(u, v) == before(v, u), and the same pair always gives the same
  // variable. A statement that no clause uses costs the search nothing.
  Literal before(Vertex u, Vertex v);
  // A new variable that says nothing about the order. The search first tries it as false.
  Literal choice();

  // One of these must be true; an empty clause cannot be satisfied. Returns the clause's number: 0, 1, 2, ...
  std::uint32_t add_clause(std::span<const Literal> clause);
  std::uint32_t add_clause(std::initializer_list<Literal> clause) {
    return add_clause(std::span<const Literal>(clause.begin(), clause.size()));
  }

  // True: the present order extends the known edges and satisfies every clause. False: no order does, now
  // or after more clauses. Throws BudgetExhausted; the solver stays usable, and solve() goes on from there.
  [[nodiscard]] bool solve();

  // By vertex, its place in the present total order, 0 .. vertices - 1. It agrees with the known edges at
  // any time; with the clauses after solve() said true, until the next clause is added. The span stays
  // valid as long as the solver; its contents change in solve() and add_clause().
  std::span<const std::uint32_t> rank() const noexcept;
  // In the present order, for statements; as last tried, for choices.
  bool is_true(Literal literal) const;

  // After solve() said false. From the antecedents of what was learned: small, but not always the smallest.
  Refutation refutation() const;
  SolverStatistics statistics() const noexcept;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace serval
