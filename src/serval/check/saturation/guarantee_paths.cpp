#include "serval/check/saturation/guarantee_paths.h"

#include <algorithm>

#include "serval/base/contract.h"
#include "serval/check/saturation/visibility_paths.h"
#include "serval/inference/external_reads.h"

namespace serval {
namespace {

Edge session_edge(TransactionId before, TransactionId after) { return {before, after, EdgeKind::Session}; }

}  // namespace

bool GuaranteePaths::in_session(TransactionId before, TransactionId after) const {
  return before < after && history_.session(before) == history_.session(after);
}

std::vector<Edge> GuaranteePaths::path(TransactionId seen, TransactionId reader) {
  switch (level_) {
    case Level::ReadYourWrites:
      return own_write(seen, reader);
    case Level::MonotonicReads:
      return own_read(seen, reader);
    case Level::MonotonicWrites:
      return earlier_write(seen, reader);
    case Level::WritesFollowReads:
      return earlier_read(seen, reader);
    default:
      break;
  }
  for (const auto& found : {own_write(seen, reader), own_read(seen, reader), earlier_write(seen, reader)})
    if (!found.empty()) return found;
  return own_read_of_later(seen, reader);
}

// so
std::vector<Edge> GuaranteePaths::own_write(TransactionId seen, TransactionId reader) const {
  if (!in_session(seen, reader)) return {};
  return {session_edge(seen, reader)};
}

// wr ; so
std::vector<Edge> GuaranteePaths::own_read(TransactionId seen, TransactionId reader) {
  for (const TransactionId earlier : readers_.of(seen))
    if (in_session(earlier, reader)) return {reads_from(seen, earlier), session_edge(earlier, reader)};
  return {};
}

// so ; wr
std::vector<Edge> GuaranteePaths::earlier_write(TransactionId seen, TransactionId reader) const {
  for (const TransactionId source : sources(reader))
    if (in_session(seen, source)) return {session_edge(seen, source), reads_from(source, reader)};
  return {};
}

// wr ; so ; wr
std::vector<Edge> GuaranteePaths::earlier_read(TransactionId seen, TransactionId reader) {
  for (const TransactionId source : sources(reader))
    for (const TransactionId earlier : readers_.of(seen))
      if (in_session(earlier, source))
        return {reads_from(seen, earlier), session_edge(earlier, source), reads_from(source, reader)};
  return {};
}

// so ; wr ; so
std::vector<Edge> GuaranteePaths::own_read_of_later(TransactionId seen, TransactionId reader) const {
  for (const TransactionId earlier : history_.session_transactions(history_.session(reader))) {
    if (!relations_.takes_part[earlier.index] || earlier >= reader) continue;
    for (const TransactionId source : sources(earlier))
      if (in_session(seen, source))
        return {session_edge(seen, source), reads_from(source, earlier), session_edge(earlier, reader)};
  }
  return {};
}

std::vector<TransactionId> GuaranteePaths::sources(TransactionId reader) const {
  std::vector<TransactionId> writers;
  for (const CertainRead& read : certain_reads(history_, relations_, reader)) {
    const TransactionId writer = relations_.read_write_sets.versions[read.version.index].writer;
    if (!writer.is_none()) writers.push_back(writer);
  }
  return writers;
}

Edge GuaranteePaths::reads_from(TransactionId writer, TransactionId reader) const {
  const std::optional<Edge> edge = first_read_from(history_, relations_, writer, reader);
  expects(edge.has_value(), "a reader reads from its source");
  return *edge;
}

}  // namespace serval
