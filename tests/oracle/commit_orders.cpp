#include "oracle/commit_orders.h"

#include <algorithm>

namespace serval::oracle {
namespace {

std::size_t at(int id) { return static_cast<std::size_t>(id); }

struct Element {
  Value value;
  int writer;
};

// A list read after own appends, compared with the external read of the same list before them.
struct Beneath {
  int reader, key;
  std::size_t length;  // The number of elements before the own appends.
};

// A total order of the participants in which every read is possible, and what each read saw.
class CompleteOrder {
 public:
  CompleteOrder(const Story& story, const std::vector<int>& order, const std::vector<Sight>& visibility,
                bool reads_agree)
      : story_(story),
        order_(order),
        visibility_(visibility),
        reads_agree_(reads_agree),
        place_(at(story.transactions), -1),
        reads_from_(story.transactions),
        depends_(story.transactions) {
    for (std::size_t i = 0; i < order.size(); ++i) place_[at(order[i])] = static_cast<int>(i);
    for (const Sight& sight : visibility)
      if (sight.source != kInitially) reads_from_.add(sight.source, sight.reader);
    depends_.add(reads_from_);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = i + 1; j < order.size(); ++j)
        if (write_one_key(order[i], order[j])) depends_.add(order[i], order[j]);
    depends_.close();
  }

  bool satisfies(Level level) const {
    switch (level) {
      case Level::ReadCommitted:
        return true;
      case Level::StrongSessionReadCommitted:
        return contains(story_.session_order);
      case Level::StrongReadCommitted:
        return contains(story_.session_order) && contains(story_.real_time);
      case Level::CursorStability:
        return updates_follow_what_they_read();
      case Level::MonotonicAtomicView:
        return is_monotonic(Relation(story_.transactions));
      case Level::ReadCommittedMonotonic:
        return contains(story_.session_order) && is_monotonic(Relation(story_.transactions));
      case Level::MonotonicView:
        return is_monotonic(depends_);
      case Level::ConsistentView:
        return no_single_anti_dependency(depends_);
      case Level::ReadAtomic:
        return contains(story_.session_order) && reads_agree_ && sees_all_of(one_step());
      case Level::Causal:
        return contains(story_.session_order) && reads_agree_ && sees_all_of(many_steps());
      case Level::PrefixConsistency:
        return contains(story_.session_order) && reads_agree_ && sees_all_of(prefixes());
      case Level::ParallelSnapshotIsolation:
        return contains(story_.session_order) && no_single_anti_dependency(depends_with_sessions());
      default:
        return false;
    }
  }

 private:
  int place(int writer) const { return writer == kInitially ? -1 : place_[at(writer)]; }
  bool writes(int t, int key) const { return story_.writes[at(t)][at(key)]; }
  bool write_one_key(int a, int b) const {
    for (int key = 0; key < story_.keys; ++key)
      if (writes(a, key) && writes(b, key)) return true;
    return false;
  }

