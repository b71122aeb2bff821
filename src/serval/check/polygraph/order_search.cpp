#include "serval/check/polygraph/order_search.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/check/polygraph/contradiction.h"
#include "serval/check/polygraph/reasons.h"
#include "serval/graph/topological_order.h"

namespace serval {
namespace {

constexpr std::size_t kFewRounds = 20;
constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();
constexpr std::uint64_t kMaxClockCells = 200'000'000;  // Two times four bytes each.

std::vector<std::uint32_t> ranks_of(const std::vector<Vertex>& order) {
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

}  // namespace

OrderSearch::OrderSearch(const History& history, const Relations& relations, GraphShape shape, CsrGraph graph,
                         Trail& trail, Budget& budget)
    : history_(history),
      relations_(relations),
      trail_(trail),
      budget_(budget),
      points_(shape),
      graph_(std::move(graph)) {}

bool OrderSearch::run() {
  prepare();
  if (history_.has_times()) {
    trail_.time("times", [&] { return try_times(); });
    if (found_) return true;
  }
  trail_.time("saturate", [&] { return saturate(); });
  if (impossible_) return false;
  trail_.time("guess", [&] {
    choose_candidate();
    return fmt::format("{}, {} questions answered wrongly", candidate_->name, candidate_->wrong.size());
  });
  if (!candidate_->wrong.empty()) trail_.time("solve", [&] { return solve(kAnyNumber); });
  return !impossible_;
}

// Sessions, if they count and clocks over them are not too large.
Chains OrderSearch::choose_chains() {
  const GraphShape shape = points_.shape();
  if (shape.session_order) {
    Chains sessions = chains_of_sessions(history_, relations_);
    if (std::uint64_t{graph_.vertex_count()} * sessions.count <= kMaxClockCells) return sessions;
  }
  return chains_of_graph(history_, relations_, shape, graph_, topological_order(graph_, budget_));
}

void OrderSearch::prepare() {
  chains_ = choose_chains();
  open_ = find_open_keys(history_, relations_, chains_, points_.exclusive(), budget_);
  questions_.emplace(open_, points_);
  saturation_.emplace(history_, points_, chains_, open_, with_initial_reads(std::move(graph_)), budget_);
}

// Databases mostly commit in the order of the responses, and then almost nothing is left to decide.
std::string OrderSearch::try_times() {
  std::vector<Vertex> order = topological_order(saturation_->graph(), times_of_vertices(), budget_);
  if (order.size() < saturation_->graph().vertex_count()) return "the known order has a cycle";
  consider("by the times", std::move(order));
  const std::size_t wrong = candidate_->wrong.size();
  std::string result = fmt::format("{} questions answered wrongly", wrong);
  if (wrong == 0)
    found_ = true;
  else if (wrong <= 1 + history_.transaction_count() / 50)
    result += "; " + solve(kFewRounds);
  if (found_) return result;
  candidate_.reset();
  solver_.reset();
  questions_.emplace(open_, points_);
  impossible_ = false;
  culprits_.clear();
  return result;
}

namespace {

// Readers of the initial version precede all writers, that is, the first of each chain. If there are
// many of both, helper vertices lead to the writers: from the one at `position` forward, or from it
// backward.
class InitialReadEdges {
 public:
  InitialReadEdges(const OpenKeys& open, const Points& points, const Chains& chains, Vertex first_helper)
      : open_(open), points_(points), chains_(chains), first_(open.keys.size(), kDirect), end_(first_helper) {
    std::vector<std::uint32_t> readers(open.keys.size(), 0);
    for (const OpenKeys::Read& read : open.initial_reads) ++readers[read.key];
    for (std::uint32_t key = 0; key < readers.size(); ++key) {
      const std::size_t writers = open.entries_of(key).size();
      if (std::min<std::size_t>(readers[key], writers) <= kFew) continue;
      first_[key] = end_;
      expects(end_ + 2 * writers < 0xFFFFFFFFu, "fewer than 2^32 - 1 vertices");
      end_ += static_cast<Vertex>(2 * writers);
    }
  }

  Vertex vertex_count() const { return end_; }

  template <class Emit>
  void operator()(Emit&& emit) const {
    for (std::uint32_t key = 0; key < first_.size(); ++key)
      if (first_[key] != kDirect) chain_helpers(key, emit);
    for (const OpenKeys::Read& read : open_.initial_reads) {
      if (first_[read.key] == kDirect)
        lead_directly(read, emit);
      else
        lead_by_helpers(read, emit);
    }
  }

 private:
  static constexpr Vertex kDirect = 0xFFFFFFFFu;
  static constexpr std::size_t kFew = 24;  // As in dependency_graph.cpp.

  TransactionId writer(const OpenKeys::Entry& entry) const { return open_.writes[entry.first_write].writer; }
  Vertex onward(std::uint32_t key, std::size_t position) const {
    return static_cast<Vertex>(first_[key] + 2 * position);
  }
  Vertex backward(std::uint32_t key, std::size_t position) const { return onward(key, position) + 1; }

