#include "serval/solver/search.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "serval/base/contract.h"

namespace serval {
namespace {

constexpr const char* kSearchPhase = "order solver";

// 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ... (Luby, Sinclair & Zuckerman 1993), counted from 0.
std::uint64_t luby(std::uint64_t index) {
  for (std::uint64_t i = index + 1;;) {
    const std::uint64_t power = std::bit_floor(i);
    if (i == 2 * power - 1) return power;
    i -= power - 1;
  }
}

}  // namespace

Search::Search(const CsrGraph& known, const std::vector<Vertex>& order, Budget& budget, SolverLimits limits)
    : budget_(budget),
      order_(known, order, budget),
      row_of_vertex_(known.vertex_count(), kNoRow),
      limits_(limits),
      conflicts_until_restart_(limits.restart_unit) {}

Literal Search::add_variable(Vertex from, Vertex to) {
  expects(variables_.size() < 0x7FFFFFFFu, "fewer than 2^31 - 1 variables");
  variables_.push_back({.from = from, .to = to});
  leaning_.resize(leaning_.size() + 2);
  likely_.push_back(0);  // Statements get their value when a clause first uses them.
  likely_.push_back(1);
  truth_.resize(truth_.size() + 2, Truth::Open);
  watches_.resize(watches_.size() + 2);
  queue_.add_variable();
  level_stamp_.push_back(0);
  return {static_cast<std::uint32_t>(2 * (variables_.size() - 1))};
}

Literal Search::add_statement(Vertex from, Vertex to) {
  expects(from != to && from < rank().size() && to < rank().size(), "two vertices of the graph");
  return add_variable(from, to);
}

Literal Search::add_choice() { return add_variable(kNoVertex, kNoVertex); }

Vertex Search::from(Literal statement) const noexcept {
  const Variable& variable = variables_[statement.variable()];
  return statement.negative() ? variable.to : variable.from;
}

Vertex Search::to(Literal statement) const noexcept { return from(!statement); }

bool Search::is_true(Literal literal) const {
  expects(literal.variable() < variables_.size(), "a literal of this solver");
  return is_statement(literal) ? rank()[from(literal)] < rank()[to(literal)] : likely(literal);
}

std::vector<Search::Neighbour>& Search::neighbours_of(Vertex v) {
  if (row_of_vertex_[v] == kNoRow) {
    row_of_vertex_[v] = static_cast<std::uint32_t>(neighbours_.size());
    neighbours_.emplace_back();
    is_moved_.push_back(0);
  }
  return neighbours_[row_of_vertex_[v]];
}

// Called when a clause uses a variable for the first time.
void Search::use(Literal literal) {
  Variable& variable = variables_[literal.variable()];
  if (variable.used) return;
  variable.used = true;
  queue_.push(literal.variable());
  if (!is_statement(literal)) return;
  const Vertex u = from(literal), v = to(literal);
  neighbours_of(u).push_back({.vertex = v, .comes_after = literal});
  neighbours_of(v).push_back({.vertex = u, .comes_after = !literal});
  likely_[literal.code] = rank()[u] < rank()[v] ? 1 : 0;
  likely_[(!literal).code] = 1 - likely_[literal.code];
}

bool Search::lean_if_likely(ClauseId clause) {
  for (const Literal literal : clauses_.literals(clause)) {
    if (!likely(literal)) continue;
    leaning_[literal.code].push_back(clause);
    return true;
  }
  return false;
}

void Search::lean(ClauseId clause) {
  if (!lean_if_likely(clause)) unlikely_.push_back(clause);
}

void Search::flip(Literal likely_so_far) {
  likely_[likely_so_far.code] = 0;
  likely_[(!likely_so_far).code] = 1;
  const std::vector<ClauseId> clauses = std::exchange(leaning_[likely_so_far.code], {});
  for (const ClauseId clause : clauses) lean(clause);
}

void Search::note_moved() {
  for (const Vertex v : order_.moved()) {
    const std::uint32_t row = row_of_vertex_[v];
    if (row == kNoRow || is_moved_[row] != 0) continue;
    is_moved_[row] = 1;
    moved_.push_back(v);
  }
}

void Search::look_at_moved() {
  for (const Vertex v : moved_) {
    is_moved_[row_of_vertex_[v]] = 0;
    const std::uint32_t place = rank()[v];
    for (const Neighbour& other : neighbours_[row_of_vertex_[v]]) {
      const bool comes_after = rank()[other.vertex] > place;
      if (comes_after != likely(other.comes_after))
        flip(comes_after ? !other.comes_after : other.comes_after);
    }
  }
  moved_.clear();
}

std::uint32_t Search::add_clause(std::span<const Literal> clause) {
  const std::uint32_t number = given_clauses_++;
  std::vector<Literal> literals(clause.begin(), clause.end());
  std::ranges::sort(literals);
  literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
  for (std::size_t i = 0; i < literals.size(); ++i) {
    expects(literals[i].variable() < variables_.size(), "literals of this solver");
    if (i > 0 && literals[i] == !literals[i - 1]) return number;  // A tautology.
  }
  if (refuted_by_) return number;
  const ProofId proof = proofs_.given(number);
  if (literals.empty()) {
    refute(proof);
    return number;
  }
  for (const Literal literal : literals) use(literal);
  const ClauseId id = clauses_.add(literals, 0, proof);
  lean(id);
  fit_in(id);
  return number;
}

// Watches the two literals that become false last, and backtracks as far as S1 requires.
void Search::fit_in(ClauseId clause) {
  const std::span<Literal> literals = clauses_.literals(clause);
  const auto lasts = [this](Literal literal) {
    return truth(literal) == Truth::False ? level_of(literal) : 0xFFFFFFFFu;
  };
  for (std::size_t place = 0; place < 2 && place < literals.size(); ++place) {
    const auto rest = literals.subspan(place);
    std::swap(rest.front(), *std::ranges::max_element(rest, {}, lasts));
  }
  const Literal first = literals[0];
  if (literals.size() > 1) watch(clause);
  const bool second_is_false = literals.size() == 1 || truth(literals[1]) == Truth::False;
  const std::uint32_t second_level = literals.size() == 1 ? 0 : level_of(literals[1]);
  if (!second_is_false || (truth(first) == Truth::True && level_of(first) <= second_level)) return;
  if (truth(first) == Truth::False && level_of(first) == second_level) {
    if (second_level == 0) return refute(prove(clause, first));
    return backtrack(second_level - 1);
  }
  backtrack(second_level);
  set(first, clause);
}

void Search::watch(ClauseId clause) {
  const std::span<const Literal> literals = clauses_.literals(clause);
  watches_[literals[0].code].push_back({.clause = clause, .other = literals[1]});
  watches_[literals[1].code].push_back({.clause = clause, .other = literals[0]});
}

// `conclusion` holds on level 0: the other literals of the clause are false there. (So is `conclusion`
// itself if the clause is a conflict.)
ProofId Search::prove(ClauseId reason, Literal conclusion) {
  antecedents_.assign(1, clauses_[reason].proof);
  for (const Literal literal : clauses_.literals(reason))
    if (literal != conclusion || truth(literal) == Truth::False)
      antecedents_.push_back(variables_[literal.variable()].proof);
  return proofs_.derived(antecedents_);
}

void Search::set(Literal literal, ClauseId reason) {
  if (level() == 0) return set_proven(literal, prove(reason, literal));
  Variable& variable = variables_[literal.variable()];
  variable.level = level();
  variable.reason = reason;
  truth_[literal.code] = Truth::True;
  truth_[(!literal).code] = Truth::False;
  trail_.push_back(literal);
}

void Search::set_proven(Literal literal, ProofId proof) {
  Variable& variable = variables_[literal.variable()];
  variable.level = 0;
  variable.reason = kNoClause;
  variable.proof = proof;
  truth_[literal.code] = Truth::True;
  truth_[(!literal).code] = Truth::False;
  trail_.push_back(literal);
}

// Propagates clauses first: this is cheap, and the order then rejects a cycle at the earliest statement
// that closes one. Returns false on a conflict; conflict_ explains it.
bool Search::propagate() {
  while (true) {
    budget_.poll(kSearchPhase);
    if (next_for_clauses_ < trail_.size()) {
      ++statistics_.propagations;
      if (!propagate_clauses(trail_[next_for_clauses_++])) return false;
    } else if (next_for_order_ < trail_.size()) {
      if (!insert_into_order(trail_[next_for_order_])) return false;
      ++next_for_order_;
    } else {
      return true;
    }
  }
}

bool Search::propagate_clauses(Literal became_true) {
  const Literal became_false = !became_true;
  std::vector<Watch>& watches = watches_[became_false.code];
  std::size_t kept = 0;
  for (std::size_t next = 0; next < watches.size(); ++next) {
    const Watch current = watches[next];
    if (truth(current.other) == Truth::True) {
      watches[kept++] = current;
      continue;
    }
    const std::span<Literal> literals = clauses_.literals(current.clause);
    if (literals[0] == became_false) std::swap(literals[0], literals[1]);
    const Literal first = literals[0];
    watches[kept++] = {.clause = current.clause, .other = first};
    if (truth(first) == Truth::True) continue;
    const auto not_false = [this](Literal literal) { return truth(literal) != Truth::False; };
    const auto substitute = std::find_if(literals.begin() + 2, literals.end(), not_false);
    if (substitute != literals.end()) {
      std::swap(literals[1], *substitute);
      watches_[literals[1].code].push_back({.clause = current.clause, .other = first});
      --kept;
    } else if (truth(first) == Truth::False) {
      conflict_.assign(literals.begin(), literals.end());
      conflict_proof_ = clauses_[current.clause].proof;
      if (clauses_[current.clause].learned()) bump_clause(current.clause);
      watches.erase(watches.begin() + static_cast<std::ptrdiff_t>(kept),
                    watches.begin() + static_cast<std::ptrdiff_t>(next) + 1);
      return false;
    } else {
      set(first, current.clause);
    }
  }
  watches.resize(kept);
  return true;
}

bool Search::insert_into_order(Literal statement) {
  if (!is_statement(statement)) {
    if (!likely(statement)) flip(!statement);
    return true;
  }
  if (order_.insert(from(statement), to(statement), statement.code)) {
    note_moved();
    return true;
  }
  ++statistics_.cycles;
  conflict_.clear();
  for (const std::uint32_t code : order_.cycle()) conflict_.push_back({code});
  conflict_.push_back(statement);
  conflict_proof_ = proofs_.cycle(conflict_);
  for (Literal& literal : conflict_) literal = !literal;
  return false;
}

void Search::backtrack(std::uint32_t to_level) {
  if (to_level >= level()) return;
  const std::size_t keep = level_starts_[to_level];
  while (trail_.size() > keep) {
    const Literal literal = trail_.back();
    trail_.pop_back();
    if (trail_.size() < next_for_order_ && is_statement(literal)) order_.remove_last();
    truth_[literal.code] = truth_[(!literal).code] = Truth::Open;
    queue_.push(literal.variable());
  }
  level_starts_.resize(to_level);
  next_for_clauses_ = std::min(next_for_clauses_, keep);
  next_for_order_ = std::min(next_for_order_, keep);
}

// Decides only while some given clause is false in the current order: satisfied clauses cost nothing,
// and backtracking over many decisions loses nothing, because the order keeps their effect.
bool Search::decide() {
  look_at_moved();
  while (!unlikely_.empty() && lean_if_likely(unlikely_.back())) unlikely_.pop_back();
  if (unlikely_.empty()) return false;
  const Literal decision = repairing_ ? nearest_open(unlikely_.back()) : busiest_open();
  ++statistics_.decisions;
  level_starts_.push_back(static_cast<std::uint32_t>(trail_.size()));
  set(decision, kNoClause);
  return true;
}

// All literals of the clause contradict the current order; returns the one whose vertices are closest to
// each other.
Literal Search::nearest_open(ClauseId clause) const {
  std::optional<Literal> best;
  std::uint32_t best_distance = 0;
  for (const Literal literal : clauses_.literals(clause)) {
    if (truth(literal) != Truth::Open) continue;
    const std::uint32_t distance = is_statement(literal) ? rank()[from(literal)] - rank()[to(literal)] : 0;
    if (best && distance >= best_distance) continue;
    best = literal;
    best_distance = distance;
  }
  expects(best.has_value(), "an open literal in a clause that is not true");
  return *best;
}

// The busiest variable, with its value in the current order: this decision closes no cycle and moves
// nothing.
Literal Search::busiest_open() {
  while (true) {
    const Literal positive{2 * queue_.pop()};
    if (truth(positive) == Truth::Open) return likely(positive) ? positive : !positive;
  }
}

// When following the busiest variables, backtracks only to the first decision that would now differ (van
// der Tak, Ramos & Heule 2011).
void Search::restart() {
  ++statistics_.restarts;
  conflicts_until_restart_ = limits_.restart_unit * luby(statistics_.restarts);
  if (statistics_.conflicts >= next_switch_) {
    repairing_ = !repairing_;
    switch_period_ += switch_period_ / 2;
    next_switch_ = statistics_.conflicts + switch_period_;
    return backtrack(0);
  }
  while (!queue_.empty() && truth({2 * queue_.top()}) != Truth::Open) queue_.pop();
  if (repairing_ || queue_.empty()) return backtrack(0);
  const double next_weight = queue_.weight(queue_.top());
  std::uint32_t keep = 0;
  while (keep < level() && queue_.weight(trail_[level_starts_[keep]].variable()) >= next_weight) ++keep;
  backtrack(keep);
}

void Search::refute(ProofId proof) { refuted_by_ = proof; }

void Search::resolve_conflict() {
  ++statistics_.conflicts;
  if (level() == 0) {
    antecedents_.assign(1, conflict_proof_);
    for (const Literal literal : conflict_) antecedents_.push_back(variables_[literal.variable()].proof);
    return refute(proofs_.derived(antecedents_));
  }
  analyse();
  learn();
  queue_.decay();
  if (conflicts_until_restart_ > 0) --conflicts_until_restart_;
}

bool Search::solve() {
  repairing_ = true;
  switch_period_ = limits_.switch_period;
  next_switch_ = statistics_.conflicts + switch_period_;
  while (!refuted_by_) {
    if (!propagate()) {
      resolve_conflict();
      continue;
    }
    if (conflicts_until_restart_ == 0) restart();
    if (learned_clauses_ > limits_.learned_clauses) forget_clauses();
    if (!decide()) return true;
  }
  return false;
}

Refutation Search::refutation() {
  expects(refuted_by_.has_value(), "clauses that solve() has refuted");
  const ProofId root = *refuted_by_;
  ProofLog::Sources sources = proofs_.sources({&root, 1});
  Refutation result{.clauses = std::move(sources.clauses), .vertices = {}};
  for (const std::vector<Literal>& cycle : sources.cycles) {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const Vertex here = to(cycle[i]), next = from(cycle[(i + 1) % cycle.size()]);
      const std::vector<Vertex> path = order_.known_path(here, next);
      result.vertices.insert(result.vertices.end(), path.begin(), path.end());
    }
  }
  std::ranges::sort(result.vertices);
  result.vertices.erase(std::unique(result.vertices.begin(), result.vertices.end()), result.vertices.end());
  return result;
}

SolverStatistics Search::statistics() const noexcept {
  SolverStatistics result = statistics_;
  result.variables = variables_.size();
  result.reorderings = order_.reorderings();
  result.vertices_visited = order_.vertices_visited();
  return result;
}

}  // namespace serval