  bool contains(const Relation& relation) const {
    for (std::size_t i = 0; i < order_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (relation.has(order_[i], order_[j])) return false;
    return true;
  }

  bool updates_follow_what_they_read() const {
    for (const Sight& sight : visibility_) {
      if (!writes(sight.reader, sight.key)) continue;
      for (const int other : order_)
        if (writes(other, sight.key) && place(sight.source) < place(other) &&
            place(other) < place(sight.reader))
          return false;
    }
    return true;
  }

  // `beneath` relates a transaction to those that are seen whenever it is: an edge leads from the latter
  // to it.
  bool is_monotonic(const Relation& beneath) const {
    for (const Sight& first : visibility_)
      for (const Sight& later : visibility_) {
        if (first.reader != later.reader || first.position >= later.position) continue;
        if (first.source == kInitially) continue;
        for (const int seen : order_)
          if ((seen == first.source || beneath.has(seen, first.source)) && writes(seen, later.key) &&
              place(seen) > place(later.source))
            return false;
      }
    return true;
  }

  // An anti-dependency leads from a reader to the writer of the next version, unless that is the reader
  // itself.
  bool no_single_anti_dependency(const Relation& dependencies) const {
    if (dependencies.has_cycle()) return false;
    for (const Sight& sight : visibility_)
      for (const int next : order_) {
        if (!writes(next, sight.key) || place(next) <= place(sight.source)) continue;
        if (next != sight.reader && dependencies.has(next, sight.reader)) return false;
        break;
      }
    return true;
  }

  bool sees_all_of(const Relation& visible) const {
    for (const Sight& sight : visibility_)
      for (const int other : order_)
        if (other != sight.source && writes(other, sight.key) && visible.has(other, sight.reader) &&
            place(other) > place(sight.source))
          return false;
    return true;
  }

  Relation one_step() const {
    Relation steps(story_.transactions);
    for (const int a : order_)
      for (const int b : order_)
        if (reads_from_.has(a, b) || story_.session_order.has(a, b)) steps.add(a, b);
    return steps;
  }
  Relation many_steps() const {
    Relation steps = one_step();
    steps.close();
    return steps;
  }
  Relation prefixes() const {
    const Relation steps = one_step();
    Relation visible = steps;
    for (const int reader : order_)
      for (const int last : order_)
        for (const int earlier : order_)
          if (steps.has(last, reader) && place(earlier) < place(last)) visible.add(earlier, reader);
    return visible;
  }
  Relation depends_with_sessions() const {
    Relation relation = depends_;
    relation.add(one_step());
    relation.close();
    return relation;
  }

  const Story& story_;
  const std::vector<int>& order_;
  const std::vector<Sight>& visibility_;
  bool reads_agree_;
  std::vector<int> place_;
  Relation reads_from_;
  Relation depends_;  // The closure of ww and wr.
};

class Search {
 public:
  Search(const Story& story, const Participants& participants, const LevelSet& wanted)
      : story_(story), participants_(participants), open_(wanted), lists_(at(story.keys)) {}

  // Takes the sources of register reads; those of list reads follow from the order.
  void run(const std::vector<Sight>& register_visibility) {
    register_visibility_ = &register_visibility;
    extend();
  }
  const LevelSet& found() const { return found_; }
  bool finished() const { return open_.none(); }

 private:
  void extend() {
    bool complete = true;
    for (int t = 0; t < story_.transactions && !finished(); ++t) {
      if (!participants_[at(t)] || std::ranges::count(order_, t) > 0) continue;
      complete = false;
      const std::size_t visibility = visibility_.size(), beneath = beneath_.size();
      if (can_be_next(t)) {
        append_writes(t);
        order_.push_back(t);
        extend();
        order_.pop_back();
        for (std::vector<Element>& list : lists_)
          std::erase_if(list, [t](const Element& element) { return element.writer == t; });
      }
      visibility_.resize(visibility);
      beneath_.resize(beneath);
    }
    if (complete) judge();
  }

  bool can_be_next(int t) {
    for (const Sight& sight : *register_visibility_) {
      if (sight.reader != t) continue;
      if (sight.source != kInitially && std::ranges::count(order_, sight.source) == 0) return false;
      visibility_.push_back(sight);
    }
    const auto& actions = story_.actions[at(t)];
    for (std::size_t i = 0; i < actions.size(); ++i)
      if (actions[i].shown && !can_show(t, i)) return false;
    return true;
  }

  bool can_show(int t, std::size_t position) {
    const Action& read = story_.actions[at(t)][position];
    const std::vector<Element>& list = lists_[at(read.key)];
    Values own;
    for (std::size_t i = 0; i < position; ++i) {
      const Action& before = story_.actions[at(t)][i];
      if (before.key == read.key && before.left) own.push_back(*before.left);
    }
    if (read.shown->size() < own.size()) return false;
    const std::size_t length = read.shown->size() - own.size();
    if (length > list.size()) return false;
    for (std::size_t i = 0; i < length; ++i)
      if ((*read.shown)[i] != list[i].value) return false;
    if (!std::equal(own.begin(), own.end(), read.shown->begin() + static_cast<std::ptrdiff_t>(length)))
      return false;
    if (!read.external) {
      beneath_.push_back({t, read.key, length});
      return length == list.size();
    }
    const int source = length == 0 ? kInitially : list[length - 1].writer;
    visibility_.push_back({t, static_cast<int>(position), read.key, source});
    return length == 0 || length == list.size() || list[length].writer != source;
  }

