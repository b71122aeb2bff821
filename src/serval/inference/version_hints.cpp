#include "serval/inference/version_hints.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "serval/base/equal_span.h"
#include "serval/evidence/order_basis.h"
#include "serval/history/ids.h"
#include "serval/inference/grouped.h"
#include "serval/inference/real_time.h"

namespace serval {
namespace {

// `from` precedes `to`, because `earlier` saw or wrote the former and `later` the latter.
struct VersionStep {
  std::uint32_t from, to;
  OrderBasis basis;
  OperationId earlier, later;
};

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

auto key_of(const VersionStep& step) { return std::tuple(step.from, step.to, step.basis); }

void sort_and_merge(std::vector<VersionStep>& steps) {
  std::ranges::stable_sort(steps, {}, key_of);
  const auto same_pair = [](const VersionStep& a, const VersionStep& b) {
    return a.from == b.from && a.to == b.to;
  };
  steps.erase(std::unique(steps.begin(), steps.end(), same_pair), steps.end());
}

std::span<const VersionStep> steps_from(std::span<const VersionStep> steps, std::uint32_t version) {
  return equal_span(steps, version, &VersionStep::from);
}

// Kahn's algorithm; shorter than the number of versions if there is a cycle.
std::vector<std::uint32_t> topological(std::span<const VersionStep> steps, std::uint32_t versions) {
  std::vector<std::uint32_t> before(versions, 0), order;
  for (const VersionStep& step : steps) ++before[step.to];
  for (std::uint32_t v = 0; v < versions; ++v)
    if (before[v] == 0) order.push_back(v);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const VersionStep& step : steps_from(steps, order[i]))
      if (--before[step.to] == 0) order.push_back(step.to);
  return order;
}

// A shortest path from one version to another, breadth first; empty if there is none.
std::vector<VersionStep> path(std::span<const VersionStep> steps, std::uint32_t versions, std::uint32_t from,
                              std::uint32_t to) {
  std::vector<std::uint32_t> reached_by(versions, kUnseen);  // Index of a step.
  std::vector<std::uint32_t> queue{from};
  for (std::size_t i = 0; i < queue.size() && reached_by[to] == kUnseen; ++i)
    for (const VersionStep& step : steps_from(steps, queue[i])) {
      if (step.to == from || reached_by[step.to] != kUnseen) continue;
      reached_by[step.to] = static_cast<std::uint32_t>(&step - steps.data());
      queue.push_back(step.to);
    }
  std::vector<VersionStep> way;
  if (reached_by[to] == kUnseen) return way;
  for (std::uint32_t at = to; at != from; at = way.back().from) way.push_back(steps[reached_by[at]]);
  std::ranges::reverse(way);
  return way;
}

// A short cycle through one of the new steps. Only a few steps are tried: any cycle is proof enough.
std::vector<VersionStep> cycle_through(std::span<const VersionStep> added, std::span<const VersionStep> all,
                                       std::uint32_t versions) {
  constexpr int kTries = 64;
  std::vector<VersionStep> shortest;
  int tries = 0;
  for (const VersionStep& step : added) {
    if (!shortest.empty() && tries >= kTries) break;
    std::vector<VersionStep> way = path(all, versions, step.to, step.from);
    if (way.empty()) continue;
    ++tries;
    way.insert(way.begin(), step);
    if (shortest.empty() || way.size() < shortest.size()) shortest = std::move(way);
  }
  return shortest;
}

// What is known about the order of one key's versions, step by step, kept acyclic. Versions are numbered
// from 0.
//
//   VersionSteps known(3);
//   known.add({{0, 1, OrderBasis::Reads, ...}});        // nothing: no contradiction
//   known.add({{1, 0, OrderBasis::Versions, ...}});     // the cycle 1 -> 0 -> 1; nothing was added
//
// Adding takes O(steps log steps).
class VersionSteps {
 public:
  explicit VersionSteps(std::uint32_t versions) : versions_(versions) {}

  // Adds all steps, or none if they contradict what is known; returns a cycle that shows the
  // contradiction.
  std::optional<std::vector<VersionStep>> add(std::vector<VersionStep> steps) {
    std::vector<VersionStep> all = steps_;
    all.insert(all.end(), steps.begin(), steps.end());
    sort_and_merge(all);
    if (topological(all, versions_).size() < versions_) {
      sort_and_merge(steps);
      return cycle_through(steps, all, versions_);
    }
    steps_ = std::move(all);
    return std::nullopt;
  }

