#include "serval/inference/list_versions.h"

#include <algorithm>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "serval/inference/append_index.h"
#include "serval/inference/list_disputes.h"

namespace serval {
namespace {

// What is wrong with a list regardless of who read it: elements that nobody or only an aborted
// transaction appended, repeated elements, appends of one transaction in the wrong order. Only the first
// of each kind, so that inspecting the longest read of a list covers every prefix of it.
struct ListFaults {
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  struct Place {
    std::size_t position = kNowhere;
    OperationId append = OperationId::none();  // The append that was seen, or the one missing before it.
    bool within(std::size_t length) const noexcept { return position < length; }
  };
  Place thin_air, aborted, duplicate, disordered;
  Place several;  // Not a fault: several transactions appended the element, so its writer is unknown.

  bool any() const noexcept {
    return std::min({thin_air.position, aborted.position, duplicate.position, disordered.position,
                     several.position}) != kNowhere;
  }
};

void note(ListFaults::Place& place, std::size_t position, OperationId append) {
  if (position < place.position) place = {position, append};
}

// Inspects one list after another; O(n) for a list of n elements.
class ListInspector {
 public:
  ListInspector(const History& history, const ListAccesses& lists, const AppendIndex& index)
      : history_(history), lists_(lists), index_(index), seen_in_(index.append_count(), 0) {}

  ListFaults inspect(KeyId key, std::span<const Value> shown, std::span<const AppendIndex::Source> sources) {
    ListFaults faults;
    ++list_;
    again_.clear();
    unknown_.clear();
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (seen_before(shown[i], sources[i]))
        judge_repetition(key, shown[i], again_.try_emplace(shown[i], 1).first->second += 1, i, faults);
      judge(sources[i], i, faults);
    }
    return faults;
  }

 private:
  void judge(AppendIndex::Source source, std::size_t position, ListFaults& faults) const {
    switch (source.origin) {
      case AppendIndex::Origin::Nobody:
        return note(faults.thin_air, position, OperationId::none());
      case AppendIndex::Origin::Aborted:
        return note(faults.aborted, position, index_.operation(source.append));
      case AppendIndex::Origin::Several:
        return note(faults.several, position, index_.operation(source.append));
      case AppendIndex::Origin::One:
        return judge_order(source.append, position, faults);
    }
  }
  // For elements that only aborted transactions or nobody appended, being seen at all is already the
  // fault.
  void judge_repetition(KeyId key, Value element, std::ptrdiff_t times, std::size_t position,
                        ListFaults& faults) const {
    const std::ptrdiff_t appended = index_.times_appended(key, element);
    if (appended > 0 && times > appended)
      note(faults.duplicate, position, index_.operation(index_.find(key, element).append));
  }
  void judge_order(std::uint32_t append, std::size_t position, ListFaults& faults) const {
    const std::uint32_t previous = lists_.appends[append].previous;
    if (previous == ListAppend::kNone || seen_in_[previous] == list_) return;
    const OperationId missing = lists_.appends[previous].op;
    // If others appended the element too, the table has only one of the appends, and the list may show any
    // of them.
    const auto source = index_.find(lists_.appends[previous].key, history_.value(missing));
    if (seen_in_[source.append] != list_) note(faults.disordered, position, missing);
  }
  bool seen_before(Value element, AppendIndex::Source source) {
    if (source.origin == AppendIndex::Origin::Nobody) return !unknown_.try_emplace(element, 1).second;
    return std::exchange(seen_in_[source.append], list_) == list_;
  }

