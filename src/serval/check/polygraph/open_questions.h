#pragma once
// Which open questions an order of all vertices answers wrongly, and how to pass them to the solver. A
// question that no order gets wrong is never passed on, so only a few of the many are ever created.
//
//   OpenQuestions questions(open, points);
//   questions.find_wrong(key, solver.rank(), wrong);
//   for (const WrongAnswer& one : wrong) questions.ask(one, solver);

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "serval/check/polygraph/open_keys.h"
#include "serval/check/polygraph/points.h"
#include "serval/solver/order_solver.h"

namespace serval {

struct WrongAnswer {
  enum class About : std::uint8_t {
    Writers,  // Writes `first` and `other` are concurrent.
    Read,     // `other` comes between the write that read `first` saw and the read.
    Source,   // `other` is the last write before the many-sourced read `first`, and not a source.
  } about;
  std::uint32_t first;  // Index into OpenKeys::writes, reads or many_sourced.
  std::uint32_t other;  // Index into OpenKeys::writes; kInitial: none.
};

class OpenQuestions {
 public:
  OpenQuestions(const OpenKeys& open, const Points& points);

  // Appends what `rank`, by vertex, gets wrong about one key; nothing if every read returns what it saw.
  void find_wrong(std::uint32_t key, std::span<const std::uint32_t> rank, std::vector<WrongAnswer>& wrong);
  void ask(const WrongAnswer& wrong, OrderSolver& solver);
  // The transactions that the clause with this number concerns.
  std::span<const TransactionId> about(std::uint32_t clause) const { return about_[clause]; }

 private:
  void look_at_read(std::uint32_t index, std::span<const std::uint32_t> rank,
                    std::vector<WrongAnswer>& wrong);
  void look_at_source(std::uint32_t index, std::span<const std::uint32_t> rank,
                      std::vector<WrongAnswer>& wrong);
  void ask_source(const WrongAnswer& wrong, OrderSolver& solver);
  const std::vector<Literal>& choices_of(std::uint32_t index, OrderSolver& solver);
  void add(std::initializer_list<Literal> clause, std::array<TransactionId, 3> about, OrderSolver& solver);
  static Literal before(PointStep step, OrderSolver& solver) {
    return solver.before(step.first, step.second);
  }
  TransactionId writer(std::uint32_t write) const { return open_.writes[write].writer; }

  const OpenKeys& open_;
  const Points& points_;
  Jagged<std::uint32_t> reads_of_key_;         // Indices into OpenKeys::reads.
  Jagged<std::uint32_t> sources_of_key_;       // Indices into OpenKeys::many_sourced.
  std::vector<std::vector<Literal>> choices_;  // By many-sourced read, one for each source; empty: not asked.
  std::vector<std::array<TransactionId, 3>> about_;  // By clause.
  struct Placed {
    std::uint32_t commit, begin;  // Ranks.
    std::uint32_t write;
  };
  std::vector<Placed> placed_;           // The writes of the current key, by commit.
  std::vector<std::uint32_t> position_;  // By write: its index in placed_.
};

}  // namespace serval