  template <class Emit>
  void chain_helpers(std::uint32_t key, Emit& emit) const {
    const std::span<const OpenKeys::Entry> entries = open_.entries_of(key);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      emit(onward(key, i), points_.commit(writer(entries[i])));
      emit(backward(key, i), points_.commit(writer(entries[i])));
      if (i + 1 < entries.size()) emit(onward(key, i), onward(key, i + 1));
      if (i > 0) emit(backward(key, i), backward(key, i - 1));
    }
  }

  template <class Emit>
  void lead_directly(const OpenKeys::Read& read, Emit& emit) const {
    for (const OpenKeys::Entry& entry : open_.entries_of(read.key))
      if (writer(entry) != read.reader) emit(points_.begin(read.reader), points_.commit(writer(entry)));
  }

  // Skips the reader itself if it is one of the writers: entries are in the order of their chains.
  template <class Emit>
  void lead_by_helpers(const OpenKeys::Read& read, Emit& emit) const {
    const std::span<const OpenKeys::Entry> entries = open_.entries_of(read.key);
    const Vertex begin = points_.begin(read.reader);
    const std::uint32_t chain = chains_.chain[read.reader.index];
    const auto own = std::ranges::lower_bound(entries, chain, {}, &OpenKeys::Entry::chain);
    if (own == entries.end() || writer(*own) != read.reader) return emit(begin, onward(read.key, 0));
    const auto position = static_cast<std::size_t>(own - entries.begin());
    if (position + 1 < entries.size()) emit(begin, onward(read.key, position + 1));
    if (position > 0) emit(begin, backward(read.key, position - 1));
  }