  const History& history_;
  const ListAccesses& lists_;
  const AppendIndex& index_;
  std::vector<std::uint32_t> seen_in_;  // By append: the number of the last list that contained it.
  std::uint32_t list_ = 0;
  absl::flat_hash_map<Value, std::ptrdiff_t> again_;    // Number of occurrences of repeated elements.
  absl::flat_hash_map<Value, std::ptrdiff_t> unknown_;  // Elements that nobody appended.
};

class ListInference {
 public:
  ListInference(const History& history, const ListAccesses& lists, LongestReads& longest_reads,
                Relations& relations, Budget& budget)
      : history_(history),
        lists_(lists),
        longest_reads_(longest_reads),
        index_(longest_reads.index()),
        relations_(relations),
        sets_(relations.read_write_sets),
        budget_(budget),
        inspector_(history, lists, index_),
        version_of_(lists.appends.size(), VersionId::none()),
        earliest_(lists.appends.size(), kUnseen),
        last_seen_(history.key_count()) {}

  std::vector<LaterWriter> run() {
    disputed_ = settle_disputes(history_, lists_, longest_reads_, relations_, budget_);
    for (const KeyId key : history_.key_ids()) number_versions(key);
    find_earliest_positions();
    place_writes();
    resolve_reads();
    order_unseen();
    find_divergences();
    std::ranges::stable_sort(relations_.faults, {}, &FaultyRead::read);
    std::ranges::sort(relations_.ambiguous_reads);
    std::ranges::stable_sort(relations_.repeated_reads, {}, &RepeatedRead::read);
    relations_.has_separate_writes = true;
    for (const KeyKind kind : lists_.key_kinds) relations_.shows_order.push_back(kind == KeyKind::List);
    return std::move(later_);
  }

 private:
  static constexpr std::uint32_t kUnseen = 0xFFFFFFFFu;

  VersionId add_version(TransactionId writer, OperationId append) {
    sets_.versions.push_back({.writer = writer});
    sets_.write_operation.push_back(append);
    return VersionId{static_cast<std::uint32_t>(sets_.versions.size() - 1)};
  }

  // Inspects the longest read of the key and numbers its versions in list order.
  void number_versions(KeyId key) {
    budget_.poll("version order");
    VersionId before{key.index};
    last_seen_[key.index] = before;
    const LongestRead& longest_read = longest_reads_[key];
    if (longest_read.read.is_none()) return;
    const ListFaults faults =
        inspector_.inspect(key, elements_shown(history_, longest_read.read), longest_read.sources);
    if (faults.any()) note_faults(key, longest_read, faults);
    if (disputed_[key.index]) return;
    for (std::uint32_t i = 0; i < longest_read.sources.size(); ++i) {
      const AppendIndex::Source source = longest_read.sources[i];
      if (source.origin != AppendIndex::Origin::One || !version_of_[source.append].is_none()) continue;
      const ListAppend& append = lists_.appends[source.append];
      sets_.versions[before.index].overwriter = append.writer;
      before = version_of_[source.append] = add_version(append.writer, append.op);
      earliest_[source.append] = i;
    }
    last_seen_[key.index] = before;
  }

  void note_faults(KeyId key, const LongestRead& longest_read, const ListFaults& faults) {
    faults_of_longest_read_.emplace(key, faults);
    absl::flat_hash_set<std::uint32_t> seen;
    for (std::size_t i = 0; i < longest_read.sources.size(); ++i) {
      const AppendIndex::Source source = longest_read.sources[i];
      if (source.origin == AppendIndex::Origin::Several)
        several_seen_.emplace(key, elements_shown(history_, longest_read.read)[i]);
      if (source.origin == AppendIndex::Origin::Aborted)
        aborted_before_.push_back(index_.operation(source.append));
      if (source.origin != AppendIndex::Origin::One || !seen.insert(source.append).second) continue;
      for (const OperationId lost : aborted_before_)
        relations_.dirty_updates.push_back({key, lost, lists_.appends[source.append].op, longest_read.read});
      aborted_before_.clear();
    }
    aborted_before_.clear();
  }

  // earliest_[a] becomes the first position in the longest read of append a and the writer's later
  // appends.
  void find_earliest_positions() {
    for (std::size_t i = lists_.appends.size(); i-- > 0;) {
      const std::uint32_t next = lists_.appends[i].next;
      if (next != ListAppend::kNone) earliest_[i] = std::min(earliest_[i], earliest_[next]);
    }
  }

