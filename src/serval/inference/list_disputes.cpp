#include "serval/inference/list_disputes.h"

#include <algorithm>
#include <map>

namespace serval {
namespace {

// The reads of every list that has a read which is no prefix of the longest one.
std::map<KeyId, std::vector<ListRead>> disputed_reads(const History& history, const ListFootprints& lists,
                                                      ListTrunks& trunks, const Relations& relations,
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
    if (!trunks.agrees(read)) disputed.try_emplace(read.key);
  });
  if (disputed.empty()) return disputed;
  for_each_read([&](const ListRead& read) {
    if (const auto found = disputed.find(read.key); found != disputed.end()) found->second.push_back(read);
  });
  return disputed;
}

class Dispute {
 public:
  Dispute(const History& history, const ListFootprints& lists, ListTrunks& trunks, Relations& relations)
      : history_(history), lists_(lists), trunks_(trunks), relations_(relations) {}

  // Whether the reads contradict each other.
  bool settle(const std::vector<ListRead>& reads) {
    std::vector<std::vector<Value>> shown;
    for (const ListRead& read : reads) shown.push_back(without_strangers(read));
    const auto longest = static_cast<std::size_t>(
        std::ranges::max_element(shown, {}, &std::vector<Value>::size) - shown.begin());
    trunks_.choose(reads[longest]);
    bool contradiction = false;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      if (std::ranges::equal(shown[i], std::span(shown[longest]).first(shown[i].size()))) continue;
      contradiction = true;
      relations_.order_conflicts.push_back({reads[i].key, reads[longest].read, reads[i].read});
    }
    return contradiction;
  }

 private:
  std::vector<Value> without_strangers(const ListRead& read) const {
    std::vector<Value> kept;
    for (const Value element : elements_shown(history_, read.read))
      if (counts(trunks_.index().find(read.key, element))) kept.push_back(element);
    return kept;
  }

  bool counts(AppendIndex::Source source) const {
    if (source.origin == AppendIndex::Origin::Several) return true;
    return source.origin == AppendIndex::Origin::One &&
           relations_.takes_part[lists_.appends[source.append].writer.index];
  }

  const History& history_;
  const ListFootprints& lists_;
  ListTrunks& trunks_;
  Relations& relations_;
};

// Others appended the same, and somebody saw it. If it was this one, its transaction counts, and what that
// read may contradict the other reads.
bool may_be_seen(const ListTrunks& trunks, const ListAppend& append, Value element) {
  const AppendIndex::Source source = trunks.index().find(append.key, element);
  const auto is_it = [&](AppendIndex::Source seen) { return seen.append == source.append; };
  return source.origin == AppendIndex::Origin::Several &&
         std::ranges::any_of(trunks[append.key].sources, is_it);
}

}  // namespace

std::vector<bool> settle_disputes(const History& history, const ListFootprints& lists, ListTrunks& trunks,
                                  Relations& relations, Budget& budget) {
  std::vector<bool> disputed(history.key_count(), false);
  Dispute dispute(history, lists, trunks, relations);
  for (const auto& [key, reads] : disputed_reads(history, lists, trunks, relations, budget))
    disputed[key.index] = dispute.settle(reads);
  for (const ListAppend& append : lists.appends)
    if (!relations.takes_part[append.writer.index] && history.outcome(append.writer) != Outcome::Aborted &&
        may_be_seen(trunks, append, history.value(append.op)))
      disputed[append.key.index] = true;
  std::ranges::sort(relations.order_conflicts, {}, &OrderConflict::second);
  return disputed;
}

}  // namespace serval
