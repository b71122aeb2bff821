#pragma once
// Is there an order of overlapping operations in which a single object, used by one client at a time,
// could have returned these results? The search of Wing & Gong (1993) with Lowe's cache of
// configurations (2017), iterative, with these optimisations:
//
//   - Observers first. An operation that never changes the object and whose result fits now is placed now:
//     moving it forward does no harm, so there is no choice to backtrack to.
//   - Equal operations are interchangeable: of those that may come next, only the first to end is tried.
//   - Lost operations are optional. One that never returned may take effect at any time or never. Only the
//     earliest unused one of each kind is tried; one whose effect would be overwritten unseen is skipped.
//   - A configuration is the state, the position of the latest placed operation and the few earlier ones
//     still waiting: its size is the number of overlapping operations, not of all operations.
//
// Configurations are compared in full, never by hash alone. Deterministic. Worst-case time is
// exponential in the number of overlapping operations; the budget is polled at every configuration.
//
// Object is any type with:
//   std::uint64_t initial();
//   std::optional<std::uint64_t> apply(std::uint64_t state, std::uint32_t operation);  Nothing: does not fit.
//   bool observes_only(std::uint32_t operation) const;       apply() never changes the state.
//   bool hides(std::uint32_t later, std::uint32_t lost) const;
//                     `later` fits every state and overwrites everything that `lost` changed.
//   std::uint32_t kind_of(std::uint32_t operation) const;     Dense; equal for interchangeable operations.
// and optionally
//   bool supplies(std::uint32_t operation, std::uint32_t needy) const;   `needy` fits after `operation`.
//   bool is_hopeless(std::uint64_t state, const WaitingOperations& waiting) const;    No order of them fits.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "serval/base/budget.h"

namespace serval {

// When an operation began and ended, as positions in one sequence of events.
struct CallSpan {
  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t call = 0;
  std::uint32_t end = kNever;  // kNever: lost, it may still take effect.
  bool lost() const { return end == kNever; }
};

// The operations that returned and are not placed yet, by begin:
//   for (std::uint32_t i = waiting.first(); waiting.has(i); i = waiting.after(i)) ...
class WaitingOperations {
 public:
  explicit WaitingOperations(std::span<const std::uint32_t> next) : next_(next) {}
  std::uint32_t first() const { return next_.back(); }
  bool has(std::uint32_t i) const { return i + 1 != next_.size(); }
  std::uint32_t after(std::uint32_t i) const { return next_[i]; }

 private:
  std::span<const std::uint32_t> next_;  // Circular; the last element is the head.
};

struct Linearization {
  bool complete = false;
  // If complete: every operation that returned, and the lost ones that had to take effect, in an order
  // that fits. Otherwise the longest prefix: all operations that ended before `stuck` did, in an order
  // that fits.
  std::vector<std::uint32_t> order;
  std::uint64_t state = 0;  // Of the object after `order`.
  // The operation that cannot be placed: its end is the first event that no order explains.
  std::uint32_t stuck = CallSpan::kNever;
  std::uint64_t configurations = 0;  // Visited, for reports.
};

// A set of short sequences of words, compared in full. Append-only; two allocations, whatever the number
// of members.
class ConfigurationSet {
 public:
  bool insert(std::span<const std::uint64_t> words) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    const std::uint64_t hash = hash_of(words);
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.offset == kFree) {
        slot = {hash, words_.size()};
        words_.push_back(words.size());
        words_.insert(words_.end(), words.begin(), words.end());
        ++size_;
        return true;
      }
      if (slot.hash == hash && std::ranges::equal(member(slot), words)) return false;
    }
  }
  std::uint64_t size() const noexcept { return size_; }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t offset = kFree;
  };

  static std::uint64_t hash_of(std::span<const std::uint64_t> words) {
    std::uint64_t hash = words.size();
    for (const std::uint64_t word : words) {
      hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
      hash ^= hash >> 32;
    }
    return hash;
  }
  std::span<const std::uint64_t> member(const Slot& slot) const {
    return std::span(words_).subspan(slot.offset + 1, words_[slot.offset]);
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.offset == kFree) continue;
      std::size_t at = slot.hash & (slots_.size() - 1);
      while (slots_[at].offset != kFree) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

template <class Object>
class LinearizationSearch {
 public:
  // `spans` ascend by begin; all positions are distinct.
  LinearizationSearch(std::span<const CallSpan> spans, Object& object, Budget& budget)
      : spans_(spans), object_(object), budget_(budget) {
    build_waiting_list();
    build_lost_kinds();
  }

  // Call once.
  Linearization run() {
    state_ = object_.initial();
    bool forward = true;
    while (true) {
      if (forward) {
        settle();
        if (next_[head()] == head()) return finish();
        forward = enter();
      }
      if (!forward && !leave()) return give_up();
      forward = try_next_move();
    }
  }

