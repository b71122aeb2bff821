#include "serval/check/polygraph/contradiction.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/check/polygraph/open_keys.h"
#include "serval/check/polygraph/points.h"
#include "serval/evidence/verdict.h"

namespace serval {
namespace {

// Tries all answers to the open questions about a few transactions (contradiction.h), forced ones first.
//
//   CaseSearch search(history, relations, open, points, transactions, budget);
//   search.refute(active, 1000)        // the proof that those marked in `active` have no order
class CaseSearch {
 public:
  CaseSearch(const History& history, const Relations& relations, const OpenKeys& open, const Points& points,
             const std::vector<TransactionId>& transactions, Budget& budget)
      : history_(history),
        relations_(relations),
        open_(open),
        points_(points),
        budget_(budget),
        transactions_(transactions) {
    for (std::uint32_t i = 0; i < transactions_.size(); ++i) slot_[transactions_[i].index] = i;
    add_certain_arcs();
    add_initial_reads();
    collect_questions();
  }

  // Nothing if the transactions marked in `active` have an order, or if deciding this takes more than
  // `effort` questions.
  std::optional<Contradiction> refute(const std::vector<bool>& active, std::uint64_t effort) {
    start(active);
    effort_ = effort;
    if (points_.events() == 2)
      for (const TransactionId t : transactions_)
        if (is_active(t)) add({begin_of(t), commit_of(t), {t, t}});
    std::optional<Proof> proof;
    for (const Arc& arc : certain_) {
      if (!is_active(arc.edge.from) || !is_active(arc.edge.to)) continue;
      if (reaches(arc.to, arc.from)) {
        proof = end_of_case(arc);
        break;
      }
      add(arc);
    }
    if (!proof) proof = search();
    if (!proof) return std::nullopt;
    Contradiction found;
    number(proof->node, found);
    return found;
  }

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

  void add_certain_arcs() {
    const auto step_of = [&](const Edge& edge) -> PointStep {
      switch (edge.kind) {
        case EdgeKind::ReadWrite:
          return points_.read_then_write(edge.from, edge.to);
        case EdgeKind::WriteWrite:
          return points_.write_then_write(edge.from, edge.to);
        default:
          return {points_.commit(edge.from), points_.begin(edge.to)};
      }
    };
    for (const TransactionId from : transactions_)
      for (const TransactionId to : transactions_) {
        budget_.poll("contradiction");
        if (from == to) continue;
        std::vector<PointStep> steps;
        for (const Edge& edge : explain_edge(history_, relations_, points_.shape(), from, to)) {
          const PointStep step = step_of(edge);
          if (std::ranges::find(steps, step) != steps.end()) continue;
          steps.push_back(step);
          certain_.push_back(arc(step, edge));
        }
      }
  }
  // A reader of the initial version of an open key precedes all its writers.
  void add_initial_reads() {
    for (const TransactionId reader : transactions_)
      for (const Access& access : relations_.read_write_sets.of(reader)) {
        const std::uint32_t key = open_.index_of_key[access.key.index];
        if (key == OpenKeys::kClosed || access.read.is_none() || access.read.index != access.key.index)
          continue;
        const std::uint32_t end = open_.first_write_of(key + 1);
        for (std::uint32_t w = open_.first_write_of(key); w < end; ++w) {
          const TransactionId writer = open_.writes[w].writer;
          if (writer == reader || !slot_.contains(writer.index)) continue;
          const Edge edge{
              reader,      writer, EdgeKind::ReadWrite, access.key, read_operation(reader, access.key),
              operation(w)};
          certain_.push_back(arc(points_.read_then_write(reader, writer), edge));
        }
      }
  }
  void collect_questions() {
    const auto is_here = [&](std::uint32_t write) {
      return write == OpenKeys::kInitial || slot_.contains(open_.writes[write].writer.index);
    };
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_key;
    for (const TransactionId t : transactions_)
      for (const Access& access : relations_.read_write_sets.of(t)) {
        const std::uint32_t index = open_.index_of_key[access.key.index];
        if (access.written.is_none() || index == OpenKeys::kClosed) continue;
        const std::uint32_t end = open_.first_write_of(index + 1);
        for (std::uint32_t w = open_.first_write_of(index); w < end; ++w)
          if (open_.writes[w].version == access.written) by_key[index].push_back(w);
      }
    for (const auto& [key, writes] : by_key)
      for (std::size_t i = 0; i < writes.size(); ++i)
        for (std::size_t j = i + 1; j < writes.size(); ++j)
          all_questions_.push_back({.writes = {writes[i], writes[j]}});
    for (std::uint32_t i = 0; i < open_.many_sourced.size(); ++i) {
      const OpenKeys::ManySourced& read = open_.many_sourced[i];
      if (!slot_.contains(read.reader.index)) continue;
      std::vector<std::uint32_t> sources = open_.sources_of(read);
      if (std::ranges::all_of(sources, is_here))
        all_questions_.push_back({.read = i, .writes = std::move(sources)});
    }
  }
  void start(const std::vector<bool>& active) {
    active_ = active;
    questions_.clear();
    for (const Question& question : all_questions_)
      if (applies(question)) questions_.push_back(question);
    answers_.clear();
    arcs_.clear();
    nodes_.clear();
    const std::size_t places = transactions_.size() * points_.events();
    reach_.assign(places, std::vector<std::uint64_t>((places + 63) / 64, 0));
  }
  bool applies(const Question& question) const {
    if (question.read != kNone && !is_active(open_.many_sourced[question.read].reader)) return false;
    return std::ranges::all_of(question.writes, [&](std::uint32_t write) {
      return write == OpenKeys::kInitial || is_active(open_.writes[write].writer);
    });
  }

