#include "oracle/enumerate_histories.h"

#include <algorithm>
#include <array>
#include <map>

#include "serval/base/contract.h"

namespace serval::oracle {

int Choices::below(int bound) {
  expects(bound >= 1, "a choice between something");
  if (next_ == made_.size()) made_.push_back({0, bound});
  expects(made_[next_].bound == bound, "the same choices give the same question");
  return made_[next_++].answer;
}

bool Choices::advance() {
  next_ = 0;
  while (!made_.empty() && made_.back().answer + 1 == made_.back().bound) made_.pop_back();
  if (made_.empty()) return false;
  ++made_.back().answer;
  return true;
}

namespace {

class Generator {
 public:
  Generator(const Universe& universe, Choices& choices) : universe_(universe), choices_(choices) {}

  Draft make() {
    const int count = 1 + choices_.below(universe_.transactions);
    for (int i = 0; i < count; ++i) add_transaction(i);
    for (Draft::Transaction& transaction : draft_.transactions)
      for (Draft::Step& step : transaction.operations) choose_what_is_seen(step);
    return std::move(draft_);
  }

 private:
  static constexpr std::array kOutcomes{Outcome::Committed, Outcome::Aborted, Outcome::Indeterminate};
  // Any two of them are apart, touch or overlap.
  static constexpr std::array<Interval, 3> kIntervals{Interval{0, 1}, Interval{1, 2}, Interval{2, 3}};

  // Continues the session of the previous transaction, or begins a new one.
  void add_transaction(int index) {
    Draft::Transaction& transaction = draft_.transactions.emplace_back();
    if (index > 0) {
      const int before = draft_.transactions[static_cast<std::size_t>(index) - 1].session;
      transaction.session = before + choices_.below(2);
    }
    if (universe_.outcomes == Universe::Outcomes::All)
      transaction.outcome = kOutcomes[static_cast<std::size_t>(choices_.below(3))];
    if (universe_.times == Universe::Times::Small)
      transaction.interval = kIntervals[static_cast<std::size_t>(choices_.below(3))];
    const int operations = 1 + choices_.below(universe_.operations);
    for (int i = 0; i < operations; ++i) add_operation(transaction);
  }

  void add_operation(Draft::Transaction& transaction) {
    Draft::Step step;
    step.key = choices_.below(std::min(universe_.keys, keys_used_ + 1));
    keys_used_ = std::max(keys_used_, step.key + 1);
    step.kind = choose_kind(transaction, step.key);
    if (step.kind != OperationKind::Read && step.kind != OperationKind::ReadList)
      step.value = choose_written(step.key);
    transaction.operations.push_back(step);
  }

  OperationKind choose_kind(const Draft::Transaction& transaction, int key) {
    using enum OperationKind;
    if (universe_.writes == Universe::Writes::LightWeight)
      return std::array{Read, CompareAndSet, Insert}[static_cast<std::size_t>(choices_.below(3))];
    if (is_list(key) && written_[key] == universe_.appends) return ReadList;
    if (is_list(key)) return choices_.below(2) == 0 ? ReadList : Append;
    const bool read_before = std::ranges::count(transaction.operations, key, &Draft::Step::key) > 0;
    if (universe_.writes == Universe::Writes::ReadFirst && !read_before) return Read;
    return choices_.below(2) == 0 ? Read : Write;
  }

  bool is_list(int key) const {
    using enum Universe::Writes;
    return universe_.writes == Appends || universe_.writes == FaultyAppends ||
           (universe_.writes == Mixed && key == 0);
  }

  int choose_written(int key) {
    if (universe_.writes == Universe::Writes::Duplicate) {
      written_[key] = 2;
      return 1 + choices_.below(2);
    }
    return ++written_[key];
  }

  void choose_what_is_seen(Draft::Step& step) {
    const auto seen = [&] { return choices_.below(written_[step.key] + 2); };
    if (step.kind == OperationKind::Read) step.value = seen();
    if (step.kind == OperationKind::CompareAndSet) step.expected = seen();
    if (step.kind == OperationKind::ReadList) choose_list(step);
  }

  // Adds one element at a time, until the choice is to stop.
  void choose_list(Draft::Step& step) {
    std::vector<int> rest;
    for (int value = 1; value <= written_[step.key]; ++value) rest.push_back(value);
    const bool faulty = universe_.writes == Universe::Writes::FaultyAppends;
    for (;;) {
      const int elements = static_cast<int>(rest.size());
      const int faults = !faulty ? 0 : step.list.empty() ? 1 : 2;
      const int choice = choices_.below(1 + elements + faults);
      if (choice == 0) return;
      if (choice > elements) {
        step.list.push_back(choice == elements + 1 ? written_[step.key] + 1 : step.list.back());
        return;
      }
      step.list.push_back(rest[static_cast<std::size_t>(choice) - 1]);
      rest.erase(rest.begin() + choice - 1);
    }
  }

  const Universe& universe_;
  Choices& choices_;
  Draft draft_;
  int keys_used_ = 0;
  std::map<int, int> written_;  // The number of values written, by key.
};

}  // namespace

void for_each_history(const Universe& universe, const std::function<void(const Draft&)>& visit) {
  Choices choices;
  do {
    const Draft draft = Generator(universe, choices).make();
    if (listing_name(draft) == canonical_name(draft)) visit(draft);
  } while (choices.advance());
}

}  // namespace serval::oracle
