#pragma once
// The search inside OrderSolver: clauses with two watched literals, decisions, learning at the first
// unique implication point, restarts, and a DynamicOrder that rejects cycles. Variables are dense
// numbers; each is a statement about two vertices or a plain choice.
//
// Invariants, once propagate() has found no conflict (S4: and after look_at_moved()):
//   S1  A watched literal is false only if the other watched literal is true, on the same or a lower level.
//   S2  The order contains exactly the true statements of the trail, in trail order.
//   S3  A literal on level 0 has a proof; any other literal has a reason clause or is a decision.
//   S4  A variable used by a clause is `likely` exactly if it is true in the current order (a choice: if
//       it was true when last set). A given clause is in leaning_ of one of its likely literals, or
//       in unlikely_.
//
// Two decision strategies alternate, because each suits some histories: repairing a clause by the
// statement that moves least (good at finding existing orders), and the variable that occurred in most
// conflicts (good at finding contradictions).

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "serval/base/budget.h"
#include "serval/solver/clause_store.h"
#include "serval/solver/dynamic_order.h"
#include "serval/solver/order_solver.h"
#include "serval/solver/proof_log.h"
#include "serval/solver/variable_queue.h"

namespace serval {

class Search {
 public:
  Search(const CsrGraph& known, const std::vector<Vertex>& order, Budget& budget, SolverLimits limits);

  // True means that `from` comes before `to`.
  Literal add_statement(Vertex from, Vertex to);
  Literal add_choice();
  std::uint32_t add_clause(std::span<const Literal> clause);
  bool solve();

  std::span<const std::uint32_t> rank() const noexcept { return order_.rank(); }
  bool is_true(Literal literal) const;
  Refutation refutation();
  SolverStatistics statistics() const noexcept;

 private:
  static constexpr Vertex kNoVertex = 0xFFFFFFFFu;
  static constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;
  enum class Truth : std::int8_t { False = -1, Open = 0, True = 1 };
  struct Variable {
    Vertex from, to;  // Both kNoVertex: a choice.
    std::uint32_t level = 0;
    ClauseId reason = kNoClause;
    ProofId proof = 0;  // If on level 0.
    bool used = false;  // By a clause.
    bool seen = false;  // Analysis only.
  };
  // A statement, as seen from one of its vertices.
  struct Neighbour {
    Vertex vertex;
    Literal comes_after;  // `vertex` comes after the vertex whose neighbour it is.
  };
  struct Watch {
    ClauseId clause;
    Literal other;  // Another literal of the clause; if it is true, the clause can be skipped.
  };

  // search.cpp
  Literal add_variable(Vertex from, Vertex to);
  Truth truth(Literal literal) const noexcept { return truth_[literal.code]; }
  std::uint32_t level() const noexcept { return static_cast<std::uint32_t>(level_starts_.size()); }
  std::uint32_t level_of(Literal literal) const noexcept { return variables_[literal.variable()].level; }
  bool is_statement(Literal literal) const noexcept {
    return variables_[literal.variable()].from != kNoVertex;
  }
  Vertex from(Literal statement) const noexcept;
  Vertex to(Literal statement) const noexcept;
  void watch(ClauseId clause);
  void fit_in(ClauseId clause);
  void set(Literal literal, ClauseId reason);
  void set_proven(Literal literal, ProofId proof);
  ProofId prove(ClauseId reason, Literal conclusion);
  bool propagate();
  bool propagate_clauses(Literal became_true);
  bool insert_into_order(Literal statement);
  void backtrack(std::uint32_t to_level);
  void use(Literal literal);
  bool likely(Literal literal) const noexcept { return likely_[literal.code] != 0; }
  std::vector<Neighbour>& neighbours_of(Vertex v);
  void lean(ClauseId clause);
  bool lean_if_likely(ClauseId clause);
  void flip(Literal likely_so_far);
  void note_moved();
  void look_at_moved();
  bool decide();
  Literal nearest_open(ClauseId clause) const;
  Literal busiest_open();
  void restart();
  void resolve_conflict();
  void refute(ProofId proof);

  // learning.cpp
  void analyse();
  void meet(std::span<const Literal> literals, Literal except, std::uint32_t& open);
  void shorten_learned();
  bool follows(Literal literal);
  std::uint32_t move_second_highest();
  void learn();
  void bump_clause(ClauseId clause);
  void forget_clauses();
  void compact_proofs();

  Budget& budget_;
  DynamicOrder order_;
  ClauseStore clauses_;
  ProofLog proofs_;
  VariableQueue queue_;
  std::vector<Variable> variables_;
  std::vector<Truth> truth_;                 // By literal.
  std::vector<std::vector<Watch>> watches_;  // By literal: the clauses to visit when it becomes false.

  std::vector<std::uint8_t> likely_;            // By literal; the negation has the other value.
  std::vector<std::vector<ClauseId>> leaning_;  // By literal: given clauses that are likely because of it.
  // The other given clauses, and some that have become likely again.
  std::vector<ClauseId> unlikely_;
  std::vector<std::uint32_t> row_of_vertex_;  // By vertex: its row in neighbours_, or kNoRow.
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<Vertex> moved_;           // Since likely_ was last updated.
  std::vector<std::uint8_t> is_moved_;  // By row of neighbours_.

  std::vector<Literal> trail_;
  std::vector<std::uint32_t> level_starts_;  // Index into the trail where level 1, 2, ... begins.
  std::size_t next_for_clauses_ = 0, next_for_order_ = 0;

  std::vector<Literal> conflict_;  // All false.
  ProofId conflict_proof_ = 0;
  std::optional<ProofId> refuted_by_;

  std::vector<Literal> learned_;
  std::vector<ProofId> antecedents_;
  std::vector<std::uint32_t> to_clear_;  // Variables with `seen` set.
  std::vector<Literal> stack_;
  std::vector<std::uint32_t> level_stamp_;
  std::uint32_t stamp_ = 0;

  std::uint32_t given_clauses_ = 0;
  std::uint32_t learned_clauses_ = 0;
  SolverLimits limits_;  // Some of them grow.
  float clause_increment_ = 1;
  std::uint64_t conflicts_until_restart_ = 0;
  bool repairing_ = true;  // Otherwise decides on the busiest variables.
  std::uint64_t switch_period_ = 0, next_switch_ = 0;
  SolverStatistics statistics_;
};

}  // namespace serval
