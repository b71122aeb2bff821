#pragma once
// Instances for order solvers, from a seed: transactions that read keys and write them blindly, executed
// serially in a hidden order. The sessions and what reads saw are known. Every other writer of the key
// comes before the writer that was read or after the reader.

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
  std::uint32_t sessions;  // 0 for no session order.
  std::uint32_t keys;
  std::uint32_t operations;       // Per transaction; half of them are writes, each of a different key.
  Vertex displacement;            // How far the start may be from the hidden order.
  bool planted = false;           // Adds two readers in the middle that disagree about two updates.
  std::uint32_t stale_reads = 0;  // The number of reads that see an older version.
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

// Transactions are numbered as they might appear in a file: close to the hidden order.
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

// Two updates of two keys, and two readers that disagree about their order: each sees one of them and
// what the other one overwrote.
inline void plant(Polygraph& graph, std::span<Vertex> latest, std::span<const Vertex> four, Random& random) {
  const auto x = static_cast<std::uint32_t>(random.below(latest.size()));
  const auto y = static_cast<std::uint32_t>((x + 1 + random.below(latest.size() - 1)) % latest.size());
  graph.reads.push_back({four[0], latest[x], x});
  graph.reads.push_back({four[1], latest[y], y});
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

// Makes a read see an older version, unless its version is the first one.
inline void make_stale(Polygraph& graph, Random& random) {
  Polygraph::Read& read = graph.reads[random.below(graph.reads.size())];
  const std::vector<Vertex>& row = graph.writers[read.key];  // In the order of execution.
  const auto seen = std::ranges::find(row, read.writer);
  if (seen != row.end() && seen != row.begin())
    read.writer = row[random.below(static_cast<std::uint64_t>(seen - row.begin()))];
}

using Edges = std::vector<std::pair<Vertex, Vertex>>;
inline Edges session_edges(const PolygraphSize& size, std::span<const Vertex> number, Random& random) {
  Edges edges;
  std::vector<Vertex> previous(size.sessions, Polygraph::kInitial);
  for (Vertex i = 0; i < size.transactions && size.sessions > 0; ++i) {
    Vertex& last = previous[random.below(size.sessions)];
    if (last != Polygraph::kInitial) edges.emplace_back(last, number[i]);
    last = number[i];
  }
  return edges;
}

}  // namespace polygraph_detail

inline Polygraph make_polygraph(const PolygraphSize& size, std::uint64_t seed, Budget& budget) {
  namespace detail = polygraph_detail;
  Random random(seed);
  Polygraph graph;
  graph.writers.resize(size.keys);
  const std::vector<Vertex> number = detail::displaced_numbers(size, random);
  std::vector<Vertex> latest(size.keys, Polygraph::kInitial);
  for (Vertex i = 0; i < size.transactions; ++i) {
    if (size.planted && i == size.transactions / 2) {
      detail::plant(graph, latest, std::span(number).subspan(i, 4), random);
      i += 3;
    } else {
      detail::execute(graph, latest, number[i], size.operations, random);
    }
  }
  for (std::uint32_t i = 0; i < size.stale_reads; ++i) detail::make_stale(graph, random);
  const detail::Edges sessions = detail::session_edges(size, number, random);
  graph.known = build_graph(size.transactions, [&](auto&& edge) {
    for (const auto& [from, to] : sessions) edge(from, to);
    for (const Polygraph::Read& read : graph.reads)
      if (read.writer != Polygraph::kInitial) edge(read.writer, read.reader);
  });
  std::vector<std::int64_t> keys(size.transactions);
  std::iota(keys.begin(), keys.end(), 0);
  graph.start = topological_order(graph.known, keys, budget);
  return graph;
}

// Calls violated(read, other) for every other writer between a read and what it saw.
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
