#include "oracle/version_orders.h"

#include <algorithm>

namespace serval::oracle {
namespace {

std::size_t at(int id) { return static_cast<std::size_t>(id); }

bool is_prefix(const Values& shorter, const Values& longer) {
  return shorter.size() <= longer.size() && std::equal(shorter.begin(), shorter.end(), longer.begin());
}

// The elements that `t` appends to the list, in program order.
Values appends_of(const Story& story, int t, int key) {
  Values appended;
  for (const Action& action : story.actions[at(t)])
    if (action.key == key && action.left) appended.push_back(*action.left);
  return appended;
}

std::ptrdiff_t times_appended(const Story& story, const Participants& participants, int key, Value value) {
  std::ptrdiff_t times = 0;
  for (int t = 0; t < story.transactions; ++t)
    if (participants[at(t)]) times += std::ranges::count(appends_of(story, t, key), value);
  return times;
}

// Omits the elements that no participant appended.
Values of_participants(const Story& story, const Participants& participants, const Action& read) {
  Values kept;
  for (const Value value : *read.shown)
    if (times_appended(story, participants, read.key, value) > 0) kept.push_back(value);
  return kept;
}

bool shows_duplicates(const Story& story, const Participants& participants) {
  for (int t = 0; t < story.transactions; ++t) {
    if (!participants[at(t)]) continue;
    for (const Action& read : story.actions[at(t)]) {
      if (!read.shown) continue;
      const Values shown = of_participants(story, participants, read);
      for (const Value value : shown)
        if (std::ranges::count(shown, value) > times_appended(story, participants, read.key, value))
          return true;
    }
  }
  return false;
}

// What the reads of a list show together: the longest of them, unless two contradict each other.
struct LongestRead {
  bool disputed = false;
  Values elements;
};

LongestRead longest_read_of(const Story& story, const Participants& participants, int key) {
  std::vector<Values> lists;
  for (int t = 0; t < story.transactions; ++t) {
    if (!participants[at(t)]) continue;
    for (const Action& read : story.actions[at(t)])
      if (read.key == key && read.shown) lists.push_back(of_participants(story, participants, read));
  }
  Values longest;
  for (const Values& list : lists)
    if (list.size() > longest.size()) longest = list;
  for (const Values& list : lists)
    if (!is_prefix(list, longest)) return {.disputed = true};
  return {.elements = longest};
}

// Is there an order of the participants, containing `required`, in which the lists grow as shown?
class WriteOrder {
 public:
  WriteOrder(const Story& story, const Participants& participants, Relation required)
      : story_(story), participants_(participants), required_(std::move(required)) {
    for (int key = 0; key < story.keys; ++key)
      longest_reads_.push_back(longest_read_of(story, participants, key).elements);
    lengths_.resize(at(story.keys), 0);
  }

  bool exists() {
    bool complete = true;
    for (int t = 0; t < story_.transactions; ++t) {
      if (!participants_[at(t)] || std::ranges::count(order_, t) > 0) continue;
      complete = false;
      if (!can_be_next(t)) continue;
      const std::vector<std::size_t> before = lengths_;
      order_.push_back(t);
      if (grows_as_shown(t) && exists()) return true;
      order_.pop_back();
      lengths_ = before;
    }
    return complete;
  }

 private:
  bool can_be_next(int t) const {
    for (int other = 0; other < story_.transactions; ++other)
      if (participants_[at(other)] && required_.has(other, t) && std::ranges::count(order_, other) == 0)
        return false;
    return true;
  }

  // The appends of a transaction to a list stay together; their order does not matter at this level.
  bool grows_as_shown(int t) {
    for (int key = 0; key < story_.keys; ++key) {
      if (!story_.is_list[at(key)]) continue;
      const Values& longest_read = longest_reads_[at(key)];
      Values appended = appends_of(story_, t, key);
      for (std::size_t& length = lengths_[at(key)]; !appended.empty() && length < longest_read.size();
           ++length) {
        const auto next = std::ranges::find(appended, longest_read[length]);
        if (next == appended.end()) return false;
        appended.erase(next);
      }
    }
    return true;
  }

