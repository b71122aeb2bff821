#include "serval/history/certificate_flaw.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace serval {
namespace {

using Place = std::pair<std::size_t, std::size_t>;  // Index of an order, and of a version in it.

class OrderFlaws {
 public:
  explicit OrderFlaws(const History& history) : history_(history), orders_(history.certificate().orders) {}

  std::optional<OrderFlaw> find() const {
    if (auto flaw = find_repeated()) return flaw;
    if (auto flaw = find_unwritten()) return flaw;
    if (auto flaw = find_contradiction()) return flaw;
    return find_contradicted_timestamps();
  }

 private:
  OrderFlaw flaw_at(Place place, const std::string& problem) const {
    const KeyOrder& order = orders_[place.first];
    std::string text = "the order of the versions of " + history_.format_key(order.key) + " " + problem;
    return {place.first, place.second, std::move(text)};
  }
  std::string name(Place place) const {
    const TransactionId t = orders_[place.first].installers[place.second];
    return "transaction " + history_.format(history_.label(t));
  }

  std::optional<OrderFlaw> find_repeated() const {
    absl::flat_hash_set<TransactionId> seen;
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      seen.clear();
      for (std::size_t v = 0; v < orders_[i].installers.size(); ++v)
        if (!seen.insert(orders_[i].installers[v]).second)
          return flaw_at({i, v}, "names " + name({i, v}) + " twice");
    }
    return std::nullopt;
  }

  // The responses do not determine which keys it has written.
  bool may_write_anything(OperationId op) const {
    const OperationKind kind = history_.kind(op);
    if (kind != OperationKind::PredicateUpdate && kind != OperationKind::PredicateDelete) return false;
    return history_.rows(op).empty() && !history_.operation(op).rows_changed;
  }
  template <class Visit>
  void for_each_key_written(OperationId op, Visit&& visit) const {
    const OperationKind kind = history_.kind(op);
    if (kind == OperationKind::PredicateUpdate || kind == OperationKind::PredicateDelete)
      for (const Row& row : history_.rows(op)) visit(row.key);
    if (writes_value(kind) || kind == OperationKind::Delete) visit(history_.key(op));
  }

  std::optional<OrderFlaw> find_unwritten() const {
    absl::flat_hash_map<std::pair<TransactionId, KeyId>, Place> cited;
    std::vector<bool> is_cited(history_.transaction_count(), false);
    for (std::size_t i = 0; i < orders_.size(); ++i)
      for (std::size_t v = 0; v < orders_[i].installers.size(); ++v) {
        cited.try_emplace({orders_[i].installers[v], orders_[i].key}, i, v);
        is_cited[orders_[i].installers[v].index] = true;
      }
    std::vector<bool> is_open(history_.transaction_count(), false);
    for (const TransactionId t : history_.transactions()) {
      if (!is_cited[t.index]) continue;
      for (const OperationId op : history_.operations(t)) {
        if (may_write_anything(op)) is_open[t.index] = true;
        for_each_key_written(op, [&](KeyId key) { cited.erase(std::pair(t, key)); });
      }
    }
    std::optional<Place> first;
    for (const auto& [what, place] : cited)
      if (!is_open[what.first.index] && (!first || place < *first)) first = place;
    if (!first) return std::nullopt;
    return flaw_at(*first, "names " + name(*first) + ", which has not written it");
  }

  // For keys with several orders: each must agree with the ones before it.
  std::optional<OrderFlaw> find_contradiction() const {
    absl::flat_hash_map<KeyId, std::vector<std::size_t>> by_key;
    for (std::size_t i = 0; i < orders_.size(); ++i) by_key[orders_[i].key].push_back(i);
    std::optional<OrderFlaw> first;
    for (const auto& [key, orders] : by_key) {
      if (orders.size() < 2) continue;
      std::optional<OrderFlaw> flaw = find_contradiction(orders);
      if (flaw && (!first || flaw->order < first->order)) first = std::move(flaw);
    }
    return first;
  }