  // By (from, to), one step per pair: the one whose basis needs the least trust.
  std::span<const VersionStep> all() const noexcept { return steps_; }
  std::span<const VersionStep> from(std::uint32_t version) const { return steps_from(steps_, version); }
  // All versions in order if the steps allow only one order, otherwise empty. Each has a step to the
  // next.
  std::vector<std::uint32_t> total_order() const {
    std::vector<std::uint32_t> order = topological(steps_, versions_);
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      const auto next = from(order[i]);
      if (!std::ranges::binary_search(next, order[i + 1], {}, &VersionStep::to)) return {};
    }
    return order;
  }

 private:
  std::uint32_t versions_;
  std::vector<VersionStep> steps_;
};

// The first and last version of a key that a transaction saw.
struct Visit {
  TransactionId transaction;
  std::uint32_t first, last;  // Positions of versions in the key's list.
  OperationId first_op, last_op;
};

// One key: its versions, their visits, and what every source says.
class KeyOrder {
 public:
  KeyOrder(const History& history, const VersionHints& hints, const Relations& relations, Budget& budget)
      : history_(history), hints_(hints), sets_(relations.read_write_sets), budget_(budget) {}

  // Indices into ReadWriteSets::accesses, with their transactions, ascending.
  using Accesses = std::span<const std::pair<TransactionId, std::uint32_t>>;

  void load(KeyId key, Accesses accesses) {
    versions_.assign(1, VersionId{key.index});
    for (const auto& [t, index] : accesses) {
      const Access& access = sets_.accesses[index];
      for (const VersionId version : {access.read, access.written})
        if (!version.is_none()) versions_.push_back(version);
    }
    std::ranges::sort(versions_);
    versions_.erase(std::unique(versions_.begin(), versions_.end()), versions_.end());
    visits_.clear();
    for (const auto& [t, index] : accesses) add_visit(t, index);
  }

  std::span<const VersionId> versions() const { return versions_; }

  // Versions are ordered by id, and the initial one has the smallest: position 0.
  std::vector<VersionStep> steps(OrderBasis basis) {
    steps_.clear();
    switch (basis) {
      case OrderBasis::Reads:
        from_reads();
        break;
      case OrderBasis::Versions:
        from_versions();
        break;
      case OrderBasis::CommitOrder:
        from_commits();
        break;
      case OrderBasis::SequentialKeys:
        from_sessions();
        break;
      case OrderBasis::LinearizableKeys:
        from_real_time();
        break;
      case OrderBasis::Case:
      case OrderBasis::Certificate:
        break;
    }
    return std::move(steps_);
  }