  const Story& story_;
  const Participants& participants_;
  Relation required_;
  std::vector<Values> longest_reads_;  // By key.
  std::vector<std::size_t>
      lengths_;  // By key: how much of the longest read the transactions in order_ appended.
  std::vector<int> order_;
};

LevelSet uncommitted_levels(const Story& story, const Participants& participants) {
  LevelSet found;
  if (shows_duplicates(story, participants)) return found;
  Relation both = story.session_order;
  both.add(story.real_time);
  found[index_of(Level::StrongReadUncommitted)] = WriteOrder(story, participants, both).exists();
  found[index_of(Level::StrongSessionReadUncommitted)] =
      found[index_of(Level::StrongReadUncommitted)] ||
      WriteOrder(story, participants, story.session_order).exists();
  found[index_of(Level::ReadUncommitted)] =
      found[index_of(Level::StrongSessionReadUncommitted)] ||
      WriteOrder(story, participants, Relation(story.transactions)).exists();
  return found;
}

// The external reads that count, and what each may have seen.
struct Reads {
  std::vector<Sight> visibility;
  std::vector<std::vector<int>> sources;
};

// Whether some value was appended twice. Then a list does not show whose appends it contains.
bool is_ambiguous(const Story& story, int key) {
  Values appended;
  for (int t = 0; t < story.transactions; ++t)
    for (const Value value : appends_of(story, t, key)) appended.push_back(value);
  std::ranges::sort(appended);
  return std::ranges::adjacent_find(appended) != appended.end();
}

// The transaction whose last append is the last element; kInitially for the empty list.
std::vector<int> list_sources(const Story& story, const Participants& participants, int reader,
                              const Action& read) {
  if (read.shown->empty()) return {kInitially};
  std::vector<int> sources;
  for (int t = 0; t < story.transactions; ++t) {
    const Values appended = appends_of(story, t, read.key);
    if (participants[at(t)] && t != reader && !appended.empty() && appended.back() == read.shown->back())
      sources.push_back(t);
  }
  return sources;
}

Reads reads_that_count(const Story& story, const Participants& participants) {
  Reads reads;
  for (int t = 0; t < story.transactions; ++t) {
    if (!participants[at(t)]) continue;
    for (std::size_t i = 0; i < story.actions[at(t)].size(); ++i) {
      const Action& read = story.actions[at(t)][i];
      std::vector<int> sources;
      if (read.external && read.seen) sources = possible_sources(story, participants, t, read);
      if (read.external && read.shown) sources = list_sources(story, participants, t, read);
      if (!sources.empty()) {
        reads.visibility.push_back({t, static_cast<int>(i), read.key, kInitially});
        reads.sources.push_back(sources);
      }
    }
  }
  return reads;
}

// The transactions whose writes T4 must not miss.
Relation visible(const Story& story, const std::vector<Sight>& visibility, Level level) {
  Relation from(story.transactions), result(story.transactions);
  for (const Sight& sight : visibility)
    if (sight.source != kInitially) from.add(sight.source, sight.reader);
  const auto so = [&](int a, int b) { return story.session_order.has(a, b); };
  const int n = story.transactions;
  for (int t2 = 0; t2 < n; ++t2)
    for (int t4 = 0; t4 < n; ++t4) {
      const bool own = level == Level::ReadYourWrites || level == Level::Pram;
      if (own && so(t2, t4)) result.add(t2, t4);
      for (int t3 = 0; t3 < n; ++t3) {
        const bool reads = level == Level::MonotonicReads || level == Level::Pram;
        const bool writes = level == Level::MonotonicWrites || level == Level::Pram;
        if (reads && from.has(t2, t3) && so(t3, t4)) result.add(t2, t4);
        if (writes && so(t2, t3) && from.has(t3, t4)) result.add(t2, t4);
        for (int t5 = 0; t5 < n; ++t5) {
          if (level == Level::WritesFollowReads && from.has(t2, t3) && so(t3, t5) && from.has(t5, t4))
            result.add(t2, t4);
          if (level == Level::Pram && so(t2, t5) && from.has(t5, t3) && so(t3, t4)) result.add(t2, t4);
        }
      }
    }
  return result;
}

class KeyOrder {
 public:
  KeyOrder(const Story& story, const Participants& participants, const Reads& reads, const Relation& visible,
           int key)
      : story_(story), reads_(reads), visible_(visible), key_(key) {
    for (int t = 0; t < story.transactions; ++t)
      if (participants[at(t)] && story.writes[at(t)][at(key)]) writers_.push_back(t);
    if (story.is_list[at(key)] && !is_ambiguous(story, key))
      longest_read_ = longest_read_of(story, participants, key);
  }

  bool exists() {
    if (longest_read_.disputed) return false;
    do {
      if (agrees_with_lists() && misses_nothing()) return true;
    } while (std::ranges::next_permutation(writers_).found);
    return false;
  }

 private:
  // The longest read shows the order of the last appends; those that it does not show came later.
  bool agrees_with_lists() const {
    if (longest_read_.elements.empty()) return true;
    Values last, seen;
    for (const int writer : writers_) last.push_back(appends_of(story_, writer, key_).back());
    for (const Value value : longest_read_.elements)
      if (std::ranges::count(last, value) > 0 && std::ranges::count(seen, value) == 0) seen.push_back(value);
    return is_prefix(seen, last);
  }

  std::ptrdiff_t place(int writer) const {
    return writer == kInitially ? -1 : std::ranges::find(writers_, writer) - writers_.begin();
  }
  bool misses_nothing() const {
    for (const Sight& sight : reads_.visibility)
      for (const int writer : writers_)
        if (sight.key == key_ && visible_.has(writer, sight.reader) && place(writer) > place(sight.source))
          return false;
    return true;
  }

  const Story& story_;
  const Reads& reads_;
  const Relation& visible_;
  int key_;
  std::vector<int> writers_;
  LongestRead longest_read_;
};

bool guarantee_holds(const Story& story, const Participants& participants, const Reads& reads, Level level) {
  const Relation seen = visible(story, reads.visibility, level);
  for (int key = 0; key < story.keys; ++key)
    if (!KeyOrder(story, participants, reads, seen, key).exists()) return false;
  return true;
}

LevelSet session_levels(const Story& story, const Participants& participants) {
  LevelSet found;
  Reads reads = reads_that_count(story, participants);
  for (const Level level : {Level::MonotonicReads, Level::MonotonicWrites, Level::ReadYourWrites,
                            Level::WritesFollowReads, Level::Pram})
    found[index_of(level)] = some_assignment(
        reads.visibility, reads.sources, [&] { return guarantee_holds(story, participants, reads, level); });
  return found;
}

}  // namespace

const std::vector<Level>& version_order_levels() {
  static const std::vector<Level> levels{Level::ReadUncommitted,       Level::StrongSessionReadUncommitted,
                                         Level::StrongReadUncommitted, Level::MonotonicReads,
                                         Level::MonotonicWrites,       Level::ReadYourWrites,
                                         Level::WritesFollowReads,     Level::Pram};
  return levels;
}

LevelSet levels_by_version_order(const Story& story) {
  LevelSet found;
  for (const Participants& participants : counted_participants(story))
    found |= uncommitted_levels(story, participants) | session_levels(story, participants);
  return found;
}

}  // namespace serval::oracle