  std::optional<OrderFlaw> find_contradiction(const std::vector<std::size_t>& orders) const {
    const auto is_complete = [&](std::size_t i) { return orders_[i].complete; };
    const auto complete = std::ranges::find_if(orders, is_complete);
    if (complete == orders.end()) return find_cycle(orders);
    absl::flat_hash_map<TransactionId, std::size_t> position;
    for (const TransactionId t : orders_[*complete].installers) position.try_emplace(t, position.size());
    for (const std::size_t i : orders) {
      if (i == *complete) continue;
      if (orders_[i].complete) return flaw_at({i, 0}, "is given twice");
      std::optional<std::size_t> before;
      for (std::size_t v = 0; v < orders_[i].installers.size(); ++v) {
        const auto found = position.find(orders_[i].installers[v]);
        if (found == position.end() || (before && found->second <= *before))
          return flaw_at({i, v}, "contradicts the complete one about " + name({i, v}));
        before = found->second;
      }
    }
    return std::nullopt;
  }

  // Repeatedly removes what has no predecessor; what remains is cyclic.
  std::optional<OrderFlaw> find_cycle(const std::vector<std::size_t>& orders) const {
    absl::flat_hash_map<TransactionId, std::vector<TransactionId>> next;
    absl::flat_hash_map<TransactionId, std::size_t> before;
    for (const std::size_t i : orders)
      for (std::size_t v = 0; v < orders_[i].installers.size(); ++v) {
        before.try_emplace(orders_[i].installers[v], 0);
        if (v == 0) continue;
        next[orders_[i].installers[v - 1]].push_back(orders_[i].installers[v]);
        ++before[orders_[i].installers[v]];
      }
    std::vector<TransactionId> free;
    for (const auto& [t, count] : before)
      if (count == 0) free.push_back(t);
    for (std::size_t done = 0; done < free.size(); ++done)
      for (const TransactionId t : next[free[done]])
        if (--before[t] == 0) free.push_back(t);
    if (free.size() == before.size()) return std::nullopt;
    for (const std::size_t i : orders)
      for (std::size_t v = 0; v < orders_[i].installers.size(); ++v)
        if (before[orders_[i].installers[v]] > 0 && i != orders.front())
          return flaw_at({i, v}, "contradicts an earlier one about " + name({i, v}));
    return std::nullopt;
  }

  std::optional<std::int64_t> commit_timestamp(TransactionId t) const {
    const TransactionHints* const hints = history_.hints(t);
    return hints == nullptr ? std::nullopt : hints->commit_timestamp;
  }

  // If the timestamps define the version order, an explicit order must agree with them.
  std::optional<OrderFlaw> find_contradicted_timestamps() const {
    if (!history_.certificate().ordered_by_commit) return std::nullopt;
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      std::optional<std::int64_t> last;
      for (std::size_t v = 0; v < orders_[i].installers.size(); ++v) {
        const std::optional<std::int64_t> timestamp = commit_timestamp(orders_[i].installers[v]);
        if (timestamp && last && *timestamp < *last)
          return flaw_at({i, v}, "contradicts the commit timestamps about " + name({i, v}));
        if (timestamp) last = timestamp;
      }
    }
    return std::nullopt;
  }

  const History& history_;
  const std::vector<KeyOrder>& orders_;
};

}  // namespace

bool is_consistent(const TransactionSnapshot& snapshot) {
  const std::vector<std::uint64_t>& running = snapshot.running;
  if (snapshot.first_running > snapshot.first_future) return false;
  if (std::ranges::adjacent_find(running, std::greater_equal{}) != running.end()) return false;
  return running.empty() ||
         (running.front() >= snapshot.first_running && running.back() < snapshot.first_future);
}

std::optional<std::size_t> find_repeated_key(const std::vector<SeenVersion>& seen) {
  absl::flat_hash_set<KeyId> keys;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!keys.insert(seen[i].key).second) return i;
  return std::nullopt;
}

std::optional<OrderFlaw> find_order_flaw(const History& history) {
  if (history.certificate().orders.empty()) return std::nullopt;
  return OrderFlaws(history).find();
}

}  // namespace serval