 private:
  std::uint32_t place(VersionId version) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(versions_, version) - versions_.begin());
  }
  OperationId write_of(VersionId version) const { return sets_.write_operation[version.index]; }

  void add_visit(TransactionId t, std::uint32_t index) {
    const Access& access = sets_.accesses[index];
    const bool reads = !access.read.is_none(), writes = !access.written.is_none();
    if (!reads && !writes) return;
    const VersionId first = reads ? access.read : access.written;
    const VersionId last = writes ? access.written : access.read;
    visits_.push_back({t, place(first), place(last), reads ? sets_.read_operation[index] : write_of(first),
                       writes ? write_of(last) : sets_.read_operation[index]});
  }

  void add(OrderBasis basis, std::uint32_t from, std::uint32_t to, OperationId earlier, OperationId later) {
    if (from != to) steps_.push_back({from, to, basis, earlier, later});
  }

  // A transaction that read a version and wrote the key installed a later one; the initial version
  // precedes them all.
  void from_reads() {
    for (std::uint32_t v = 1; v < versions_.size(); ++v)
      add(OrderBasis::Reads, 0, v, OperationId::none(), write_of(versions_[v]));
    for (const Visit& visit : visits_)
      if (visit.first != 0) add(OrderBasis::Reads, visit.first, visit.last, visit.first_op, visit.last_op);
  }

  struct Numbered {
    std::int64_t number;
    std::uint32_t version;
    OperationId op;
    auto operator<=>(const Numbered&) const = default;
  };

  // Every pair of neighbours in number order; equal numbers order nothing.
  void chain(OrderBasis basis, std::vector<Numbered>& numbered) {
    constexpr std::size_t kMaxPairs = 4096;  // Limit for many equal numbers followed by many equal ones.
    std::ranges::sort(numbered);
    std::size_t before = 0, here = 0;
    while (here < numbered.size()) {
      std::size_t next = here;
      while (next < numbered.size() && numbered[next].number == numbered[here].number) ++next;
      if ((here - before) * (next - here) <= kMaxPairs) {
        for (std::size_t i = before; i < here; ++i)
          for (std::size_t j = here; j < next; ++j)
            add(basis, numbered[i].version, numbered[j].version, numbered[i].op, numbered[j].op);
      }
      before = here;
      here = next;
    }
  }

  void from_versions() {
    std::vector<Numbered> numbered;
    const auto note = [&](std::uint32_t version, OperationId op) {
      const std::optional<std::int64_t> number = history_.operation(op).version;
      if (number) numbered.push_back({*number, version, op});
    };
    for (const Visit& visit : visits_) {
      note(visit.first, visit.first_op);
      if (visit.last_op != visit.first_op) note(visit.last, visit.last_op);
    }
    chain(OrderBasis::Versions, numbered);
  }

  std::int64_t place_in_commits(TransactionId t) const {
    if (!hints_.transaction_order.empty()) return hints_.transaction_order[t.index];
    const TransactionHints* hints = history_.hints(t);
    return hints == nullptr ? VersionHints::kNoPosition
                            : hints->commit_timestamp.value_or(VersionHints::kNoPosition);
  }

  void from_commits() {
    std::vector<Numbered> numbered;
    for (std::uint32_t v = 1; v < versions_.size(); ++v) {
      const TransactionId writer = sets_.versions[versions_[v].index].writer;
      if (const std::int64_t at = place_in_commits(writer); at != VersionHints::kNoPosition)
        numbered.push_back({at, v, write_of(versions_[v])});
    }
    chain(OrderBasis::CommitOrder, numbered);
  }

  void from_sessions() {
    std::ranges::sort(visits_, {}, [&](const Visit& visit) {
      return std::pair(history_.session(visit.transaction), visit.transaction);
    });
    for (std::size_t i = 1; i < visits_.size(); ++i) {
      const Visit &before = visits_[i - 1], &after = visits_[i];
      if (history_.session(before.transaction) == history_.session(after.transaction))
        add(OrderBasis::SequentialKeys, before.last, after.first, before.last_op, after.first_op);
    }
  }

  Time begin(const Visit& visit) const { return history_.interval(visit.transaction).begin; }
  Time end(const Visit& visit) const {
    const bool ended = history_.outcome(visit.transaction) == Outcome::Committed;
    return ended ? history_.interval(visit.transaction).end : kUnknownEnd;
  }

  // After each visit come those that began after its end, up to the earliest end among these: later
  // visits follow from that one.
  void from_real_time() {
    std::ranges::sort(visits_, {},
                      [&](const Visit& visit) { return std::pair(begin(visit), visit.transaction); });
    for (const Visit& before : visits_) {
      if (end(before) == kUnknownEnd) continue;
      Time first_end = kUnknownEnd;
      auto after =
          std::ranges::upper_bound(visits_, end(before), {}, [&](const Visit& v) { return begin(v); });
      for (; after != visits_.end() && begin(*after) <= first_end; ++after) {
        budget_.poll("order of versions");
        add(OrderBasis::LinearizableKeys, before.last, after->first, before.last_op, after->first_op);
        first_end = std::min(first_end, end(*after));
      }
    }
  }

  const History& history_;
  const VersionHints& hints_;
  const ReadWriteSets& sets_;
  Budget& budget_;
  std::vector<VersionId> versions_;
  std::vector<Visit> visits_;
  std::vector<VersionStep> steps_;
};

class HintedOrder {
 public:
  HintedOrder(const History& history, const VersionHints& hints, Relations& relations, Budget& budget)
      : history_(history), hints_(hints), relations_(relations), budget_(budget) {
    for (const OrderBasis basis : kAssumableBases)
      if (is_usable(basis)) used_.push_back(basis);
  }

  void run() {
    const auto by_key = accesses_by_key();
    relations_.shows_order.resize(history_.key_count(), false);
    KeyOrder key_order(history_, hints_, relations_, budget_);
    for (const KeyId key : history_.key_ids()) {
      budget_.poll("order of versions");
      if (by_key[key.index].empty() || relations_.shows_order[key.index]) continue;
      key_order.load(key, by_key[key.index]);
      if (key_order.versions().size() > 1) order(key, key_order);
    }
    std::ranges::sort(relations_.hinted, {}, pair_of);
    publish();
  }

 private:
  using AccessOf = std::pair<TransactionId, std::uint32_t>;

  bool is_usable(OrderBasis basis) const {
    if (!hints_.assumptions.has(basis)) return false;
    return basis != OrderBasis::LinearizableKeys ||
           (history_.has_times() && !find_clock_contradiction(history_));
  }

  static std::pair<VersionId, VersionId> pair_of(const HintedVersions& hint) {
    return {hint.earlier, hint.later};
  }