  Place begin_of(TransactionId t) const { return slot_.at(t.index) * points_.events(); }
  Place commit_of(TransactionId t) const {
    return slot_.at(t.index) * points_.events() + points_.events() - 1;
  }
  Place place_of(Vertex v) const {
    const TransactionId t = points_.map().transaction(v);
    return points_.map().is_commit(v) ? commit_of(t) : begin_of(t);
  }
  Arc arc(PointStep step, const Edge& edge) const {
    return {place_of(step.first), place_of(step.second), edge};
  }
  bool is_active(TransactionId t) const {
    const auto slot = slot_.find(t.index);
    return slot != slot_.end() && active_[slot->second];
  }
  bool reaches(Place from, Place to) const { return (reach_[from][to / 64] >> (to % 64) & 1) != 0; }
  void add(const Arc& arc) {
    arcs_.push_back(arc);
    if (reaches(arc.from, arc.to)) return;
    std::vector<std::uint64_t> gained = reach_[arc.to];
    gained[arc.to / 64] |= std::uint64_t{1} << (arc.to % 64);
    for (Place v = 0; v < reach_.size(); ++v) {
      if (v != arc.from && !reaches(v, arc.from)) continue;
      for (std::size_t word = 0; word < gained.size(); ++word) reach_[v][word] |= gained[word];
    }
  }

