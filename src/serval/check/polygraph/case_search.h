#pragma once
// Tries all answers to the open questions about a few transactions (contradiction.h), forced ones first.
//
//   CaseSearch search(history, relations, open, points, transactions, budget);
//   search.refute(active, 1000)        // the proof that those marked in `active` have no order

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/check/polygraph/open_keys.h"
#include "serval/check/polygraph/points.h"
#include "serval/evidence/verdict.h"

namespace serval {

class CaseSearch {
 public:
  CaseSearch(const History& history, const Relations& relations, const OpenKeys& open, const Points& points,
             const std::vector<TransactionId>& transactions, Budget& budget);

  // Nothing if the transactions marked in `active` have an order, or if deciding this takes more than
  // `effort` questions.
  std::optional<Contradiction> refute(const std::vector<bool>& active, std::uint64_t effort);

 private:
  using Place = std::uint32_t;  // Of a begin or commit; those of the first transaction come first.
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  struct Arc {
    Place from, to;
    Edge edge;
    std::array<std::uint32_t, 2> answers{kNone, kNone};  // The answers it depends on, by depth.
  };
  struct Question {
    std::uint32_t read = kNone;         // Index into OpenKeys::many_sourced; kNone: about two writes.
    std::vector<std::uint32_t> writes;  // Indices into OpenKeys::writes, or kInitial.
    bool answered = false;
  };
  struct Answer {
    std::uint32_t question, choice;
  };
  struct Proof {
    std::uint32_t node = 0;
    std::vector<bool> uses;  // By depth: the answers it depends on.
  };

  void add_certain_arcs();
  void add_initial_reads();
  void collect_questions();
  void start(const std::vector<bool>& active);
  bool applies(const Question& question) const;

  Place begin_of(TransactionId t) const;
  Place commit_of(TransactionId t) const;
  Place place_of(Vertex v) const;
  Arc arc(PointStep step, const Edge& edge) const;
  bool is_active(TransactionId t) const;
  bool reaches(Place from, Place to) const { return (reach_[from][to / 64] >> (to % 64) & 1) != 0; }
  void add(const Arc& arc);

  std::vector<Arc> arcs_of(std::uint32_t question, std::uint32_t choice) const;
  void add_order_arcs(std::uint32_t earlier, std::uint32_t later, std::vector<Arc>& arcs) const;
  void add_source_arcs(const OpenKeys::ManySourced& read, std::uint32_t source, std::vector<Arc>& arcs) const;
  Arc missed(TransactionId reader, OperationId read, std::uint32_t write) const;
  bool closes(const std::vector<Arc>& arcs) const;
  bool adds(const std::vector<Arc>& arcs) const;

  std::optional<Proof> search();
  std::optional<std::uint32_t> best_question() const;
  std::optional<Proof> ask(std::uint32_t question);
  std::optional<Proof> settle(std::uint32_t question, std::uint32_t choice);
  Proof end_of_case(const Arc& closing);
  std::uint32_t number(std::uint32_t node, Contradiction& proof) const;

  OperationId operation(std::uint32_t write) const;
  OperationId read_operation(TransactionId reader, KeyId key) const;

  const History& history_;
  const Relations& relations_;
  const OpenKeys& open_;
  const Points& points_;
  Budget& budget_;
  std::vector<TransactionId> transactions_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> slot_;  // By the transaction's number.
  std::vector<Arc> certain_;
  std::vector<Question> all_questions_;

  // State of one refutation.
  std::vector<bool> active_;
  std::vector<Question> questions_;
  std::vector<Answer> answers_;
  std::vector<Arc> arcs_;
  std::vector<std::vector<std::uint64_t>> reach_;
  std::vector<Contradiction::Node> nodes_;
  std::uint64_t effort_ = 0;
};

}  // namespace serval
