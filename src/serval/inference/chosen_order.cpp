#include "serval/inference/chosen_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace serval {
namespace {

struct KeyVersion {
  KeyId key;
  std::uint32_t rank;
  VersionId version;
};

// Appends that nobody saw, chained after the last one that was seen.
void chain_unseen(const History& history, const std::vector<std::uint32_t>& rank, const Relations& known,
                  ReadWriteSets& read_write_sets) {
  for (std::uint32_t v = 0; v < known.later.rows(); ++v) {
    const std::span<const TransactionId> writers = known.later[v];
    if (writers.empty()) continue;
    const KeyId key = v < history.key_count() ? KeyId{v} : history.key(read_write_sets.write_operation[v]);
    if (!known.order_is_shown(key)) continue;
    std::vector<TransactionId> order(writers.begin(), writers.end());
    const auto saw_last = [&](TransactionId t) {
      return read_write_sets.access(t, key)->read == VersionId{v};
    };
    std::ranges::sort(order, {}, [&](TransactionId t) { return std::pair(!saw_last(t), rank[t.index]); });
    VersionId before{v};
    for (const TransactionId t : order) {
      read_write_sets.versions[before.index].overwriter = t;
      before = read_write_sets.access(t, key)->written;
    }
  }
}

// The registers whose versions do not form a chain.
std::vector<bool> open_registers(const History& history, const Relations& known) {
  std::vector<bool> open(history.key_count(), false);
  for (const OperationId write : known.open_writes) open[history.key(write).index] = true;
  for (const DivergentWrites& pair : known.divergences)
    if (!known.order_is_shown(pair.key)) open[pair.key.index] = true;
  return open;
}

void chain_registers(const History& history, const std::vector<std::uint32_t>& rank, const Relations& known,
                     ReadWriteSets& read_write_sets) {
  const std::vector<bool> open = open_registers(history, known);
  std::vector<KeyVersion> versions;
  for (const TransactionId t : history.transactions()) {
    if (!known.takes_part[t.index]) continue;
    for (const Access& access : read_write_sets.of(t))
      if (!access.written.is_none() && open[access.key.index])
        versions.push_back({access.key, rank[t.index], access.written});
  }
  std::ranges::sort(versions, {}, [](const KeyVersion& v) { return std::pair(v.key, v.rank); });
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const bool first = i == 0 || versions[i - 1].key != versions[i].key;
    const VersionId before = first ? VersionId{versions[i].key.index} : versions[i - 1].version;
    read_write_sets.versions[before.index].overwriter =
        read_write_sets.versions[versions[i].version.index].writer;
    read_write_sets.versions[versions[i].version.index].overwriter = TransactionId::none();
  }
}

}  // namespace

bool leaves_choices(const Relations& relations) {
  return relations.later.rows() > 0 || !relations.open_writes.empty() || !relations.divergences.empty();
}

std::vector<std::vector<std::uint32_t>> likely_orders(const History& history) {
  std::vector<std::uint32_t> order(history.transaction_count());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<std::vector<std::uint32_t>> ranks{order};
  const auto end_of = [&](std::uint32_t t) { return history.interval(TransactionId{t}).end; };
  if (!history.has_times() || std::ranges::is_sorted(order, {}, end_of)) return ranks;
  std::ranges::stable_sort(order, {}, end_of);
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  ranks.insert(ranks.begin(), std::move(rank));
  return ranks;
}

Relations with_chosen_order(const History& history, const Relations& relations,
                            const std::vector<std::uint32_t>& rank) {
  Relations chosen = relations;
  chain_unseen(history, rank, relations, chosen.read_write_sets);
  chain_registers(history, rank, relations, chosen.read_write_sets);
  chosen.later = {};
  chosen.open_writes.clear();
  chosen.has_separate_writes = true;
  return chosen;
}

}  // namespace serval