  // What an answer adds in the current case.
  std::vector<Arc> arcs_of(std::uint32_t question, std::uint32_t choice) const {
    std::vector<Arc> arcs;
    const Question& asked = questions_[question];
    if (asked.read == kNone)
      add_order_arcs(asked.writes[choice], asked.writes[1 - choice], arcs);
    else
      add_source_arcs(open_.many_sourced[asked.read], asked.writes[choice], arcs);
    return arcs;
  }
  void add_order_arcs(std::uint32_t earlier, std::uint32_t later, std::vector<Arc>& arcs) const {
    const auto depth = static_cast<std::uint32_t>(answers_.size());
    const TransactionId first = open_.writes[earlier].writer, second = open_.writes[later].writer;
    Edge edge{
        first,           second, EdgeKind::WriteWrite, history_.key(operation(earlier)), operation(earlier),
        operation(later)};
    edge.basis = OrderBasis::Case;
    arcs.push_back(arc(points_.write_then_write(first, second), edge));
    arcs.back().answers[0] = depth;
    for (const TransactionId reader : open_.readers[earlier]) {
      if (!is_active(reader) || reader == second) continue;
      arcs.push_back(missed(reader, read_operation(reader, edge.key), later));
      arcs.back().answers[0] = depth;
    }
    for (std::uint32_t i = 0; i < answers_.size(); ++i) {
      const Question& other = questions_[answers_[i].question];
      if (other.read == kNone || other.writes[answers_[i].choice] != earlier) continue;
      const OpenKeys::ManySourced& read = open_.many_sourced[other.read];
      if (read.reader == second) continue;
      arcs.push_back(missed(read.reader, read.operation, later));
      arcs.back().answers = {i, depth};
    }
  }
  void add_source_arcs(const OpenKeys::ManySourced& read, std::uint32_t source,
                       std::vector<Arc>& arcs) const {
    const auto depth = static_cast<std::uint32_t>(answers_.size());
    const auto add_missed = [&](std::uint32_t write, std::uint32_t other_answer) {
      if (open_.writes[write].writer == read.reader) return;
      arcs.push_back(missed(read.reader, read.operation, write));
      arcs.back().answers = {depth, other_answer};
    };
    if (source == OpenKeys::kInitial) {
      const std::uint32_t end = open_.first_write_of(read.key + 1);
      for (std::uint32_t w = open_.first_write_of(read.key); w < end; ++w)
        if (is_active(open_.writes[w].writer)) add_missed(w, kNone);
      return;
    }
    const TransactionId writer = open_.writes[source].writer;
    Edge edge{
        writer,        read.reader, EdgeKind::WriteRead, history_.key(read.operation), operation(source),
        read.operation};
    edge.basis = OrderBasis::Case;
    arcs.push_back(arc({points_.commit(writer), points_.begin(read.reader)}, edge));
    arcs.back().answers[0] = depth;
    for (std::uint32_t i = 0; i < answers_.size(); ++i) {
      const Question& other = questions_[answers_[i].question];
      if (other.read != kNone || other.writes[answers_[i].choice] != source) continue;
      add_missed(other.writes[1 - answers_[i].choice], i);
    }
  }
  // `reader` saw a version that `write` overwrote.
  Arc missed(TransactionId reader, OperationId read, std::uint32_t write) const {
    const TransactionId writer = open_.writes[write].writer;
    Edge edge{reader, writer, EdgeKind::ReadWrite, history_.key(read), read, operation(write)};
    edge.basis = OrderBasis::Case;
    return arc(points_.read_then_write(reader, writer), edge);
  }
  bool closes(const std::vector<Arc>& arcs) const {
    return std::ranges::any_of(arcs, [&](const Arc& arc) { return reaches(arc.to, arc.from); });
  }
  bool adds(const std::vector<Arc>& arcs) const {
    return std::ranges::any_of(arcs, [&](const Arc& arc) { return !reaches(arc.from, arc.to); });
  }