  void append_writes(int t) {
    for (const Action& action : story_.actions[at(t)])
      if (action.left && story_.is_list[at(action.key)]) lists_[at(action.key)].push_back({*action.left, t});
  }

  bool reads_agree() const {
    for (const Sight& a : visibility_)
      for (const Sight& b : visibility_)
        if (a.reader == b.reader && a.key == b.key && a.source != b.source) return false;
    for (const Beneath& beneath : beneath_)
      for (const Sight& sight : visibility_) {
        if (sight.reader != beneath.reader || sight.key != beneath.key) continue;
        const int source =
            beneath.length == 0 ? kInitially : lists_[at(beneath.key)][beneath.length - 1].writer;
        if (source != sight.source) return false;
      }
    return true;
  }

  void judge() {
    const CompleteOrder complete(story_, order_, visibility_, reads_agree());
    for (const Level level : commit_order_levels())
      if (open_[index_of(level)] && complete.satisfies(level)) {
        found_.set(index_of(level));
        open_.reset(index_of(level));
      }
  }

  const Story& story_;
  const Participants& participants_;
  LevelSet open_, found_;
  const std::vector<Sight>* register_visibility_ = nullptr;
  std::vector<int> order_;
  std::vector<Sight> visibility_;            // What the transactions in order_ read.
  std::vector<Beneath> beneath_;             // The same for their list reads.
  std::vector<std::vector<Element>> lists_;  // By key: what the transactions in order_ appended.
};

// The external register reads of the participants and what each may have seen.
struct RegisterReads {
  bool possible = true;  // Every read has a source, and own writes are read back.
  std::vector<Sight> visibility;
  std::vector<std::vector<int>> sources;
};

bool reads_own_write(const std::vector<Action>& actions, std::size_t position) {
  for (std::size_t i = position; i-- > 0;)
    if (actions[i].key == actions[position].key && actions[i].left)
      return actions[i].left == actions[position].seen;
  return false;
}

RegisterReads register_reads(const Story& story, const Participants& participants) {
  RegisterReads reads;
  for (int t = 0; t < story.transactions; ++t) {
    if (!participants[at(t)]) continue;
    const std::vector<Action>& actions = story.actions[at(t)];
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (!actions[i].seen) continue;
      if (!actions[i].external) {
        reads.possible &= reads_own_write(actions, i);
        continue;
      }
      reads.visibility.push_back({t, static_cast<int>(i), actions[i].key, kInitially});
      reads.sources.push_back(possible_sources(story, participants, t, actions[i]));
      reads.possible &= !reads.sources.back().empty();
    }
  }
  return reads;
}

}  // namespace

const std::vector<Level>& commit_order_levels() {
  static const std::vector<Level> levels{Level::ReadCommitted,       Level::StrongSessionReadCommitted,
                                         Level::StrongReadCommitted, Level::CursorStability,
                                         Level::MonotonicAtomicView, Level::ReadCommittedMonotonic,
                                         Level::MonotonicView,       Level::ReadAtomic,
                                         Level::ConsistentView,      Level::Causal,
                                         Level::PrefixConsistency,   Level::ParallelSnapshotIsolation};
  return levels;
}

LevelSet levels_by_commit_order(const Story& story, const LevelSet& wanted) {
  LevelSet found;
  for (const Participants& participants : all_participants(story)) {
    RegisterReads reads = register_reads(story, participants);
    if (!reads.possible) continue;
    Search search(story, participants, wanted & ~found);
    some_assignment(reads.visibility, reads.sources, [&] {
      search.run(reads.visibility);
      return search.finished();
    });
    found |= search.found();
  }
  return found;
}

}  // namespace serval::oracle