  void place_writes() {
    first_append_.assign(sets_.accesses.size(), ListAppend::kNone);
    for (std::uint32_t i = 0; i < lists_.appends.size(); ++i) {
      const ListAppend& append = lists_.appends[i];
      if (append.previous == ListAppend::kNone) first_append_[append.access] = i;
      if (!relations_.takes_part[append.writer.index]) continue;
      if (version_of_[i].is_none() && (append.is_last() || is_lost(append)))
        version_of_[i] = add_unseen(append);
      if (append.is_last()) {
        sets_.accesses[append.access].written = version_of_[i];
      } else if (!version_of_[i].is_none()) {
        relations_.earlier_versions.push_back({append.writer, append.key, version_of_[i]});
      }
    }
  }

  // Nobody saw it, although its transaction's next append was seen. True once per transaction and list.
  bool is_lost(const ListAppend& append) {
    if (disputed_[append.key.index] || earliest_[append.next] == kUnseen) return false;
    return lost_.insert(append.access).second;
  }

  VersionId add_unseen(const ListAppend& append) {
    if (several_seen_.empty() || !several_seen_.contains({append.key, history_.value(append.op)}))
      later_.emplace_back(last_seen_[append.key.index], append.writer);
    return add_version(append.writer, append.op);
  }

  void resolve_reads() {
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("reads-from");
      if (!relations_.takes_part[t.index]) continue;
      for (const ListRead& read : lists_.reads_of(t)) resolve(t, read);
    }
  }

  void resolve(TransactionId reader, const ListRead& read) {
    const std::span<const Value> shown = elements_shown(history_, read.read);
    const bool agrees = longest_reads_.agrees(read);
    if (!agrees) {
      std::vector<AppendIndex::Source> sources;
      for (const Value element : shown) sources.push_back(index_.find(read.key, element));
      add_faults(reader, read, inspector_.inspect(read.key, shown, sources), shown.size());
      if (const OperationId own = own_later_append(reader, read, sources); !own.is_none())
        relations_.faults.push_back({ReadFault::Future, reader, read.read, own});
    } else {
      if (const auto faults = faults_of_longest_read_.find(read.key); faults != faults_of_longest_read_.end())
        add_faults(reader, read, faults->second, shown.size());
      if (const OperationId own = own_later_append(read, shown.size()); !own.is_none())
        relations_.faults.push_back({ReadFault::Future, reader, read.read, own});
    }
    if (read.role != ListRead::Role::AfterAppend) note_version(reader, read, shown);
  }

  void add_faults(TransactionId reader, const ListRead& read, const ListFaults& faults, std::size_t length) {
    const auto add = [&](const ListFaults::Place& place, ReadFault fault) {
      if (place.within(length)) relations_.faults.push_back({fault, reader, read.read, place.append});
    };
    add(faults.thin_air, ReadFault::ThinAir);
    add(faults.aborted, ReadFault::Aborted);
    add(faults.duplicate, ReadFault::Duplicate);
    add(faults.disordered, ReadFault::Disordered);
    if (faults.several.within(length)) relations_.ambiguous_reads.push_back(read.read);
  }

  std::uint32_t next_own_append(const ListRead& read) const {
    return read.after == ListAppend::kNone ? first_append_[read.access] : lists_.appends[read.after].next;
  }

  // An append that the reader makes only after a read that already shows it.
  OperationId own_later_append(const ListRead& read, std::size_t length) const {
    std::uint32_t own = next_own_append(read);
    if (own == ListAppend::kNone || earliest_[own] >= length) return OperationId::none();
    while (lists_.appends[own].next != ListAppend::kNone && earliest_[lists_.appends[own].next] < length)
      own = lists_.appends[own].next;
    return lists_.appends[own].op;
  }
  OperationId own_later_append(TransactionId reader, const ListRead& read,
                               const std::vector<AppendIndex::Source>& sources) const {
    for (const AppendIndex::Source source : sources) {
      if (source.origin != AppendIndex::Origin::One) continue;
      const ListAppend& append = lists_.appends[source.append];
      if (append.writer == reader && append.op > read.read) return append.op;
    }
    return OperationId::none();
  }

