#include "metamorphic/ingredients.h"

#include "oracle/random_history.h"

namespace serval::metamorphic {
namespace {

using Step = Draft::Step;

bool is_list(const Step& step) {
  return step.kind == OperationKind::Append || step.kind == OperationKind::ReadList;
}
bool writes_plainly(const Step& step) { return step.kind == OperationKind::Write; }

template <class Change>
void change_some(Draft& draft, Random& random, double share, Change change) {
  for (Draft::Transaction& transaction : draft.transactions)
    for (Step& step : transaction.operations)
      if (random.chance(share)) change(step);
}

// A write becomes a compare-and-set of what its transaction saw there, or of some value.
void compare_and_set(Draft& draft, Random& random) {
  for (Draft::Transaction& transaction : draft.transactions) {
    int seen = oracle::kInitial;
    for (Step& step : transaction.operations) {
      if (step.kind == OperationKind::Read) seen = step.value;
      if (!writes_plainly(step) || !random.chance(0.5)) continue;
      step.expected = random.chance(0.8) ? seen : static_cast<int>(random.below(4));
      step.kind = random.chance(0.8) ? OperationKind::CompareAndSet : OperationKind::CompareAndSetMiss;
    }
  }
}

void insert_or_delete(Step& step, Random& random) {
  if (!writes_plainly(step)) return;
  if (random.chance(0.5)) {
    step = {.kind = OperationKind::Delete, .key = step.key, .value = oracle::kNil};
  } else {
    step.kind = random.chance(0.8) ? OperationKind::Insert : OperationKind::InsertMiss;
  }
}

void change_outcomes(Draft& draft, Random& random) {
  for (Draft::Transaction& transaction : draft.transactions)
    if (random.chance(0.25))
      transaction.outcome = random.chance(0.5) ? Outcome::Aborted : Outcome::Indeterminate;
}

void add_spice(Draft& draft, Random& random) {
  if (random.chance(0.15))  // The answer never arrived.
    change_some(draft, random, 0.2, [](Step& step) {
      if (step.kind == OperationKind::Read || step.kind == OperationKind::ReadList) step.value = kUnknown;
    });
  if (random.chance(0.15))  // The written value was not recorded.
    change_some(draft, random, 0.2, [](Step& step) {
      if (writes_plainly(step)) step.value = kUnknown;
    });
  if (random.chance(0.2))
    change_some(draft, random, 0.2, [&](Step& step) {
      if (!is_list(step) && step.kind != OperationKind::Delete)
        step.value = random.chance(0.3) ? oracle::kNil : static_cast<int>(random.below(3));
    });
  if (random.chance(0.15)) compare_and_set(draft, random);
  if (random.chance(0.15))
    change_some(draft, random, 0.3, [&](Step& step) { insert_or_delete(step, random); });
  if (random.chance(0.15)) change_outcomes(draft, random);
}

// Combines lists and registers: the keys of the second draft are renumbered.
void add_other(Draft& draft, const Draft& other, Random& random) {
  for (Draft::Transaction transaction : other.transactions) {
    for (Step& step : transaction.operations) step.key += 3;
    if (random.chance(0.3)) transaction.session += 4;
    draft.transactions.push_back(std::move(transaction));
  }
}

}  // namespace

Draft random_draft(Random& random) {
  const int size = random.chance(0.1) ? 12 : 6;
  const std::uint64_t kind = random.below(10);
  Draft draft = kind < 5   ? oracle::random_transactions(random, size)
                : kind < 8 ? oracle::random_list_transactions(random, size)
                           : oracle::random_lightweight_transactions(random, size);
  if (random.chance(0.1)) add_other(draft, oracle::random_transactions(random, 4), random);
  add_spice(draft, random);
  return draft;
}

}  // namespace serval::metamorphic
