#pragma once
// Clauses in two arrays: one row of metadata per clause, and all literals one after another. A clause is
// identified by its row; rows move when clauses are dropped.

#include <cstdint>
#include <span>
#include <vector>

#include "serval/solver/literal.h"
#include "serval/solver/proof_log.h"

namespace serval {

using ClauseId = std::uint32_t;
inline constexpr ClauseId kNoClause = 0xFFFFFFFFu;

struct Clause {
  std::uint64_t first_literal = 0;
  std::uint32_t size = 0;
  std::uint32_t levels = 0;  // Learned clauses: number of decision levels (LBD). Given clauses: 0.
  float activity = 0;
  ProofId proof = 0;

  bool learned() const noexcept { return levels > 0; }
};

class ClauseStore {
 public:
  ClauseId add(std::span<const Literal> literals, std::uint32_t levels, ProofId proof) {
    clauses_.push_back({.first_literal = literals_.size(),
                        .size = static_cast<std::uint32_t>(literals.size()),
                        .levels = levels,
                        .proof = proof});
    literals_.insert(literals_.end(), literals.begin(), literals.end());
    return static_cast<ClauseId>(clauses_.size() - 1);
  }
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(clauses_.size()); }
  Clause& operator[](ClauseId id) noexcept { return clauses_[id]; }
  std::span<Literal> literals(ClauseId id) noexcept {
    return {literals_.data() + clauses_[id].first_literal, clauses_[id].size};
  }
  std::span<const Literal> literals(ClauseId id) const noexcept {
    return {literals_.data() + clauses_[id].first_literal, clauses_[id].size};
  }
  std::span<Clause> all() noexcept { return clauses_; }

  // Drops the clauses that `keep` rejects. Returns, by old number, the new number or kNoClause.
  template <class Keep>
  std::vector<ClauseId> retain(Keep&& keep) {
    std::vector<ClauseId> moved(clauses_.size(), kNoClause);
    ClauseId next = 0;
    std::uint64_t next_literal = 0;
    for (ClauseId id = 0; id < clauses_.size(); ++id) {
      if (!keep(id)) continue;
      Clause clause = clauses_[id];
      for (std::uint32_t i = 0; i < clause.size; ++i)
        literals_[next_literal + i] = literals_[clause.first_literal + i];
      clause.first_literal = next_literal;
      next_literal += clause.size;
      clauses_[next] = clause;
      moved[id] = next++;
    }
    clauses_.resize(next);
    literals_.resize(next_literal);
    return moved;
  }

 private:
  std::vector<Clause> clauses_;
  std::vector<Literal> literals_;
};

}  // namespace serval
