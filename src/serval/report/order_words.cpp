#include "serval/report/order_words.h"

#include <algorithm>

#include <fmt/format.h>

namespace serval {
namespace {

std::string_view words_of(ExpectedOrderSource source) {
  switch (source) {
    case ExpectedOrderSource::Timestamps:
      return "the order of the timestamps";
    case ExpectedOrderSource::Completion:
      return "the order of completion";
    case ExpectedOrderSource::Given:
      break;
  }
  return "the given order";
}

}  // namespace

std::string OrderWords::place(const BrokenOrder& broken, TransactionId t) const {
  const auto found = std::ranges::find(broken.order, t);
  return fmt::format("{} of {}", found - broken.order.begin() + 1, broken.order.size());
}

std::string OrderWords::claim(const BrokenOrder& broken) const {
  if (broken.operation.is_none()) return {};
  const bool ranges = is_predicate(history_.kind(broken.operation));
  return fmt::format(
      "{}: {}", names_(broken.transaction),
      ranges ? words_.asked(broken.operation, broken.key) : format_operation(history_, broken.operation));
}

std::string OrderWords::state(const BrokenOrder& broken) const {
  if (broken.key.is_none())
    return fmt::format("the result should be {}, but was {}", broken.expected,
                       history_.format(history_.value(broken.operation)));
  const std::string key = history_.format_key(broken.key);
  std::string held = fmt::format("by then {} has its initial version", key);
  if (!broken.write.is_none()) {
    const TransactionId writer = history_.transaction_of(broken.write);
    const bool appends = history_.kind(broken.write) == OperationKind::Append;
    held = appends ? fmt::format("by then the list {} ends in {}, ", key,
                                 history_.format(history_.value(broken.write)))
                   : fmt::format("by then {}, ", words_.holds(broken.write, broken.key));
    held += writer == broken.transaction
                ? "its own write"
                : fmt::format("which {} wrote ({})", names_(writer), place(broken, writer));
  }
  if (!is_predicate(history_.kind(broken.operation))) return held;
  const auto rows = history_.rows(broken.operation);
  const bool returned = std::ranges::find(rows, broken.key, &Row::key) != rows.end();
  return held + (returned ? ", which disagrees with its row" : ", a row that it lacks");
}

std::string OrderWords::overlap(const BrokenOrder& broken) const {
  return fmt::format(
      "{} and {} both wrote {}; by their timestamps, neither had committed when the other started",
      names_(broken.predecessor), names_(broken.transaction), history_.format_key(broken.key));
}

std::string OrderWords::why(const BrokenOrder& broken) const {
  const std::string own = place(broken, broken.transaction);
  if (!broken.visible.empty() && broken.operation.is_none()) return overlap(broken);
  if (!broken.visible.empty()) {
    const auto at = std::ranges::find(broken.order, broken.transaction) - broken.order.begin();
    return fmt::format("{} sees the first {} of {} commits by its start timestamp; {}",
                       names_(broken.transaction), broken.visible[static_cast<std::size_t>(at)],
                       broken.order.size(), state(broken));
  }
  if (!broken.operation.is_none())
    return fmt::format("{} is {} in {}; {}", names_(broken.transaction), own, words_of(broken.source),
                       state(broken));
  return fmt::format("{} is {} in {}, and {} is {}", names_(broken.transaction), own, words_of(broken.source),
                     names_(broken.predecessor), place(broken, broken.predecessor));
}

std::string OrderWords::conclusion(AnomalyKind kind, const BrokenOrder& broken) const {
  switch (kind) {
    case AnomalyKind::BrokenOrderSession:
      return fmt::format("but {} precedes {} in its session, so the order does not keep the sessions.",
                         names_(broken.predecessor), names_(broken.transaction));
    case AnomalyKind::BrokenOrderRealTime:
      return fmt::format("but {} had ended when {} began, so the order does not keep real time.",
                         names_(broken.predecessor), names_(broken.transaction));
    case AnomalyKind::BrokenSnapshots:
      return broken.operation.is_none() ? "so the first committer did not win."
                                        : "so the transaction did not read from that snapshot.";
    default:
      return "so the transactions are not serializable in this order.";
  }
}

}  // namespace serval
