#include "serval/report/certified_words.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "serval/history/notation.h"

namespace serval {

std::string CertifiedWords::asked(OperationId op, KeyId key) const {
  constexpr std::size_t kOthers = 3;
  const std::span<const Row> rows = history_.rows(op);
  if (rows.size() <= kOthers + 1) return print_operation(history_, op);
  std::string out = "p{";
  std::size_t others = 0, left_out = 0;
  for (const Row& row : rows) {
    if (row.key != key && ++others > kOthers) {
      ++left_out;
      continue;
    }
    out += fmt::format("{}{}={}", out.size() > 2 ? " " : "", history_.format_key(row.key),
                       format_short(history_, row.value));
  }
  return out + (left_out > 0 ? fmt::format(" … {} more rows}}", left_out) : "}");
}

std::string CertifiedWords::changed_answer(const BadRead& bad) const {
  const auto first = history_.rows(bad.source), second = history_.rows(bad.read);
  if (first.empty() && second.empty())
    return fmt::format("{} counted the rows of one predicate twice: first {}, then {}", names_(bad.reader),
                       history_.format(history_.value(bad.source)),
                       history_.format(history_.value(bad.read)));
  KeyId odd = KeyId::none();
  for (const auto& [one, other] : {std::pair(first, second), std::pair(second, first)})
    for (const Row& row : one)
      if (std::ranges::find(other, row.key, &Row::key) == other.end()) odd = row.key;
  return fmt::format("{} asked for the rows of one predicate twice: first {}, then {}", names_(bad.reader),
                     asked(bad.source, odd), asked(bad.read, odd));
}

std::string CertifiedWords::holds(OperationId write, KeyId key) const {
  std::string spelled = history_.format_key(key);
  if (write.is_none()) return spelled + " before any write";
  switch (history_.kind(write)) {
    case OperationKind::Delete:
    case OperationKind::PredicateDelete:
      return spelled + " deleted";
    case OperationKind::PredicateUpdate:
      for (const Row& row : history_.rows(write))
        if (row.key == key) return fmt::format("{} = {}", spelled, format_short(history_, row.value));
      return spelled;
    default:
      return fmt::format("{} = {}", spelled, format_short(history_, history_.value(write)));
  }
}

std::string CertifiedWords::did(OperationId write, KeyId key) const {
  switch (history_.kind(write)) {
    case OperationKind::Delete:
    case OperationKind::PredicateDelete:
      return "deleted " + history_.format_key(key);
    case OperationKind::Insert:
      return "inserted " + holds(write, key);
    default:
      return "wrote " + holds(write, key);
  }
}

std::string CertifiedWords::why(const Edge& edge) const {
  const bool reads = edge.kind == EdgeKind::WriteRead;
  const OperationId read = reads ? edge.to_op : edge.from_op;
  const TransactionId reader = reads ? edge.to : edge.from;
  if (edge.kind == EdgeKind::WriteWrite)
    return fmt::format("{} {}; {} {} after that (certificate)", name(edge.from), did(edge.from_op, edge.key),
                       name(edge.to), did(edge.to_op, edge.key));
  if (edge.of_predicate && reads)
    return fmt::format("{} {}, which changed what {} of {} matches, and it saw that", name(edge.from),
                       did(edge.from_op, edge.key), asked(read, edge.key), name(reader));
  if (edge.of_predicate)
    return fmt::format("{} asked {} before {} {}, which changed what it matches", name(reader),
                       asked(read, edge.key), name(edge.to), did(edge.to_op, edge.key));
  if (reads)
    return fmt::format("{} {}; {} saw that", name(edge.from), did(edge.from_op, edge.key), name(reader));
  return fmt::format("{} saw {} before {} {} (certificate)", name(reader), history_.format_key(edge.key),
                     name(edge.to), did(edge.to_op, edge.key));
}

std::string CertifiedWords::why(AnomalyKind kind, const BadRow& bad) const {
  const std::string key = bad.key.is_none() ? "" : history_.format_key(bad.key);
  const std::string source = bad.source.is_none() ? "" : " by " + name(bad.source);
  switch (kind) {
    case AnomalyKind::ResultSetMismatch:
      if (bad.key.is_none()) return "its result differs from the matching rows among those it saw";
      if (bad.source.is_none())
        return fmt::format(
            "its snapshot contains only the initial version of {}, but its result disagrees with that "
            "version",
            key);
      return fmt::format("its snapshot shows {}{}, but its result disagrees with that version",
                         holds(bad.source, bad.key), source);
    case AnomalyKind::OutsideSnapshot:
      return fmt::format("its snapshot does not show {}{} as the last version of {}",
                         holds(bad.source, bad.key), source, key);
    case AnomalyKind::AbortedRead:
      return fmt::format("it read what {} wrote, which aborted", name(bad.source));
    case AnomalyKind::IntermediateRead:
      return fmt::format("it read what {} wrote and then overwrote itself", name(bad.source));
    case AnomalyKind::FutureRead:
      return "it read what it wrote itself only later";
    case AnomalyKind::NotMyOwnWrite:
      return fmt::format("it had written {} itself", holds(bad.source, bad.key));
    default:
      return fmt::format("no transaction wrote that value of {}", key);
  }
}

}  // namespace serval
