#pragma once
// Finds an order of the transactions if reads leave the version order open, or shows that there is none:
// the problem of Cobra, PolySI and Viper, NP-complete in general. Saturate, guess, verify, and only then
// solve.
//
//   0. times      if recorded: verifies the order they suggest, with at most a few questions
//   1. saturate   what the certain order implies for the open keys (version_saturation.h); a cycle ends it
//   2. guess      a topological order: by the times, by the numbers, or by how much precedes each
//   3. verify     which reads would not see what they saw (open_questions.h); none: the order is the proof
//   4. solve      the questions that the order got wrong (solver/order_solver.h); back to 3
//
// Histories from real databases need few questions, so the search is near-linear for them. A read of a
// value that several transactions wrote is a question as well: which of them did it see?

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "serval/check/polygraph/chains.h"
#include "serval/check/polygraph/open_keys.h"
#include "serval/check/polygraph/open_questions.h"
#include "serval/check/polygraph/points.h"
#include "serval/check/polygraph/version_saturation.h"
#include "serval/check/trail.h"
#include "serval/evidence/verdict.h"
#include "serval/solver/order_solver.h"

namespace serval {

class OrderSearch {
 public:
  // `graph` is the dependency graph of that shape and must be acyclic; uncertain reads must be of
  // registers.
  OrderSearch(const History& history, const Relations& relations, GraphShape shape, CsrGraph graph,
              Trail& trail, Budget& budget);

  // True: in order() every read returns what it saw. False: there is no such order.
  bool run();

  std::vector<Vertex> order() const;  // After true: all vertices.
  // After false: a few transactions that already contradict each other. Nothing if no proof was found
  // that is small enough to show, or if a read may have seen a transaction that may not have happened.
  std::optional<Contradiction> contradiction();
  bool has_optional_sources() const { return open_.has_optional_sources; }

  // What is known so far, as text: for a search that was cut short.
  std::vector<std::string> progress() const;

 private:
  struct Candidate {
    std::string name;
    std::vector<Vertex> order;
    std::vector<WrongAnswer> wrong;
  };

  CsrGraph with_initial_reads(CsrGraph graph) const;
  void prepare();
  Chains choose_chains();
  std::string try_times();
  std::string saturate();
  void choose_candidate();
  void consider(std::string name, std::vector<Vertex> order);
  std::vector<std::int64_t> times_of_vertices() const;
  std::vector<std::int64_t> sums_of_vertices() const;
  std::string solve(std::size_t most_rounds);
  std::vector<WrongAnswer> wrong_answers(std::span<const std::uint32_t> rank);
  void find_culprits();

  const History& history_;
  const Relations& relations_;
  Trail& trail_;
  Budget& budget_;
  Points points_;
  CsrGraph graph_;
  Chains chains_;
  OpenKeys open_;
  std::optional<VersionSaturation> saturation_;
  bool has_clocks_ = false;
  bool found_ = false, impossible_ = false;
  std::optional<OpenQuestions> questions_;
  std::optional<Candidate> candidate_;
  std::optional<OrderSolver> solver_;
  std::vector<std::uint32_t> checked_;  // By vertex: the rank in the order examined last.
  std::vector<std::uint32_t> asked_;    // By open key: number of questions asked about it.
  std::vector<TransactionId> culprits_;
};

}  // namespace serval
