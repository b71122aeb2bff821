#pragma once
// Instances for solvers of orders, from a seed: transactions that read and write keys blindly, executed one
// after another in a hidden order. What reads saw and the sessions are known; whoever else wrote the key
// comes before the writer or after the reader.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "serval/base/random.h"
#include "serval/graph/csr_graph.h"
#include "serval/graph/topological_order.h"

namespace serval::bench {

struct PolygraphSize {
  Vertex transactions;
  std::uint32_t sessions;  // 0: no session order.
  std::uint32_t keys;
  std::uint32_t operations;      // A transaction, half of them writes, each of a key of its own.
  Vertex displacement;           // How far from the hidden order the start may be.
  std::uint32_t contradictions;  // Pairs of readers that see two writes in different orders.
};

struct Polygraph {
  static constexpr Vertex kInitial = 0xFFFFFFFFu;
  struct Read {
    Vertex reader, writer;
    std::uint32_t key;
  };
  CsrGraph known;
  std::vector<Vertex> start;
  std::vector<Read> reads;
  std::vector<std::vector<Vertex>> writers;  // By key.
};

namespace polygraph_detail {

// Transactions are numbered as they may have come into a file: near the hidden order.
inline std::vector<Vertex> displaced_numbers(const PolygraphSize& size, Random& random) {
  std::vector<std::uint64_t> key(size.transactions);
  for (Vertex i = 0; i < size.transactions; ++i)
    key[i] = i + random.below(std::uint64_t{size.displacement} + 1);
  std::vector<Vertex> by_key(size.transactions), number(size.transactions);
  std::iota(by_key.begin(), by_key.end(), 0u);
  std::ranges::stable_sort(by_key, {}, [&](Vertex i) { return key[i]; });
  for (Vertex i = 0; i < size.transactions; ++i) number[by_key[i]] = i;
  return number;
}

// Two writes of two keys, and two readers that disagree about their order: each sees one of them and what
// the other one overwrote.
inline void plant(Polygraph& graph, std::span<Vertex> latest, std::span<const Vertex> four, Random& random) {
  const auto x = static_cast<std::uint32_t>(random.below(latest.size()));
  const auto y = static_cast<std::uint32_t>((x + 1 + random.below(latest.size() - 1)) % latest.size());
  graph.reads.push_back({four[2], four[0], x});
  graph.reads.push_back({four[2], latest[y], y});
  graph.reads.push_back({four[3], latest[x], x});
  graph.reads.push_back({four[3], four[1], y});
  graph.writers[x].push_back(latest[x] = four[0]);
  graph.writers[y].push_back(latest[y] = four[1]);
}

inline void execute(Polygraph& graph, std::span<Vertex> latest, Vertex transaction, std::uint32_t operations,
                    Random& random) {
  std::vector<std::uint32_t> keys;
  while (keys.size() < operations) {
    const auto key = static_cast<std::uint32_t>(random.below(latest.size()));
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 2 == 0) {
      graph.reads.push_back({transaction, latest[keys[i]], keys[i]});
    } else {
      graph.writers[keys[i]].push_back(latest[keys[i]] = transaction);
    }
  }
}

}  // namespace polygraph_detail

inline Polygraph make_polygraph(const PolygraphSize& size, std::uint64_t seed, Budget& budget) {
  namespace detail = polygraph_detail;
  Random random(seed);
  Polygraph graph;
  graph.writers.resize(size.keys);
  const std::vector<Vertex> number = detail::displaced_numbers(size, random);
  std::vector<Vertex> latest(size.keys, Polygraph::kInitial);
  const Vertex spacing =
      size.contradictions == 0 ? size.transactions : size.transactions / (size.contradictions + 1);
  for (Vertex i = 0; i < size.transactions; ++i) {
    if (i % spacing == spacing - 1 && i + 5 < size.transactions && i / spacing < size.contradictions) {
      const std::vector<Vertex> four{number[i], number[i + 1], number[i + 2], number[i + 3]};
      detail::plant(graph, latest, four, random);
      i += 3;
    } else {
      detail::execute(graph, latest, number[i], size.operations, random);
    }
  }
  std::vector<Vertex> previous(size.sessions, Polygraph::kInitial);
  std::vector<std::pair<Vertex, Vertex>> session_edges;
  for (Vertex i = 0; i < size.transactions && size.sessions > 0; ++i) {
    Vertex& last = previous[random.below(size.sessions)];
    if (last != Polygraph::kInitial) session_edges.emplace_back(last, number[i]);
    last = number[i];
  }
  graph.known = build_graph(size.transactions, [&](auto&& edge) {
    for (const auto& [from, to] : session_edges) edge(from, to);
    for (const Polygraph::Read& read : graph.reads)
      if (read.writer != Polygraph::kInitial) edge(read.writer, read.reader);
  });
  std::vector<std::int64_t> keys(size.transactions);
  std::iota(keys.begin(), keys.end(), 0);
  graph.start = topological_order(graph.known, keys, budget);
  return graph;
}

// Calls violated(read, other) for every other writer that stands between a read and what it saw.
template <class Violated>
void for_each_violation(const Polygraph& graph, std::span<const std::uint32_t> rank, Violated&& violated) {
  std::vector<std::vector<Vertex>> writers = graph.writers;
  const auto place = [&](Vertex v) { return rank[v]; };
  for (std::vector<Vertex>& row : writers) std::ranges::sort(row, {}, place);
  for (const Polygraph::Read& read : graph.reads) {
    const std::vector<Vertex>& row = writers[read.key];
    auto other = read.writer == Polygraph::kInitial
                     ? row.begin()
                     : std::ranges::upper_bound(row, rank[read.writer], {}, place);
    for (; other != row.end() && rank[*other] < rank[read.reader]; ++other) violated(read, *other);
  }
}

}  // namespace serval::bench
