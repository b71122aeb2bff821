// How Search learns from a conflict, and how it forgets.

#include <algorithm>

#include "serval/solver/search.h"

namespace serval {
namespace {

constexpr std::uint32_t kLearnedGrowth = 8;  // By an eighth each time.
constexpr std::uint32_t kLevelsWorthKeeping = 2;
constexpr float kLargestActivity = 1e20F, kActivityDecay = 0.999F;

}  // namespace

// Resolves the conflict backwards along the trail until one literal of the current level is left (the
// first unique implication point): learned_[0]. The others are false on lower levels. antecedents_
// collects everything used.
void Search::analyse() {
  learned_.assign(1, Literal{});
  antecedents_.assign(1, conflict_proof_);
  std::uint32_t open = 0;  // Literals of the current level that were met but not resolved yet.
  meet(conflict_, Literal{0xFFFFFFFFu}, open);
  std::size_t place = trail_.size();
  while (true) {
    while (!variables_[trail_[--place].variable()].seen) {
    }
    const Literal literal = trail_[place];
    if (--open == 0) {
      learned_[0] = !literal;
      break;
    }
    const ClauseId reason = variables_[literal.variable()].reason;
    if (clauses_[reason].learned()) bump_clause(reason);
    antecedents_.push_back(clauses_[reason].proof);
    meet(clauses_.literals(reason), literal, open);
  }
  shorten_learned();
  for (const std::uint32_t variable : to_clear_) variables_[variable].seen = false;
  to_clear_.clear();
}

void Search::meet(std::span<const Literal> literals, Literal except, std::uint32_t& open) {
  for (const Literal literal : literals) {
    Variable& variable = variables_[literal.variable()];
    if (literal == except || variable.seen) continue;
    variable.seen = true;
    to_clear_.push_back(literal.variable());
    if (variable.level == 0) {
      antecedents_.push_back(variable.proof);
      continue;
    }
    queue_.bump(literal.variable());
    if (variable.level == level()) {
      ++open;
    } else {
      learned_.push_back(literal);
    }
  }
}

// Drops literals that follow from the others (Sörensson & Biere 2009).
void Search::shorten_learned() {
  const auto rest = std::remove_if(learned_.begin() + 1, learned_.end(),
                                   [this](Literal literal) { return follows(literal); });
  learned_.erase(rest, learned_.end());
}

// Whether a false literal is implied by others that the analysis has met.
bool Search::follows(Literal literal) {
  const std::size_t marks = to_clear_.size(), proofs = antecedents_.size();
  stack_.assign(1, literal);
  while (!stack_.empty()) {
    const Literal current = stack_.back();
    stack_.pop_back();
    const ClauseId reason = variables_[current.variable()].reason;
    bool known = reason != kNoClause;
    if (known) {
      antecedents_.push_back(clauses_[reason].proof);
      for (const Literal other : clauses_.literals(reason)) {
        Variable& variable = variables_[other.variable()];
        if (other == !current || variable.seen) continue;
        variable.seen = true;
        to_clear_.push_back(other.variable());
        if (variable.level == 0) {
          antecedents_.push_back(variable.proof);
        } else {
          stack_.push_back(other);
        }
      }
    }
    if (known) continue;
    for (std::size_t i = marks; i < to_clear_.size(); ++i) variables_[to_clear_[i]].seen = false;
    to_clear_.resize(marks);
    antecedents_.resize(proofs);
    return false;
  }
  return true;
}

// Moves a literal of the second highest level to the second position; returns that level.
std::uint32_t Search::move_second_highest() {
  if (learned_.size() == 1) return 0;
  const auto second = std::max_element(learned_.begin() + 1, learned_.end(),
                                       [this](Literal a, Literal b) { return level_of(a) < level_of(b); });
  std::swap(learned_[1], *second);
  return level_of(learned_[1]);
}

void Search::learn() {
  const ProofId proof = proofs_.derived(antecedents_);
  ++stamp_;
  std::uint32_t levels = 0;
  for (const Literal literal : learned_) {
    std::uint32_t& stamp = level_stamp_[level_of(literal) - 1];
    levels += stamp != stamp_ ? 1 : 0;
    stamp = stamp_;
  }
  backtrack(move_second_highest());
  if (learned_.size() == 1) return set_proven(learned_[0], proof);
  const ClauseId clause = clauses_.add(learned_, levels, proof);
  ++learned_clauses_;
  bump_clause(clause);
  clause_increment_ /= kActivityDecay;
  watch(clause);
  set(learned_[0], clause);
}

void Search::bump_clause(ClauseId clause) {
  if ((clauses_[clause].activity += clause_increment_) <= kLargestActivity) return;
  for (Clause& each : clauses_.all()) each.activity /= kLargestActivity;
  clause_increment_ /= kLargestActivity;
}

// Drops the less useful half of the learned clauses: those that span many levels or were unused for
// long. Clauses that are reasons are kept.
void Search::forget_clauses() {
  limits_.learned_clauses += limits_.learned_clauses / kLearnedGrowth + 1;
  std::vector<bool> is_reason(clauses_.size(), false);
  for (const Literal literal : trail_) {
    const ClauseId reason = variables_[literal.variable()].reason;
    if (reason != kNoClause) is_reason[reason] = true;
  }
  std::vector<ClauseId> candidates;
  for (ClauseId id = 0; id < clauses_.size(); ++id)
    if (clauses_[id].levels > kLevelsWorthKeeping && !is_reason[id]) candidates.push_back(id);
  std::ranges::sort(candidates, [this](ClauseId a, ClauseId b) {
    const Clause &x = clauses_[a], &y = clauses_[b];
    if (x.levels != y.levels) return x.levels > y.levels;
    return x.activity != y.activity ? x.activity < y.activity : a < b;
  });
  candidates.resize(candidates.size() / 2);
  std::vector<bool> drop(clauses_.size(), false);
  for (const ClauseId id : candidates) drop[id] = true;
  learned_clauses_ -= static_cast<std::uint32_t>(candidates.size());

  const std::vector<ClauseId> moved = clauses_.retain([&](ClauseId id) { return !drop[id]; });
  for (const Literal literal : trail_) {
    ClauseId& reason = variables_[literal.variable()].reason;
    if (reason != kNoClause) reason = moved[reason];
  }
  for (std::vector<Watch>& watches : watches_) {
    std::erase_if(watches, [&](const Watch& each) { return moved[each.clause] == kNoClause; });
    for (Watch& each : watches) each.clause = moved[each.clause];
  }
  for (std::vector<ClauseId>& clauses : leaning_)
    for (ClauseId& clause : clauses) clause = moved[clause];
  for (ClauseId& clause : unlikely_) clause = moved[clause];
  if (proofs_.size() > limits_.antecedents) compact_proofs();
}

// A forgotten clause may still be an antecedent of a kept one; the others are dropped.
void Search::compact_proofs() {
  std::vector<ProofId> roots;
  for (const Clause& clause : clauses_.all()) roots.push_back(clause.proof);
  for (const Literal literal : trail_)
    if (level_of(literal) == 0) roots.push_back(variables_[literal.variable()].proof);
  const std::vector<ProofId> moved = proofs_.retain(roots);
  for (Clause& clause : clauses_.all()) clause.proof = moved[clause.proof];
  for (const Literal literal : trail_)
    if (level_of(literal) == 0)
      variables_[literal.variable()].proof = moved[variables_[literal.variable()].proof];
  limits_.antecedents = std::max<std::uint64_t>(limits_.antecedents, 2 * proofs_.size());
}

}  // namespace serval