  std::optional<Proof> search() {
    budget_.look("contradiction");
    const std::optional<std::uint32_t> question = best_question();
    return question && effort_-- > 0 ? ask(*question) : std::nullopt;
  }
  // The question with the fewest answers that do not end immediately. Questions about two writes only if
  // each such answer adds something: one that adds nothing can be assumed. What a read saw matters to
  // other answers.
  std::optional<std::uint32_t> best_question() const {
    std::optional<std::uint32_t> best;
    std::size_t fewest = 0;
    for (std::uint32_t q = 0; q < questions_.size(); ++q) {
      if (questions_[q].answered) continue;
      std::size_t possible = 0;
      bool free = false;
      for (std::uint32_t choice = 0; choice < questions_[q].writes.size() && !free; ++choice) {
        const std::vector<Arc> arcs = arcs_of(q, choice);
        if (closes(arcs)) continue;
        ++possible;
        free = questions_[q].read == kNone && !adds(arcs);
      }
      if (free || (best && possible >= fewest)) continue;
      best = q;
      fewest = possible;
      if (possible <= 1) break;
    }
    return best;
  }
  std::optional<Proof> ask(std::uint32_t question) {
    const std::size_t depth = answers_.size();
    const Question asked = questions_[question];
    Contradiction::Node node;
    node.read = asked.read == kNone ? OperationId::none() : open_.many_sourced[asked.read].operation;
    for (const std::uint32_t write : asked.writes)
      node.writes.push_back(write == OpenKeys::kInitial ? OperationId::none() : operation(write));
    Proof whole{.uses = std::vector<bool>(depth, false)};
    for (std::uint32_t choice = 0; choice < asked.writes.size(); ++choice) {
      std::optional<Proof> one = settle(question, choice);
      if (!one) return std::nullopt;
      if (!one->uses[depth]) {
        one->uses.resize(depth);
        return one;
      }
      for (std::size_t i = 0; i < depth; ++i) whole.uses[i] = whole.uses[i] || one->uses[i];
      node.cases.push_back(one->node);
    }
    whole.node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(std::move(node));
    return whole;
  }
  std::optional<Proof> settle(std::uint32_t question, std::uint32_t choice) {
    const auto reach = reach_;
    const std::size_t arcs = arcs_.size();
    const std::vector<Arc> added = arcs_of(question, choice);
    answers_.push_back({question, choice});
    questions_[question].answered = true;
    std::optional<Proof> proof;
    for (const Arc& arc : added) {
      if (reaches(arc.to, arc.from)) {
        proof = end_of_case(arc);
        break;
      }
      add(arc);
    }
    if (!proof) proof = search();
    questions_[question].answered = false;
    answers_.pop_back();
    arcs_.resize(arcs);
    reach_ = reach;
    return proof;
  }
  // The arc that closes a cycle, and a shortest path back.
  Proof end_of_case(const Arc& closing) {
    std::vector<std::uint32_t> by(reach_.size(), kNone);  // By position: the arc that led there.
    std::vector<Place> queue{closing.to};
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (std::uint32_t i = 0; i < arcs_.size(); ++i) {
        if (arcs_[i].from != queue[next] || arcs_[i].to == closing.to || by[arcs_[i].to] != kNone) continue;
        by[arcs_[i].to] = i;
        queue.push_back(arcs_[i].to);
      }
    std::vector<const Arc*> circle{&closing};
    for (Place at = closing.from; at != closing.to; at = arcs_[by[at]].from) circle.push_back(&arcs_[by[at]]);
    std::ranges::reverse(circle);
    Contradiction::Node node;
    Proof proof{.node = static_cast<std::uint32_t>(nodes_.size()),
                .uses = std::vector<bool>(answers_.size(), false)};
    for (const Arc* arc : circle) {
      if (arc->edge.from == arc->edge.to) continue;
      node.cycle.push_back(arc->edge);
      for (const std::uint32_t answer : arc->answers)
        if (answer != kNone) proof.uses[answer] = true;
    }
    nodes_.push_back(std::move(node));
    return proof;
  }
  // The nodes that the proof uses, each before its cases.
  std::uint32_t number(std::uint32_t node, Contradiction& proof) const {
    const auto place = static_cast<std::uint32_t>(proof.nodes.size());
    proof.nodes.push_back(nodes_[node]);
    for (std::size_t i = 0; i < nodes_[node].cases.size(); ++i) {
      const std::uint32_t child = number(nodes_[node].cases[i], proof);
      proof.nodes[place].cases[i] = child;
    }
    return place;
  }

  OperationId operation(std::uint32_t write) const {
    return relations_.read_write_sets.write_operation[open_.writes[write].version.index];
  }
  OperationId read_operation(TransactionId reader, KeyId key) const {
    return relations_.read_write_sets.read_of(*relations_.read_write_sets.access(reader, key));
  }

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

constexpr std::size_t kMaxTransactions = 3000;
constexpr std::uint64_t kProofEffort = 1'000'000;  // Questions for the proof.
constexpr std::uint64_t kQuick = 2'000;  // Questions to decide whether some transactions can be dropped.

}  // namespace

std::optional<Contradiction> smallest_contradiction(const History& history, const Relations& relations,
                                                    const OpenKeys& open, const Points& points,
                                                    const std::vector<TransactionId>& transactions,
                                                    Budget& budget) {
  if (transactions.size() > kMaxTransactions) return std::nullopt;
  CaseSearch search(history, relations, open, points, transactions, budget);
  std::vector<bool> active(transactions.size(), true);
  std::optional<Contradiction> proof = search.refute(active, kProofEffort);
  if (!proof) return std::nullopt;
  // Drops entire ranges first, then single transactions: a contradiction without them is also one with
  // them.
  for (std::size_t stretch = std::max<std::size_t>(transactions.size() / 4, 1);; stretch /= 2) {
    for (std::size_t first = 0; first < transactions.size(); first += stretch) {
      std::vector<bool> fewer = active;
      const std::size_t end = std::min(first + stretch, transactions.size());
      std::fill(fewer.begin() + static_cast<std::ptrdiff_t>(first),
                fewer.begin() + static_cast<std::ptrdiff_t>(end), false);
      if (fewer == active) continue;
      if (std::optional<Contradiction> smaller = search.refute(fewer, kQuick)) {
        proof = std::move(smaller);
        active = fewer;
      }
    }
    if (stretch == 1) return proof;
  }
}

}  // namespace serval
