#include "serval/inference/list_faults.h"

#include <algorithm>

namespace serval {
namespace {

void note(ListFaults::Place& place, std::size_t position, OperationId append) {
  if (position < place.position) place = {position, append};
}

}  // namespace

bool ListFaults::any() const noexcept {
  return std::min({thin_air.position, aborted.position, duplicate.position, disordered.position,
                   several.position}) != kNowhere;
}

ListFaults ListInspector::inspect(KeyId key, std::span<const Value> shown,
                                  std::span<const AppendIndex::Source> sources) {
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

bool ListInspector::seen_before(Value element, AppendIndex::Source source) {
  if (source.origin == AppendIndex::Origin::Nobody) return !unknown_.try_emplace(element, 1).second;
  return std::exchange(seen_in_[source.append], list_) == list_;
}

void ListInspector::judge(AppendIndex::Source source, std::size_t position, ListFaults& faults) const {
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
void ListInspector::judge_repetition(KeyId key, Value element, std::ptrdiff_t times, std::size_t position,
                                     ListFaults& faults) const {
  const std::ptrdiff_t appended = index_.times_appended(key, element);
  if (appended > 0 && times > appended)
    note(faults.duplicate, position, index_.operation(index_.find(key, element).append));
}

void ListInspector::judge_order(std::uint32_t append, std::size_t position, ListFaults& faults) const {
  const std::uint32_t previous = lists_.appends[append].previous;
  if (previous == ListAppend::kNone || seen_in_[previous] == list_) return;
  const OperationId missing = lists_.appends[previous].op;
  // If others appended the element too, the table has only one of the appends, and the list may show any
  // of them.
  const auto source = index_.find(lists_.appends[previous].key, history_.value(missing));
  if (seen_in_[source.append] != list_) note(faults.disordered, position, missing);
}

}  // namespace serval
