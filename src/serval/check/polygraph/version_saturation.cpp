#include "serval/check/polygraph/version_saturation.h"

#include <algorithm>

#include "serval/graph/topological_order.h"

namespace serval {
namespace {

// The last of the writes of an entry whose place is below `limit`; null where there is none.
const OpenKeys::Write* last_below(std::span<const OpenKeys::Write> writes, std::uint32_t limit) {
  const auto end = std::ranges::lower_bound(writes, limit, {}, &OpenKeys::Write::place);
  return end == writes.begin() ? nullptr : &*(end - 1);
}

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
  TransactionId last = TransactionId::none();
  bool changed = false;
  for (const OpenKeys::Read& read : open_.reads) {
    budget_.poll("saturation");
    if (read.reader != last) changed = clocks_.changed(points_.begin(read.reader));
    last = read.reader;
    if (changed) look_at_read(read);
  }
}

void VersionSaturation::look_at_read(const OpenKeys::Read& read) {
  const TransactionId seen = open_.writes[read.seen].writer;
  const auto behind_read = clocks_.row(points_.begin(read.reader));
  const auto behind_seen = clocks_.row(points_.overwrites(seen));
  for (const OpenKeys::Entry& entry : open_.entries_of(read.key)) {
    const std::uint32_t commits = points_.commits_within(behind_read[entry.chain]);
    // What precedes the version that was read needs no conclusion; mostly that is all.
    if (commits <= points_.commits_within(behind_seen[entry.chain])) continue;
    const OpenKeys::Write* other = last_below(open_.writes_of(entry), commits);
    if (other == nullptr || other->writer == seen || other->writer == read.reader) continue;
    if (behind_seen[entry.chain] > points_.commit_event(other->place)) continue;
    conclude({points_.write_then_write(other->writer, seen), Conclusion::Rule::WriteBehindRead, read.seen,
              open_.index_of(*other), read.reader});
  }
}

void VersionSaturation::look_at_writes() {
  for (std::uint32_t w = 0; w < open_.writes.size(); ++w) {
    budget_.poll("saturation");
    if (clocks_.changed(points_.commit(open_.writes[w].writer))) look_at_write(w);
  }
}

void VersionSaturation::look_at_write(std::uint32_t index) {
  const OpenKeys::Write& later = open_.writes[index];
  const auto behind_commit = clocks_.row(points_.commit(later.writer));
  const auto behind_begin = clocks_.row(points_.begin(later.writer));
  for (const OpenKeys::Entry& entry : open_.entries_of(open_.key_of_write[index])) {
    const auto writes = open_.writes_of(entry);
    const OpenKeys::Write* earlier =
        last_below(writes, points_.overwrites_within(behind_commit[entry.chain]));
    if (earlier == &later) earlier = earlier == writes.data() ? nullptr : earlier - 1;
    if (earlier == nullptr) continue;
    const std::uint32_t seen = open_.index_of(*earlier);
    for (const TransactionId reader : open_.readers[seen]) {
      const std::uint32_t chain = chains_.chain[reader.index];
      if (reader == later.writer || behind_commit[chain] > points_.begin_event(chains_.place[reader.index]))
        continue;
      conclude({points_.read_then_write(reader, later.writer), Conclusion::Rule::Overwritten, seen, index,
                reader});
    }
    if (points_.exclusive() && behind_begin[entry.chain] <= points_.commit_event(earlier->place))
      conclude({points_.write_then_write(earlier->writer, later.writer), Conclusion::Rule::Exclusive, seen,
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
