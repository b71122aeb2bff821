#include "serval/check/polygraph/open_questions.h"

#include <algorithm>

#include "serval/inference/grouped.h"

namespace serval {
namespace {

constexpr std::size_t kMaxInBetween = 8;  // Writers between a version and its reader, handled at once.

template <class Items>
Jagged<std::uint32_t> by_key(const Items& items, std::size_t keys) {
  return grouped<std::uint32_t>(keys, [&](auto&& visit) {
    for (std::uint32_t i = 0; i < items.size(); ++i) visit(items[i].key, i);
  });
}

}  // namespace

OpenQuestions::OpenQuestions(const OpenKeys& open, const Points& points)
    : open_(open),
      points_(points),
      reads_of_key_(by_key(open.reads, open.keys.size())),
      sources_of_key_(by_key(open.many_sourced, open.keys.size())),
      choices_(open.many_sourced.size()),
      position_(open.writes.size()) {}

void OpenQuestions::find_wrong(std::uint32_t key, std::span<const std::uint32_t> rank,
                               std::vector<WrongAnswer>& wrong) {
  placed_.clear();
  const std::uint32_t end = open_.first_write_of(key + 1);
  for (std::uint32_t w = open_.first_write_of(key); w < end; ++w)
    placed_.push_back({rank[points_.commit(writer(w))], rank[points_.begin(writer(w))], w});
  std::ranges::sort(placed_, {}, &Placed::commit);
  for (std::uint32_t i = 0; i < placed_.size(); ++i) position_[placed_[i].write] = i;
  // The earlier of two writers is visible to the later; checking neighbours suffices.
  if (points_.exclusive())
    for (std::size_t i = 1; i < placed_.size(); ++i)
      if (placed_[i - 1].commit > placed_[i].begin)
        wrong.push_back({WrongAnswer::About::Writers, placed_[i - 1].write, placed_[i].write});
  for (const std::uint32_t read : reads_of_key_[key]) look_at_read(read, rank, wrong);
  for (const std::uint32_t read : sources_of_key_[key]) look_at_source(read, rank, wrong);
}

void OpenQuestions::look_at_read(std::uint32_t index, std::span<const std::uint32_t> rank,
                                 std::vector<WrongAnswer>& wrong) {
  const OpenKeys::Read& read = open_.reads[index];
  const std::uint32_t reads_at = rank[points_.begin(read.reader)];
  const std::size_t first = position_[read.seen] + 1;
  const std::size_t end = std::min(placed_.size(), first + kMaxInBetween);
  for (std::size_t i = first; i < end && placed_[i].commit < reads_at; ++i)
    if (writer(placed_[i].write) != read.reader)
      wrong.push_back({WrongAnswer::About::Read, index, placed_[i].write});
}

void OpenQuestions::look_at_source(std::uint32_t index, std::span<const std::uint32_t> rank,
                                   std::vector<WrongAnswer>& wrong) {
  const OpenKeys::ManySourced& read = open_.many_sourced[index];
  const auto end = std::ranges::lower_bound(placed_, rank[points_.begin(read.reader)], {}, &Placed::commit);
  const std::uint32_t last = end == placed_.begin() ? OpenKeys::kInitial : (end - 1)->write;
  if (!open_.is_source(read, last)) wrong.push_back({WrongAnswer::About::Source, index, last});
}

void OpenQuestions::ask(const WrongAnswer& wrong, OrderSolver& solver) {
  switch (wrong.about) {
    case WrongAnswer::About::Writers: {
      const TransactionId a = writer(wrong.first), b = writer(wrong.other);
      add({before(points_.write_then_write(a, b), solver), before(points_.write_then_write(b, a), solver)},
          {a, b, a}, solver);
      return;
    }
    case WrongAnswer::About::Read: {
      const OpenKeys::Read& read = open_.reads[wrong.first];
      const TransactionId between = writer(wrong.other);
      add({before(points_.write_then_write(between, writer(read.seen)), solver),
           before(points_.read_then_write(read.reader, between), solver)},
          {writer(read.seen), read.reader, between}, solver);
      return;
    }
    case WrongAnswer::About::Source:
      ask_source(wrong, solver);
      return;
  }
}

void OpenQuestions::add(std::initializer_list<Literal> clause, std::array<TransactionId, 3> about,
                        OrderSolver& solver) {
  solver.add_clause(clause);
  about_.push_back(about);
}

// One literal per source; the first call also adds that one of them is true, and what each implies.
const std::vector<Literal>& OpenQuestions::choices_of(std::uint32_t index, OrderSolver& solver) {
  std::vector<Literal>& choices = choices_[index];
  if (!choices.empty()) return choices;
  const OpenKeys::ManySourced& read = open_.many_sourced[index];
  const std::vector<std::uint32_t> sources = open_.sources_of(read);
  for (std::size_t i = 0; i < sources.size(); ++i) choices.push_back(solver.choice());
  solver.add_clause(choices);
  about_.push_back({read.reader, read.reader, read.reader});
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] == OpenKeys::kInitial) continue;
    const TransactionId source = writer(sources[i]);
    add({!choices[i], solver.before(points_.commit(source), points_.begin(read.reader))},
        {source, read.reader, source}, solver);
  }
  return choices;
}

void OpenQuestions::ask_source(const WrongAnswer& wrong, OrderSolver& solver) {
  const OpenKeys::ManySourced& read = open_.many_sourced[wrong.first];
  const std::vector<Literal>& choices = choices_of(wrong.first, solver);
  if (wrong.other == OpenKeys::kInitial) return;
  const TransactionId last = writer(wrong.other);
  const std::vector<std::uint32_t> sources = open_.sources_of(read);
  const Literal reads_first = before(points_.read_then_write(read.reader, last), solver);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] == OpenKeys::kInitial) {
      add({!choices[i], reads_first}, {read.reader, last, last}, solver);
    } else {
      const TransactionId source = writer(sources[i]);
      add({!choices[i], before(points_.write_then_write(last, source), solver), reads_first},
          {source, read.reader, last}, solver);
    }
  }
}

}  // namespace serval
