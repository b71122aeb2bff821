#include "serval/inference/list_disputes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace serval {
namespace {

// The reads of every list that has a read which is not a prefix of the longest one.
std::map<KeyId, std::vector<ListRead>> disputed_reads(const History& history, const ListAccesses& lists,
                                                      LongestReads& longest_reads, const Relations& relations,
                                                      Budget& budget) {
  std::map<KeyId, std::vector<ListRead>> disputed;
  const auto for_each_read = [&](auto&& visit) {
    for (const TransactionId t : history.transactions()) {
      budget.poll("list reads");
      if (!relations.takes_part[t.index]) continue;
      for (const ListRead& read : lists.reads_of(t)) visit(read);
    }
  };
  for_each_read([&](const ListRead& read) {
    if (!longest_reads.agrees(read)) disputed.try_emplace(read.key);
  });
  if (disputed.empty()) return disputed;
  for_each_read([&](const ListRead& read) {
    if (const auto found = disputed.find(read.key); found != disputed.end()) found->second.push_back(read);
  });
  return disputed;
}

class Dispute {
 public:
  Dispute(const History& history, const ListAccesses& lists, LongestReads& longest_reads,
          Relations& relations)
      : history_(history), lists_(lists), longest_reads_(longest_reads), relations_(relations) {}

  // Whether the reads contradict each other.
  bool settle(const std::vector<ListRead>& reads) {
    std::vector<std::vector<Value>> shown;
    shown.reserve(reads.size());
    for (const ListRead& read : reads) shown.push_back(without_strangers(read));
    const auto longest = static_cast<std::size_t>(
        std::ranges::max_element(shown, {}, &std::vector<Value>::size) - shown.begin());
    longest_reads_.choose(reads[longest]);
    lists_looked_at_.clear();
    bool contradiction = false;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      if (std::ranges::equal(shown[i], std::span(shown[longest]).first(shown[i].size()))) continue;
      contradiction = true;
      relations_.order_conflicts.push_back({reads[i].key, reads[longest].read, reads[i].read});
      if (lists_looked_at_.insert(history_.value(reads[i].read)).second)
        note_order(reads[i].key, appends_in(reads[i].key, shown[i]),
                   appends_in(reads[i].key, shown[longest]));
    }
    if (contradiction) note_longest(reads[longest].key, shown[longest]);
    return contradiction;
  }

 private:
  using Appends = std::vector<std::uint32_t>;  // Indices into ListAccesses::appends.

  // The appends that certainly are these elements, without duplicates.
  Appends appends_in(KeyId key, const std::vector<Value>& shown) const {
    Appends found;
    absl::flat_hash_set<std::uint32_t> seen;
    for (const Value element : shown) {
      const AppendIndex::Source source = longest_reads_.index().find(key, element);
      if (source.origin == AppendIndex::Origin::One && seen.insert(source.append).second)
        found.push_back(source.append);
    }
    return found;
  }

  void note(KeyId key, std::uint32_t earlier, std::uint32_t later) {
    const ListAppend &first = lists_.appends[earlier], &second = lists_.appends[later];
    if (first.writer != second.writer)
      relations_.contested.push_back({first.writer, second.writer, key, first.op, second.op});
  }

  // A read shows the order of its elements, and that all others came later. The first append of the
  // longest read that is missing here comes before the rest.
  void note_order(KeyId key, const Appends& shown, const Appends& longest) {
    for (std::size_t i = 1; i < shown.size(); ++i) note(key, shown[i - 1], shown[i]);
    const absl::flat_hash_set<std::uint32_t> here(shown.begin(), shown.end());
    const auto missing = std::ranges::find_if(longest, [&](std::uint32_t a) { return !here.contains(a); });
    if (!shown.empty() && missing != longest.end()) note(key, shown.back(), *missing);
  }
  void note_longest(KeyId key, const std::vector<Value>& shown) {
    const Appends longest = appends_in(key, shown);
    note_order(key, longest, {});
    if (longest.empty()) return;
    const absl::flat_hash_set<Value> here(shown.begin(), shown.end());
    for (const std::uint32_t append : appends_to(key))
      if (!here.contains(history_.value(lists_.appends[append].op))) note(key, longest.back(), append);
  }
  // Appends by participating transactions.
  const Appends& appends_to(KeyId key) {
    if (by_key_.empty())
      for (std::uint32_t i = 0; i < lists_.appends.size(); ++i)
        if (relations_.takes_part[lists_.appends[i].writer.index])
          by_key_[lists_.appends[i].key].push_back(i);
    return by_key_[key];
  }

  std::vector<Value> without_strangers(const ListRead& read) const {
    std::vector<Value> kept;
    for (const Value element : elements_shown(history_, read.read))
      if (counts(longest_reads_.index().find(read.key, element))) kept.push_back(element);
    return kept;
  }

  bool counts(AppendIndex::Source source) const {
    if (source.origin == AppendIndex::Origin::Several) return true;
    return source.origin == AppendIndex::Origin::One &&
           relations_.takes_part[lists_.appends[source.append].writer.index];
  }

  const History& history_;
  const ListAccesses& lists_;
  LongestReads& longest_reads_;
  Relations& relations_;
  absl::flat_hash_map<KeyId, Appends> by_key_;  // Built on demand.
  absl::flat_hash_set<Value> lists_looked_at_;  // For the current key; equal lists are one value.
};

// Others appended the same element, and somebody saw it. If it was this append, its transaction counts,
// and what that transaction read may contradict the other reads.
bool may_be_seen(const LongestReads& longest_reads, const ListAppend& append, Value element) {
  const AppendIndex::Source source = longest_reads.index().find(append.key, element);
  const auto is_it = [&](AppendIndex::Source seen) { return seen.append == source.append; };
  return source.origin == AppendIndex::Origin::Several &&
         std::ranges::any_of(longest_reads[append.key].sources, is_it);
}

}  // namespace

std::vector<bool> settle_disputes(const History& history, const ListAccesses& lists,
                                  LongestReads& longest_reads, Relations& relations, Budget& budget) {
  std::vector<bool> disputed(history.key_count(), false);
  Dispute dispute(history, lists, longest_reads, relations);
  for (const auto& [key, reads] : disputed_reads(history, lists, longest_reads, relations, budget))
    disputed[key.index] = dispute.settle(reads);
  for (const ListAppend& append : lists.appends)
    if (!relations.takes_part[append.writer.index] && history.outcome(append.writer) != Outcome::Aborted &&
        may_be_seen(longest_reads, append, history.value(append.op)))
      disputed[append.key.index] = true;
  std::ranges::sort(relations.order_conflicts, {}, &OrderConflict::second);
  std::ranges::sort(relations.contested, {}, [](const ContestedAppends& one) {
    return std::tuple(one.from, one.to, one.earlier, one.later);
  });
  return disputed;
}

}  // namespace serval
