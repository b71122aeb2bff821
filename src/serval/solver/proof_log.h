#pragma once
// The derivations that a refutation needs: given clauses, cycles, and what was derived from them. Only
// the numbers of the antecedents are kept, not the resolution steps.
//
//   ProofId a = log.given(clause_number), b = log.cycle({l1, l2}), c = log.derived({{a, b}});
//   log.sources({{c}}).clauses == {clause_number}

#include <cstdint>
#include <span>
#include <vector>

#include "serval/solver/literal.h"

namespace serval {

using ProofId = std::uint32_t;

class ProofLog {
 public:
  ProofId given(std::uint32_t clause);
  // These statements, in this order, close a cycle with known edges between them.
  ProofId cycle(std::span<const Literal> statements);
  ProofId derived(std::span<const ProofId> antecedents);

  struct Sources {
    std::vector<std::uint32_t> clauses;        // Ascending.
    std::vector<std::vector<Literal>> cycles;  // As passed to cycle().
  };
  // All clauses and cycles from which the roots were derived.
  Sources sources(std::span<const ProofId> roots) const;

  std::size_t size() const noexcept { return items_.size(); }  // Number of all antecedents.
  // Drops everything from which none of the roots was derived. Returns, by old id, the new id
  // (meaningless for dropped ones).
  std::vector<ProofId> retain(std::span<const ProofId> roots);

 private:
  enum class Kind : std::uint8_t { Given, Cycle, Derived };
  ProofId push(Kind kind);
  std::span<const std::uint32_t> items(ProofId id) const;
  std::vector<bool> reachable(std::span<const ProofId> roots) const;

  std::vector<Kind> kinds_;
  // By id: one past its last item; its first follows the previous id's last.
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint32_t> items_;  // A clause, literal codes, or smaller ids.
};

}  // namespace serval
