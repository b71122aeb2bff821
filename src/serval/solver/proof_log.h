#pragma once
// What follows from what, as far as a refutation needs it: given clauses, cycles, and what was derived from
// them. Only the numbers of the antecedents are kept, no steps of resolution.
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
    std::vector<std::vector<Literal>> cycles;  // As they were given.
  };
  // Everything given that these rest on.
  Sources sources(std::span<const ProofId> roots) const;

  std::size_t size() const noexcept { return items_.size(); }  // Of all antecedents.
  // Forgets what none of the roots rests on. By old id, the new one (meaningless for what is forgotten).
  std::vector<ProofId> retain(std::span<const ProofId> roots);

 private:
  enum class Kind : std::uint8_t { Given, Cycle, Derived };
  ProofId push(Kind kind);
  std::span<const std::uint32_t> items(ProofId id) const;
  std::vector<bool> reachable(std::span<const ProofId> roots) const;

  std::vector<Kind> kinds_;
  std::vector<std::uint64_t> ends_;   // By id: where its items end; they begin where those before it end.
  std::vector<std::uint32_t> items_;  // A clause, codes of literals, or ids below its own.
};

}  // namespace serval