 private:
  struct Frame {
    std::uint64_t state;  // This and the next three describe the configuration.
    std::uint32_t horizon;
    std::uint32_t unseen;
    std::size_t order_size;
    std::size_t moves_begin;  // Its moves; the next one to try.
    std::size_t moves_next;
  };
  static constexpr std::uint32_t kNone = CallSpan::kNever;

  struct LostKind {
    std::vector<std::uint32_t> operations;  // By call.
    std::uint32_t used = 0;
  };

  std::uint32_t head() const { return static_cast<std::uint32_t>(spans_.size()); }

  // A circular list of the operations that returned and are not placed, by begin; its head is one past
  // the last.
  void build_waiting_list() {
    const std::uint32_t size = head();
    next_.resize(size + 1);
    previous_.resize(size + 1);
    std::uint32_t last = size;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (spans_[i].lost()) continue;
      next_[last] = i;
      previous_[i] = last;
      last = i;
    }
    next_[last] = size;
    previous_[size] = last;
  }

  void build_lost_kinds() {
    std::vector<std::uint32_t> places;  // By kind: index into lost_.
    lost_kind_of_.assign(spans_.size(), kNone);
    for (std::uint32_t i = 0; i < head(); ++i) {
      const std::uint32_t kind = object_.kind_of(i);
      if (kind >= listed_.size()) listed_.resize(kind + 1, 0);
      if (!spans_[i].lost() || object_.observes_only(i)) continue;
      if (kind >= places.size()) places.resize(kind + 1, kNone);
      if (places[kind] == kNone) {
        places[kind] = static_cast<std::uint32_t>(lost_.size());
        lost_.emplace_back();
      }
      lost_[places[kind]].operations.push_back(i);
      lost_kind_of_[i] = places[kind];
    }
  }

  void place(std::uint32_t operation, std::uint64_t state) {
    if (spans_[operation].lost()) {
      ++lost_[lost_kind_of_[operation]].used;
    } else {
      next_[previous_[operation]] = next_[operation];
      previous_[next_[operation]] = previous_[operation];
      horizon_ = std::max(horizon_, operation + 1);
    }
    order_.push_back(operation);
    state_ = state;
  }

  void take_back_to(std::size_t size) {
    save_best(size);
    for (; order_.size() > size; order_.pop_back()) {
      const std::uint32_t operation = order_.back();
      if (spans_[operation].lost())
        --lost_[lost_kind_of_[operation]].used;
      else
        next_[previous_[operation]] = previous_[next_[operation]] = operation;
    }
  }

  // Places every observer that fits now. If one follows a lost operation, that operation was needed.
  void settle() {
    bool again = true;
    while (again) {
      again = false;
      deadline_ = kNone;
      for (std::uint32_t i = next_[head()]; i != head() && spans_[i].call < deadline_; i = next_[i]) {
        if (object_.observes_only(i) && object_.apply(state_, i)) {
          place(i, state_);
          unseen_ = kNone;
          again = true;
        } else {
          deadline_ = std::min(deadline_, spans_[i].end);
        }
      }
    }
  }

  // At a configuration after settle(): remembers it and lists its moves. False if it is a dead end.
  bool enter() {
    budget_.poll("linearize");
    note_progress();
    if constexpr (requires { object_.is_hopeless(state_, WaitingOperations(next_)); })
      if (object_.is_hopeless(state_, WaitingOperations(next_))) return false;
    format_configuration();
    if (!seen_.insert(words_)) return false;
    frames_.push_back({state_, horizon_, unseen_, order_.size(), moves_.size(), moves_.size()});
    list_moves();
    return true;
  }

  // The end of `deadline_`'s operation is the first event not explained yet; the latest such event is
  // reported.
  void note_progress() {
    if (best_deadline_ != kNone && deadline_ <= best_deadline_) return;
    best_deadline_ = deadline_;
    best_size_ = order_.size();
    best_is_current_ = true;
    best_state_ = state_;
  }

  // Before order_ shrinks to `size`: saves the best order, copying only the part that differs from the
  // saved one.
  void save_best(std::size_t size) {
    if (best_is_current_ && size < best_size_) {
      best_order_.resize(shared_);
      best_order_.insert(best_order_.end(), order_.begin() + static_cast<std::ptrdiff_t>(shared_),
                         order_.begin() + static_cast<std::ptrdiff_t>(best_size_));
      best_is_current_ = false;
      shared_ = best_size_;
    }
    shared_ = std::min(shared_, size);
  }

  void format_configuration() {
    words_.clear();
    words_.push_back(state_);
    words_.push_back(std::uint64_t{horizon_} << 32 | unseen_);
    for (std::uint32_t i = next_[head()]; i < horizon_; i = next_[i]) words_.push_back(i);
    for (std::uint32_t kind = 0; kind < lost_.size(); ++kind)
      if (lost_[kind].used != 0)
        words_.push_back(std::uint64_t{1} << 63 | std::uint64_t{kind} << 32 | lost_[kind].used);
  }

  // The operations that may come next, ordered by end, one of each kind; then the lost ones.
  void list_moves() {
    const std::size_t begin = moves_.size();
    for (std::uint32_t i = next_[head()]; i != head() && spans_[i].call < deadline_; i = next_[i])
      if (!object_.observes_only(i) && (unseen_ == kNone || !object_.hides(i, unseen_))) moves_.push_back(i);
    const auto first = moves_.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, moves_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return spans_[a].end < spans_[b].end; });
    ++listing_;
    const auto is_repeated = [&](std::uint32_t i) {
      return std::exchange(listed_[object_.kind_of(i)], listing_) == listing_;
    };
    moves_.erase(std::remove_if(first, moves_.end(), is_repeated), moves_.end());
    if constexpr (requires { object_.supplies(0u, 0u); }) put_suppliers_first(begin);
    for (const LostKind& kind : lost_) {
      if (spans_[kind.operations.front()].call >= deadline_) break;
      if (kind.used == kind.operations.size()) continue;
      const std::uint32_t operation = kind.operations[kind.used];
      if (spans_[operation].call < deadline_ && (unseen_ == kNone || !object_.hides(operation, unseen_)))
        moves_.push_back(operation);
    }
  }

  // An operation that supplies what the first waiting operation needs is a better choice than others.
  void put_suppliers_first(std::size_t begin) {
    std::uint32_t needy = next_[head()];
    while (spans_[needy].end != deadline_) needy = next_[needy];
    if (object_.apply(state_, needy)) return;
    std::stable_partition(moves_.begin() + static_cast<std::ptrdiff_t>(begin), moves_.end(),
                          [&](std::uint32_t i) { return object_.supplies(i, needy); });
  }

  // Makes the next possible move from the innermost configuration; false if none is left.
  bool try_next_move() {
    Frame& frame = frames_.back();
    while (frame.moves_next < moves_.size()) {
      const std::uint32_t operation = moves_[frame.moves_next++];
      const std::optional<std::uint64_t> after = object_.apply(frame.state, operation);
      const bool lost = spans_[operation].lost();
      if (!after || (lost && *after == frame.state)) continue;
      place(operation, *after);
      unseen_ = lost ? operation : kNone;
      return true;
    }
    return false;
  }

  // Backtracks to the innermost configuration with moves left; false if there is none.
  bool leave() {
    while (!frames_.empty()) {
      const Frame& frame = frames_.back();
      take_back_to(frame.order_size);
      state_ = frame.state;
      horizon_ = frame.horizon;
      unseen_ = frame.unseen;
      if (frame.moves_next < moves_.size()) return true;
      moves_.resize(frame.moves_begin);
      frames_.pop_back();
    }
    return false;
  }

  Linearization finish() { return {true, std::move(order_), state_, kNone, seen_.size()}; }

  Linearization give_up() {
    take_back_to(0);
    const auto stuck = std::ranges::find(spans_, best_deadline_, &CallSpan::end);
    return {false, std::move(best_order_), best_state_, static_cast<std::uint32_t>(stuck - spans_.begin()),
            seen_.size()};
  }

  std::span<const CallSpan> spans_;
  Object& object_;
  Budget& budget_;

  std::vector<std::uint32_t> next_, previous_;
  std::vector<LostKind> lost_;  // By first begin.
  std::vector<std::uint32_t> lost_kind_of_;

  std::uint64_t state_ = 0;
  std::uint32_t horizon_ = 0;       // All returned operations from here on are waiting.
  std::uint32_t unseen_ = kNone;    // The lost operation just placed, until another one depends on it.
  std::uint32_t deadline_ = kNone;  // The first end among the waiting operations.
  std::vector<std::uint32_t> order_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> moves_;
  std::vector<std::uint64_t> listed_;  // By kind: the last list of moves that contained it.
  std::uint64_t listing_ = 0;
  ConfigurationSet seen_;
  std::vector<std::uint64_t> words_;

  std::uint32_t best_deadline_ = kNone;
  bool best_is_current_ = false;  // The best order is the first best_size_ operations of order_.
  std::size_t best_size_ = 0;
  std::size_t shared_ = 0;  // Length of the common prefix of best_order_ and order_.
  std::vector<std::uint32_t> best_order_;
  std::uint64_t best_state_ = 0;
};

}  // namespace serval
