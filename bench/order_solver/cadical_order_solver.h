#pragma once
// The alternative way to find an order: CaDiCaL decides all variables, the statements that it made true
// are inserted into a DynamicOrder one after another, each one that closes a cycle yields a clause
// against that cycle, and CaDiCaL is called again. The interface is that of OrderSolver, as far as the
// comparison needs it.

#include <cstdint>
#include <span>
#include <vector>

#include <cadical.hpp>

#include "absl/container/flat_hash_map.h"
#include "serval/base/budget.h"
#include "serval/solver/dynamic_order.h"
#include "serval/solver/literal.h"

namespace serval::bench {

class CadicalOrderSolver : private CaDiCaL::Terminator {
 public:
  CadicalOrderSolver(const CsrGraph& known, const std::vector<Vertex>& order, Budget& budget)
      : budget_(budget), order_(known, order, budget) {
    sat_.set("quiet", 1);
    sat_.connect_terminator(this);
  }
  ~CadicalOrderSolver() override { sat_.disconnect_terminator(); }
  CadicalOrderSolver(const CadicalOrderSolver&) = delete;
  CadicalOrderSolver& operator=(const CadicalOrderSolver&) = delete;

  Literal before(Vertex u, Vertex v) {
    const Vertex first = std::min(u, v), second = std::max(u, v);
    const auto [entry, added] = statements_.try_emplace(std::uint64_t{first} << 32 | second);
    if (added) {
      entry->second = {static_cast<std::uint32_t>(2 * pairs_.size())};
      pairs_.push_back({first, second});
    }
    return u < v ? entry->second : !entry->second;
  }

  void add_clause(std::span<const Literal> clause) {
    for (const Literal literal : clause) sat_.add(external(literal));
    sat_.add(0);
  }

  // First tries what the current order says, as OrderSolver does.
  bool solve() {
    while (true) {
      for (std::uint32_t i = 0; i < pairs_.size(); ++i)
        sat_.phase(rank()[pairs_[i].first] < rank()[pairs_[i].second] ? external({2 * i})
                                                                      : -external({2 * i}));
      const int answer = sat_.solve();
      if (answer == 0) throw BudgetExhausted(BudgetExhausted::Cause::TimeBudget, "CaDiCaL");
      if (answer == 20) return false;
      if (put_model_into_order()) return true;
    }
  }

  std::span<const std::uint32_t> rank() const noexcept { return order_.rank(); }
  std::uint64_t cycles() const noexcept { return cycles_; }
  std::uint64_t vertices_visited() const noexcept { return order_.vertices_visited(); }

 private:
  struct Pair {
    Vertex first, second;
  };

  static int external(Literal literal) {
    const int variable = static_cast<int>(literal.variable()) + 1;
    return literal.negative() ? -variable : variable;
  }

  bool put_model_into_order() {
    const std::uint64_t before = cycles_;
    std::vector<std::vector<Literal>> lemmas;
    for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
      const bool positive = sat_.val(external({2 * i})) > 0;
      const Literal statement{2 * i + (positive ? 0 : 1)};
      const auto [first, second] = pairs_[i];
      if (order_.insert(positive ? first : second, positive ? second : first, statement.code)) continue;
      ++cycles_;
      std::vector<Literal>& lemma = lemmas.emplace_back(1, !statement);
      for (const std::uint32_t code : order_.cycle()) lemma.push_back(!Literal{code});
    }
    while (order_.inserted() > 0) order_.remove_last();
    for (const std::vector<Literal>& lemma : lemmas) add_clause(lemma);
    return cycles_ == before;
  }

  bool terminate() override {
    try {
      budget_.poll("CaDiCaL");
      return false;
    } catch (const BudgetExhausted&) {
      return true;
    }
  }

  Budget& budget_;
  DynamicOrder order_;
  CaDiCaL::Solver sat_;
  absl::flat_hash_map<std::uint64_t, Literal> statements_;
  std::vector<Pair> pairs_;  // By variable.
  std::uint64_t cycles_ = 0;
};

}  // namespace serval::bench