  void note_version(TransactionId reader, const ListRead& read, std::span<const Value> shown) {
    const VersionId version =
        shown.empty() ? VersionId{read.key.index} : version_ending_in(reader, read, shown);
    if (read.role == ListRead::Role::External) {
      sets_.read_operation[read.access] = read.read;
      sets_.accesses[read.access].read = version;
    } else if (!version.is_none()) {
      relations_.repeated_reads.push_back({reader, read.read, read.key, version});
    }
  }

  // The version that a read ending in this element saw; none() if it is not the last append of a
  // transaction.
  VersionId version_ending_in(TransactionId reader, const ListRead& read, std::span<const Value> shown) {
    const LongestRead& longest_read = longest_reads_[read.key];
    const bool of_longest_read = shown.size() <= longest_read.sources.size() && longest_reads_.agrees(read);
    const AppendIndex::Source source =
        of_longest_read ? longest_read.sources[shown.size() - 1] : index_.find(read.key, shown.back());
    if (source.origin != AppendIndex::Origin::One) return VersionId::none();
    const ListAppend& append = lists_.appends[source.append];
    if (append.writer == reader) return VersionId::none();
    if (append.is_last()) return version_of_[source.append];
    relations_.faults.push_back({ReadFault::Intermediate, reader, read.read, append.op});
    return VersionId::none();
  }

  // A single append that nobody saw is the next version; if there are several, any of them may be.
  void order_unseen() {
    std::ranges::stable_sort(later_, {}, &LaterWriter::first);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < later_.size(); ++i) {
      const VersionId version = later_[i].first;
      const bool alone = (i == 0 || later_[i - 1].first != version) &&
                         (i + 1 == later_.size() || later_[i + 1].first != version);
      if (alone) {
        sets_.versions[version.index].overwriter = later_[i].second;
      } else {
        later_[kept++] = later_[i];
      }
    }
    later_.resize(kept);
  }

  void find_divergences() {
    std::vector<TransactionId> first_updater(sets_.versions.size(), TransactionId::none());
    for (const TransactionId t : history_.transactions()) {
      if (!relations_.takes_part[t.index]) continue;
      for (const Access& access : sets_.of(t)) {
        if (access.read.is_none() || access.written.is_none() ||
            lists_.key_kinds[access.key.index] != KeyKind::List)
          continue;
        TransactionId& first = first_updater[access.read.index];
        if (first.is_none()) {
          first = t;
        } else {
          relations_.divergences.push_back({access.read, access.key, first, t});
        }
      }
    }
  }

  const History& history_;
  const ListAccesses& lists_;
  LongestReads& longest_reads_;
  const AppendIndex& index_;
  Relations& relations_;
  ReadWriteSets& sets_;
  Budget& budget_;
  ListInspector inspector_;
  std::vector<bool> disputed_;               // By key: its reads show no order.
  std::vector<VersionId> version_of_;        // By append.
  std::vector<std::uint32_t> earliest_;      // By append: its position in the longest read.
  std::vector<VersionId> last_seen_;         // By key.
  std::vector<std::uint32_t> first_append_;  // By access.
  absl::flat_hash_map<KeyId, ListFaults> faults_of_longest_read_;
  absl::flat_hash_set<std::pair<KeyId, Value>> several_seen_;  // Elements seen that several appended.
  absl::flat_hash_set<std::uint32_t> lost_;                    // Accesses with a lost append.
  std::vector<OperationId> aborted_before_;
  std::vector<LaterWriter> later_;
};

}  // namespace

std::vector<LaterWriter> infer_list_versions(const History& history, const ListAccesses& lists,
                                             LongestReads& longest_reads, Relations& relations,
                                             Budget& budget) {
  return ListInference(history, lists, longest_reads, relations, budget).run();
}

}  // namespace serval