  // The transactions of a key ascend.
  Jagged<AccessOf> accesses_by_key() const {
    const ReadWriteSets& sets = relations_.read_write_sets;
    return grouped<AccessOf>(history_.key_count(), [&](auto&& visit) {
      for (const TransactionId t : history_.transactions()) {
        if (!relations_.takes_part[t.index]) continue;
        for (std::uint32_t i = sets.first_access[t.index]; i < sets.first_access[t.index + 1]; ++i)
          visit(sets.accesses[i].key.index, {t, i});
      }
    });
  }

  void order(KeyId key, KeyOrder& key_order) {
    const std::span<const VersionId> versions = key_order.versions();
    VersionSteps known(static_cast<std::uint32_t>(versions.size()));
    if (known.add(key_order.steps(OrderBasis::Reads))) return;  // A cycle of reads is reported as such.
    for (const OrderBasis basis : used_)
      if (const auto cycle = known.add(key_order.steps(basis)))
        relations_.contradictions.push_back(contradiction(key, versions, basis, *cycle));
    for (const VersionStep& step : known.all())
      if (step.basis != OrderBasis::Reads)
        relations_.hinted.push_back({versions[step.from], versions[step.to], reason(versions, step)});
    if (const std::vector<std::uint32_t> total = known.total_order(); !total.empty()) {
      settle(key, versions, total);
      relations_.shows_order[key.index] = rests_on_hints(known, total);
    }
  }

  VersionPrecedence reason(std::span<const VersionId> versions, const VersionStep& step) const {
    const std::vector<OperationId>& writes = relations_.read_write_sets.write_operation;
    return {writes[versions[step.from].index], writes[versions[step.to].index], step.basis, step.earlier,
            step.later};
  }

  VersionContradiction contradiction(KeyId key, std::span<const VersionId> versions, OrderBasis basis,
                                     const std::vector<VersionStep>& cycle) const {
    VersionContradiction found{key, basis, {}};
    for (const VersionStep& step : cycle) found.steps.push_back(reason(versions, step));
    return found;
  }

  void settle(KeyId key, std::span<const VersionId> versions, const std::vector<std::uint32_t>& total) {
    std::vector<Version>& all = relations_.read_write_sets.versions;
    for (std::size_t i = 0; i + 1 < total.size(); ++i)
      all[versions[total[i]].index].overwriter = all[versions[total[i + 1]].index].writer;
    settled_.insert(key);
  }

  // Whether the order is known without reads, which the weakest levels ignore.
  static bool rests_on_hints(const VersionSteps& known, const std::vector<std::uint32_t>& total) {
    for (std::size_t i = 1; i + 1 < total.size(); ++i) {
      const auto next = known.from(total[i]);
      const auto step = std::ranges::lower_bound(next, total[i + 1], {}, &VersionStep::to);
      if (step->basis == OrderBasis::Reads) return false;
    }
    return true;
  }

  // A row of later writers per version, ascending: those known before and those from hints. If the order
  // of the key is total, its chain of overwriters suffices.
  void publish() {
    if (relations_.hinted.empty()) return;
    const ReadWriteSets& read_write_sets = relations_.read_write_sets;
    Jagged<TransactionId> rows;
    std::vector<TransactionId> row;
    auto hint = relations_.hinted.begin();
    for (std::uint32_t v = 0; v < read_write_sets.versions.size(); ++v) {
      const auto before = relations_.later_writers(VersionId{v});
      row.assign(before.begin(), before.end());
      for (; hint != relations_.hinted.end() && hint->earlier.index == v; ++hint)
        row.push_back(read_write_sets.versions[hint->later.index].writer);
      if (settled_.contains(key_of(VersionId{v}))) row.clear();
      std::erase(row, read_write_sets.versions[v].overwriter);
      std::ranges::sort(row);
      row.erase(std::unique(row.begin(), row.end()), row.end());
      rows.push_row(row);
    }
    relations_.later = rows.values().empty() ? Jagged<TransactionId>() : std::move(rows);
    relations_.has_separate_writes = true;
    std::erase_if(relations_.open_writes,
                  [&](OperationId op) { return settled_.contains(history_.key(op)); });
  }

  KeyId key_of(VersionId version) const {
    return version.index < history_.key_count()
               ? KeyId{version.index}
               : history_.key(relations_.read_write_sets.write_operation[version.index]);
  }

  const History& history_;
  const VersionHints& hints_;
  Relations& relations_;
  Budget& budget_;
  std::vector<OrderBasis> used_;
  absl::flat_hash_set<KeyId> settled_;  // Keys whose order is total.
};

}  // namespace

void add_version_hints(const History& history, const VersionHints& hints, Relations& relations,
                       Budget& budget) {
  if (!hints.assumptions.empty()) HintedOrder(history, hints, relations, budget).run();
}

}  // namespace serval
