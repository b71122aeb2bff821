#include "serval/check/polygraph/version_saturation.h"

#include <algorithm>

#include "serval/graph/topological_order.h"

namespace serval {
namespace {

constexpr std::size_t kAhead = 8;  // Rows of clocks in flight.

}  // namespace

VersionSaturation::VersionSaturation(const History& history, const Points& points, const Chains& chains,
                                     const OpenKeys& open, CsrGraph graph, Budget& budget)
    : history_(history),
      points_(points),
      chains_(chains),
      open_(open),
      budget_(budget),
      graph_(std::move(graph)),
      clocks_(history, points, chains) {}

bool VersionSaturation::run() {
  if (!sort_and_count()) return false;
  for (;;) {
    const std::size_t before = conclusions_.size();
    rounds_.push_back(before);
    look_at_reads();
    look_at_writes();
    if (conclusions_.size() == before) return true;
    extend_graph(before);
    if (!sort_and_count()) return false;
  }
}

bool VersionSaturation::sort_and_count() {
  order_ = topological_order(graph_, budget_);
  if (order_.size() < graph_.vertex_count()) return false;
  clocks_.fill(graph_, order_, budget_);
  return true;
}

void VersionSaturation::look_at_reads() {
  for (std::size_t i = 0; i < open_.reads.size(); ++i) {
    budget_.poll("saturation");
    if (i + kAhead < open_.reads.size()) clocks_.prefetch(points_.begin(open_.reads[i + kAhead].reader));
    if (clocks_.changed(points_.begin(open_.reads[i].reader))) look_at_read(open_.reads[i]);
  }
}

void VersionSaturation::look_at_read(const OpenKeys::Read& read) {
  const TransactionId seen = open_.writes[read.seen].writer;
  const Vertex reads = points_.begin(read.reader);
  const auto before_read = clocks_.row(reads), before_seen = clocks_.row(points_.overwrites(seen));
  for (const OpenKeys::Entry& entry : open_.entries_of(read.key)) {
    if (!clocks_.changed(reads, entry.chain)) continue;
    const std::uint32_t commits = points_.commits_within(before_read[entry.chain]);
    // What precedes the version that was read needs no conclusion; usually that is everything.
    if (commits <= points_.commits_within(before_seen[entry.chain])) continue;
    const std::uint32_t other = open_.last_below(entry, commits);
    if (other == OpenKeys::kInitial || other == read.seen) continue;
    if (before_seen[entry.chain] > points_.commit_event(open_.positions[other])) continue;
    const TransactionId writer = open_.writes[other].writer;
    if (writer != read.reader)
      conclude({points_.write_then_write(writer, seen), Conclusion::Rule::WriteBeforeRead, read.seen, other,
                read.reader});
  }
}

void VersionSaturation::look_at_writes() {
  for (std::uint32_t w = 0; w < open_.writes.size(); ++w) {
    budget_.poll("saturation");
    if (w + kAhead < open_.writes.size()) clocks_.prefetch(points_.commit(open_.writes[w + kAhead].writer));
    if (clocks_.changed(points_.commit(open_.writes[w].writer))) look_at_write(w);
  }
}

void VersionSaturation::look_at_write(std::uint32_t index) {
  const TransactionId later = open_.writes[index].writer;
  const Vertex commit = points_.commit(later);
  const auto before_commit = clocks_.row(commit), before_begin = clocks_.row(points_.begin(later));
  const bool has_previous = index > 0 && open_.key_of_write[index - 1] == open_.key_of_write[index] &&
                            chain_of(index - 1) == chain_of(index);
  const auto before_previous =
      clocks_.row(points_.commit(open_.writes[has_previous ? index - 1 : index].writer));
  for (const OpenKeys::Entry& entry : open_.entries_of(open_.key_of_write[index])) {
    if (!clocks_.changed(commit, entry.chain)) continue;
    std::uint32_t seen = open_.last_below(entry, points_.overwrites_within(before_commit[entry.chain]));
    if (seen == index) seen = index == entry.first_write ? OpenKeys::kInitial : index - 1;
    if (seen == OpenKeys::kInitial) continue;
    // What precedes the previous writer of the chain is already handled, and that writer precedes
    // this one.
    if (has_previous && seen != index - 1 &&
        open_.positions[seen] < points_.overwrites_within(before_previous[entry.chain]))
      continue;
    for (const TransactionId reader : open_.readers[seen]) {
      const std::uint32_t chain = chains_.chain[reader.index];
      if (reader == later || before_commit[chain] > points_.begin_event(chains_.position[reader.index]))
        continue;
      conclude({points_.read_then_write(reader, later), Conclusion::Rule::Overwritten, seen, index, reader});
    }
    if (points_.exclusive() && before_begin[entry.chain] <= points_.commit_event(open_.positions[seen]))
      conclude({points_.write_then_write(open_.writes[seen].writer, later), Conclusion::Rule::Exclusive, seen,
                index});
  }
}

void VersionSaturation::conclude(const Conclusion& conclusion) { conclusions_.push_back(conclusion); }

void VersionSaturation::extend_graph(std::size_t first) {
  graph_ = build_graph(graph_.vertex_count(), [&](auto&& emit) {
    for (Vertex v = 0; v < graph_.vertex_count(); ++v)
      for (const Vertex next : graph_.successors(v)) emit(v, next);
    for (std::size_t i = first; i < conclusions_.size(); ++i)
      emit(conclusions_[i].step.first, conclusions_[i].step.second);
  });
}

}  // namespace serval