  const OpenKeys& open_;
  const Points& points_;
  const Chains& chains_;
  std::vector<Vertex> first_;  // By open key: its first helper.
  Vertex end_;
};

}  // namespace

CsrGraph OrderSearch::with_initial_reads(CsrGraph graph) const {
  if (open_.initial_reads.empty()) return graph;
  const InitialReadEdges added(open_, points_, chains_, graph.vertex_count());
  return build_graph(added.vertex_count(), [&](auto&& emit) {
    for (Vertex v = 0; v < graph.vertex_count(); ++v)
      for (const Vertex next : graph.successors(v)) emit(v, next);
    added(emit);
  });
}

std::string OrderSearch::saturate() {
  const std::uint64_t cells = std::uint64_t{saturation_->graph().vertex_count()} * chains_.count;
  if (cells > kMaxClockCells) return fmt::format("left out: {} chains", chains_.count);
  has_clocks_ = saturation_->run();
  std::string work = fmt::format("{} chains, {} rounds, {} conclusions", chains_.count,
                                 saturation_->rounds().size(), saturation_->conclusions().size());
  if (has_clocks_) return work;
  impossible_ = true;
  culprits_ = participants_of_cycle(history_, points_, chains_, open_, *saturation_, budget_);
  return work + ", which contradict each other";
}

void OrderSearch::choose_candidate() {
  const CsrGraph& graph = saturation_->graph();
  const auto good_enough = [&] {
    return candidate_ && candidate_->wrong.size() <= history_.transaction_count() / 100;
  };
  if (history_.has_times()) consider("by the times", topological_order(graph, times_of_vertices(), budget_));
  if (!good_enough())
    consider("by the numbers", has_clocks_ ? saturation_->order() : topological_order(graph, budget_));
  if (!good_enough() && has_clocks_)
    consider("by the clocks", topological_order(graph, sums_of_vertices(), budget_));
}

void OrderSearch::consider(std::string name, std::vector<Vertex> order) {
  std::vector<std::uint32_t> rank = ranks_of(order);
  checked_.clear();
  std::vector<WrongAnswer> wrong = wrong_answers(rank);
  if (!candidate_ || wrong.size() < candidate_->wrong.size())
    candidate_ = Candidate{std::move(name), std::move(order), std::move(wrong)};
}

// A possible time for a vertex; the earliest for helpers.
std::vector<std::int64_t> OrderSearch::times_of_vertices() const {
  const VertexMap& map = points_.map();
  std::vector<std::int64_t> times(saturation_->graph().vertex_count(), kUnknownBegin);
  for (const TransactionId t : history_.transactions()) {
    const Interval interval = history_.interval(t);
    times[map.commit(t)] = interval.end;
    if (points_.shape().real_time) times[map.end(t)] = interval.end;
    if (points_.shape().snapshots) times[map.begin(t)] = interval.begin;
  }
  return times;
}

std::vector<std::int64_t> OrderSearch::sums_of_vertices() const {
  std::vector<std::int64_t> sums(saturation_->graph().vertex_count());
  for (Vertex v = 0; v < sums.size(); ++v) sums[v] = saturation_->clocks().sum(v);
  return sums;
}

// For keys used by a transaction that has moved since the last call; for all keys the first time.
std::vector<WrongAnswer> OrderSearch::wrong_answers(std::span<const std::uint32_t> rank) {
  std::vector<bool> touched(open_.keys.size(), checked_.empty());
  if (!checked_.empty())
    for (const TransactionId t : history_.transactions()) {
      const Vertex begin = points_.begin(t), commit = points_.commit(t);
      if (rank[begin] == checked_[begin] && rank[commit] == checked_[commit]) continue;
      for (const Access& access : relations_.read_write_sets.of(t)) {
        const std::uint32_t key = open_.index_of_key[access.key.index];
        if (key != OpenKeys::kClosed) touched[key] = true;
      }
    }
  std::vector<WrongAnswer> wrong;
  asked_.resize(open_.keys.size(), 0);
  for (std::uint32_t key = 0; key < open_.keys.size(); ++key) {
    budget_.look("verifying an order");
    if (!touched[key]) continue;
    const std::size_t before = wrong.size();
    questions_->find_wrong(key, rank, wrong);
    asked_[key] += static_cast<std::uint32_t>(wrong.size() - before);
  }
  checked_.assign(rank.begin(), rank.end());
  return wrong;
}

std::string OrderSearch::solve(std::size_t most_rounds) {
  solver_.emplace(saturation_->graph(), candidate_->order, budget_);
  checked_ = ranks_of(candidate_->order);
  std::vector<WrongAnswer> wrong = candidate_->wrong;
  std::size_t asked = 0, rounds = 0;
  while (!wrong.empty() && rounds < most_rounds) {
    ++rounds;
    asked += wrong.size();
    for (const WrongAnswer& one : wrong) questions_->ask(one, *solver_);
    if (!solver_->solve()) {
      impossible_ = true;
      find_culprits();
      break;
    }
    wrong = wrong_answers(solver_->rank());
  }
  found_ = wrong.empty() && !impossible_;
  const SolverStatistics work = solver_->statistics();
  return fmt::format("{} questions in {} rounds, {} decisions, {} conflicts: {}", asked, rounds,
                     work.decisions, work.conflicts,
                     impossible_ ? "no order"
                     : found_    ? "an order"
                                 : "given up");
}

void OrderSearch::find_culprits() {
  const Refutation refutation = solver_->refutation();
  culprits_ =
      participants_of_vertices(history_, points_, chains_, open_, *saturation_, refutation.vertices, budget_);
  for (const std::uint32_t clause : refutation.clauses)
    std::ranges::copy(questions_->about(clause), std::back_inserter(culprits_));
  std::ranges::sort(culprits_);
  // A read is considered together with everything that it may have seen.
  std::vector<TransactionId> sources;
  for (const OpenKeys::ManySourced& read : open_.many_sourced)
    if (std::ranges::binary_search(culprits_, read.reader))
      for (const std::uint32_t source : open_.sources_of(read))
        if (source != OpenKeys::kInitial) sources.push_back(open_.writes[source].writer);
  std::ranges::copy(sources, std::back_inserter(culprits_));
  std::ranges::sort(culprits_);
  culprits_.erase(std::unique(culprits_.begin(), culprits_.end()), culprits_.end());
}

std::vector<Vertex> OrderSearch::order() const {
  if (!solver_) return candidate_->order;
  const std::span<const std::uint32_t> rank = solver_->rank();
  std::vector<Vertex> order(rank.size());
  for (Vertex v = 0; v < rank.size(); ++v) order[rank[v]] = v;
  return order;
}

std::optional<Contradiction> OrderSearch::contradiction() {
  if (open_.has_optional_sources) return std::nullopt;
  std::optional<Contradiction> found;
  trail_.time("explain", [&] {
    found = smallest_contradiction(history_, relations_, open_, points_, culprits_, budget_);
    return fmt::format("from {} transactions{}", culprits_.size(), found ? "" : ": no small proof");
  });
  return found;
}

std::vector<std::string> OrderSearch::progress() const {
  std::vector<std::string> lines;
  if (saturation_)
    lines.push_back(fmt::format("{} keys are open; {} conclusions were drawn without a contradiction",
                                open_.keys.size(), saturation_->conclusions().size()));
  const std::uint64_t asked = std::accumulate(asked_.begin(), asked_.end(), std::uint64_t{0});
  if (asked == 0) return lines;
  const auto hottest = std::ranges::max_element(asked_);
  lines.push_back(
      fmt::format("{} questions about {} keys remained open, most of them about {}", asked,
                  std::ranges::count_if(asked_, [](std::uint32_t number) { return number > 0; }),
                  history_.format_key(open_.keys[static_cast<std::size_t>(hottest - asked_.begin())])));
  return lines;
}

}  // namespace serval
