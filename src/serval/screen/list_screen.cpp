#include "serval/screen/list_screen.h"

#include <algorithm>

namespace serval {

std::uint32_t ListScreen::add(KeyId key, Value element, TransactionId writer, std::uint32_t previous,
                              bool is_last) {
  const auto number = static_cast<std::uint32_t>(appends_.size());
  if (!index_.try_emplace({key, element}, number).second) return kNone;
  appends_.push_back({writer, previous, key, is_last});
  return number;
}

std::uint32_t ListScreen::find(KeyId key, Value element) const {
  const auto found = index_.find({key, element});
  return found == index_.end() ? kNone : found->second;
}

ListScreen::List& ListScreen::list_of(KeyId key, VersionId initial) {
  List& list = lists_[key];
  if (list.last.is_none()) list.last = initial;
  return list;
}

void ListScreen::count(std::uint32_t append, VersionId initial) {
  appends_[append].counts = true;
  List& list = list_of(appends_[append].key, initial);
  list.unseen.push_back(append);
  place_unseen(list, list.unseen.size() - 1);
}

// Places it after the last version seen. The ones before it in list.unseen have been placed.
void ListScreen::place_unseen(List& list, std::size_t position) {
  const Append& append = appends_[list.unseen[position]];
  const TransactionId writer = append.writer;
  versions_.depend_on_writer(list.last, writer);
  if (!needs_misses()) return;
  lead_readers(list, writer);
  if (order_.shape().snapshots && position > 0)
    order_.assume(append.key, appends_[list.unseen[position - 1]].writer, writer);
}

void ListScreen::lead_readers(List& list, TransactionId writer) {
  const Vertex helper = order_.add_helper(writer);
  if (list.first_helper == kNone) {
    list.first_helper = helper;
    versions_.take_readers(list.last, [&](TransactionId reader) { order_.miss(reader, helper); });
  } else {
    order_.chain(list.newest_helper, helper);
  }
  list.newest_helper = helper;
  if (!list.updater.is_none()) order_.miss(list.updater, writer);
}

ListScreen::Answer ListScreen::read(TransactionId reader, const TransactionDigest::Read& read,
                                    VersionId initial) {
  using Kind = Answer::Kind;
  List& list = list_of(read.key, initial);
  const std::size_t length = read.elements.size(), common = std::min(length, list.elements.size());
  compared_ += length;
  if (!std::equal(read.elements.begin(), read.elements.begin() + static_cast<std::ptrdiff_t>(common),
                  list.elements.begin()))
    return {Kind::Contradiction};
  if (const Answer answer = look_at_new(list, read); answer.kind != Kind::Read) return answer;
  if (length > common && !extend(list, read)) return {Kind::Contradiction};
  if (read.after_append) return {Kind::Read};
  const Append& last = appends_[list.appends[length - 1]];
  if (!last.is_last || shows_own(list, length, reader, appends_)) return {Kind::Contradiction};
  return {observe(list, last.version, reader, read.updates) ? Kind::Read : Kind::Contradiction};
}

bool ListScreen::read_nothing(TransactionId reader, bool updates, KeyId key, VersionId initial) {
  return observe(list_of(key, initial), initial, reader, updates);
}

ListScreen::Answer ListScreen::look_at_new(const List& list, const TransactionDigest::Read& read) const {
  for (std::size_t i = list.elements.size(); i < read.elements.size(); ++i) {
    const std::uint32_t append = find(read.key, read.elements[i]);
    if (append == kNone) return {Answer::Kind::Missing, read.elements[i]};
    if (!appends_[append].counts) return {Answer::Kind::Idle, {}, appends_[append].writer};
  }
  return {};
}

// Whether the read shows an append that the reader makes only afterwards.
bool ListScreen::shows_own(const List& list, std::size_t length, TransactionId reader,
                           const std::vector<Append>& appends) {
  return std::any_of(list.appends.begin(), list.appends.begin() + static_cast<std::ptrdiff_t>(length),
                     [&](std::uint32_t append) { return appends[append].writer == reader; });
}

// Creates versions for the elements that no read has shown before. False: the read shows one of them
// twice, or shows it without an earlier append of the same transaction.
bool ListScreen::extend(List& list, const TransactionDigest::Read& read) {
  retract_order_of_unseen(list);
  for (std::size_t i = list.elements.size(); i < read.elements.size(); ++i) {
    const std::uint32_t number = find(read.key, read.elements[i]);
    Append& append = appends_[number];
    if (append.shown || (append.previous != kNone && !appends_[append.previous].shown)) return false;
    append.shown = true;
    append.version = versions_.add(append.writer);
    versions_.depend_on_writer(list.last, append.writer);
    versions_[list.last].overwriter = append.writer;
    list.last = append.version;
    list.elements.push_back(read.elements[i]);
    list.appends.push_back(number);
  }
  std::erase_if(list.unseen, [&](std::uint32_t append) { return appends_[append].shown; });
  list.first_helper = list.newest_helper = kNone;
  list.updater = TransactionId::none();
  order_.settle(read.key);
  placed_again_ += list.unseen.size();
  for (std::size_t i = 0; i < list.unseen.size(); ++i) place_unseen(list, i);
  return true;
}

void ListScreen::retract_order_of_unseen(const List& list) {
  if (!order_.shape().snapshots || !needs_misses()) return;
  for (std::size_t i = 1; i < list.unseen.size(); ++i) {
    const Append& append = appends_[list.unseen[i]];
    order_.retract(append.key, appends_[list.unseen[i - 1]].writer, append.writer);
  }
  placed_again_ += list.unseen.size();
}

// False: another transaction also read this version and appended.
bool ListScreen::observe(List& list, VersionId version, TransactionId reader, bool updates) {
  if (!needs_misses()) {
    versions_.depend_on_writer(version, reader);
    return true;
  }
  if (updates) {
    TransactionId& updater = versions_[version].updater;
    if (!updater.is_none() && updater != reader) return false;
    updater = reader;
  }
  if (version != list.last || (list.first_helper == kNone && !updates)) {
    versions_.read(version, reader);
    return true;
  }
  versions_.depend_on_writer(version, reader);
  if (order_.shape().snapshots || !updates) {
    list.first_helper == kNone ? versions_.keep_reader(version, reader)
                               : order_.miss(reader, list.first_helper);
    return true;
  }
  list.updater = reader;
  for (const std::uint32_t append : list.unseen) order_.miss(reader, appends_[append].writer);
  return true;
}

std::size_t ListScreen::bytes() const noexcept {
  constexpr std::size_t kInLists = 2 * (sizeof(Value) + sizeof(std::uint32_t));  // Vectors with room to grow.
  return appends_.capacity() * (sizeof(Append) + kInLists) +
         index_.capacity() * (sizeof(decltype(index_)::value_type) + 1) + lists_.capacity() * sizeof(List);
}

}  // namespace serval
