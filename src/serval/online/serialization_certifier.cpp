#include "serval/online/serialization_certifier.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/online/key_state.h"

namespace serval::online {
namespace {

// An edge's label: its kind and its key. The edge from a snapshot to its own commit has none.
constexpr std::uint64_t kWithin = ~std::uint64_t{0};
constexpr Vertex kGone = ~Vertex{0};
std::uint64_t label_of(Dependency dependency, std::uint32_t key) {
  return std::uint64_t{static_cast<std::uint8_t>(dependency)} << 32 | key;
}
Dependency dependency_of(std::uint64_t label) { return static_cast<Dependency>(label >> 32); }
std::uint32_t key_of(std::uint64_t label) { return static_cast<std::uint32_t>(label); }

const char* words_for(Dependency dependency) {
  constexpr std::array<const char*, kDependencyCount> kWords{"whose version is overwritten by", "is read by",
                                                             "read what is overwritten by",
                                                             "is followed in its session by"};
  return kWords[static_cast<std::size_t>(dependency)];
}

void count(CycleShape& shape, Dependency dependency) {
  if (dependency == Dependency::WriteWrite) ++shape.write_write;
  if (dependency == Dependency::WriteRead) ++shape.write_read;
  if (dependency == Dependency::ReadWrite) ++shape.read_write;
  if (dependency == Dependency::Session) ++shape.session;
}

// Berenson et al. 1995, P4: the whole cycle concerns one key, or its row. All transactions wrote it, and
// one of them read a version that was overwritten before its own write.
bool is_lost_update(const CycleShape& shape, std::span<const GrowingOrder::Step> steps,
                    const KeyTable& keys) {
  if (shape.read_write == 0 || shape.write_read > 0 || shape.session > 0) return false;
  const auto is_anti = [](const GrowingOrder::Step& step) {
    return dependency_of(step.label) == Dependency::ReadWrite;
  };
  const std::uint32_t key = key_of(std::ranges::find_if(steps, is_anti)->label);
  return std::ranges::all_of(steps, [&](const GrowingOrder::Step& step) {
    return key_of(step.label) == key || (!is_anti(step) && keys.is_row_of(key_of(step.label), key));
  });
}

// Each once, in the order of the cycle; only the first if there are many.
std::string format_keys(std::span<const GrowingOrder::Step> steps, const KeyTable& keys) {
  constexpr std::size_t kMost = 4;
  std::vector<std::uint32_t> distinct;
  std::string out;
  for (const GrowingOrder::Step& step : steps) {
    if (dependency_of(step.label) == Dependency::Session) continue;
    if (std::ranges::find(distinct, key_of(step.label)) != distinct.end()) continue;
    if (distinct.size() == kMost) return out + ", ...";
    out += (distinct.empty() ? "" : ", ") + keys.format(key_of(step.label));
    distinct.push_back(key_of(step.label));
  }
  return out;
}

}  // namespace

void SerializationCertifier::make_room() {
  const std::uint64_t held = next_ - oldest_;
  if (held < slot_by_number_.size()) return;
  std::vector<std::uint32_t> larger(2 * slot_by_number_.size(), kForgotten);
  for (std::uint64_t number = oldest_; number < next_; ++number)
    larger[number & (larger.size() - 1)] = slot_of({number});
  slot_by_number_ = std::move(larger);
}

void SerializationCertifier::add(const Participant& participant, const Summary& summary) {
  expects(participant.number >= next_, "participants are added in order");
  while (next_ <= participant.number) {
    make_room();
    slot_of({next_++}) = kForgotten;
  }
  std::uint32_t number = 0;
  if (free_slots_.empty()) {
    number = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    number = free_slots_.back();
    free_slots_.pop_back();
  }
  Slot& slot = slots_[number];
  slot = {.participant = participant.number, .summary = summary};
  slot_of(participant) = number;
  const auto add_vertex = [&] {
    const Vertex vertex = graph_.add();
    if (vertex >= slot_of_.size()) slot_of_.resize(vertex + 1);
    slot_of_[vertex] = number;
    ++slot.vertices_left;
    return vertex;
  };
  slot.snapshot = add_vertex();
  slot.commit = has_snapshots_ ? add_vertex() : slot.snapshot;
  expects(!has_snapshots_ || graph_.insert(slot.snapshot, slot.commit, kWithin),
          "new vertices respect the order");
}

std::optional<Violation> SerializationCertifier::depend(const Findings::Link& link) {
  const Dependency dependency = link.dependency;
  if (!knows(link.from) || !knows(link.to) || link.from == link.to) return std::nullopt;
  if (rule_ == CycleRule::InformationFlow && dependency == Dependency::ReadWrite) return std::nullopt;
  Slot& source = slots_[slot_of(link.from)];
  Slot& target = slots_[slot_of(link.to)];
  note_hint(dependency, source, target);
  const bool anti = dependency == Dependency::ReadWrite;
  const bool new_object =
      link.new_object || (rule_ == CycleRule::Prefix && dependency == Dependency::WriteWrite);
  const GrowingOrder::Step edge{anti ? source.snapshot : source.commit,
                                anti || new_object ? target.commit : target.snapshot,
                                label_of(dependency, link.key)};
  if (edge.from == kGone || edge.to == kGone) return std::nullopt;
  if (graph_.insert(edge.from, edge.to, edge.label)) return std::nullopt;
  return cycle_violation(edge);
}

// `to` depends on `from`, or overwrote what it read.
void SerializationCertifier::note_hint(Dependency dependency, Slot& from, Slot& to) {
  const bool backwards = certainly_before(to.summary.commit, from.summary.commit);
  if (backwards) ++hints_.against_commit_order;
  if (dependency == Dependency::WriteWrite && certainly_before(to.summary.snapshot, from.summary.commit))
    ++hints_.concurrent_writes;
  if (dependency != Dependency::ReadWrite) return;
  if (backwards && from.summary.writes) ++hints_.overwritten_reads;
  if (to.summary.commit.end < from.first_out_end) {
    from.first_out_end = to.summary.commit.end;
    from.first_out = static_cast<std::uint32_t>(to.participant);
  }
  // Ports and Grittner 2012: a transaction that only reads counts if the last one committed before its
  // snapshot.
  const Time limit = from.summary.writes ? from.summary.commit.begin : from.summary.snapshot.begin;
  if (limit > to.last_in_begin) {
    to.last_in_begin = limit;
    to.last_in = static_cast<std::uint32_t>(from.participant);
  }
  note_pivot(from);
  note_pivot(to);
}

void SerializationCertifier::note_pivot(Slot& slot) {
  const bool has_both = slot.first_out_end != kUnknownEnd && slot.last_in_begin != kUnknownBegin;
  if (!has_both || slot.is_dangerous) return;
  if (!std::exchange(slot.is_pivot, true)) ++hints_.consecutive_anti_dependencies;
  const bool first = slot.first_out_end < slot.summary.commit.begin &&
                     (slot.first_out_end < slot.last_in_begin || slot.first_out == slot.last_in);
  if (!first) return;
  slot.is_dangerous = true;
  ++hints_.dangerous_structures;
}

Violation SerializationCertifier::cycle_violation(const GrowingOrder::Step& closing) const {
  CycleShape shape;
  Violation out{.mechanism = Mechanism::SerializationCertifier, .kind = AnomalyKind::CyclicInformationFlow};
  bool after_anti = dependency_of(closing.label) == Dependency::ReadWrite;
  const auto cite = [&](const GrowingOrder::Step& step) -> CitedRecord {
    const Summary& from = slots_[slot_of_[step.from]].summary;
    const Summary& to = slots_[slot_of_[step.to]].summary;
    const Dependency dependency = dependency_of(step.label);
    count(shape, dependency);
    const std::string where =
        dependency == Dependency::Session ? "" : " at " + keys_.format(key_of(step.label));
    return online::cite(from, fmt::format("{} T{}{}; commit", words_for(dependency), to.transaction, where),
                        from.commit);
  };
  std::vector<GrowingOrder::Step> steps;
  for (const GrowingOrder::Step& step : graph_.path()) {
    if (step.label == kWithin) continue;
    steps.push_back(step);
    const bool anti = dependency_of(step.label) == Dependency::ReadWrite;
    shape.adjacent_read_writes |= anti && after_anti;
    after_anti = anti;
    out.first.records.push_back(cite(step));
    out.transactions.push_back(out.first.records.back().transaction);
  }
  shape.adjacent_read_writes |= after_anti && dependency_of(closing.label) == Dependency::ReadWrite;
  out.second.records.push_back(cite(closing));
  out.transactions.push_back(out.second.records.back().transaction);
  const Summary& first = slots_[slot_of_[closing.to]].summary;
  const Summary& last = slots_[slot_of_[closing.from]].summary;
  out.first.conclusion = fmt::format("T{} precedes T{}", first.transaction, last.transaction);
  out.second.conclusion = fmt::format("T{} precedes T{}", last.transaction, first.transaction);
  steps.push_back(closing);
  out.key = format_keys(steps, keys_);
  const bool skew = shape.read_write == 2 && out.transactions.size() == 2;
  out.kind = is_lost_update(shape, steps, keys_) ? AnomalyKind::LostUpdate
             : skew                              ? AnomalyKind::WriteSkew
                                                 : class_of(shape);
  return out;
}

void SerializationCertifier::complete(const Participant& participant) {
  complete_.push_back(slot_of(participant));
}

// A transaction that ended before the horizon gets no new incoming edges: its own reads and writes are
// judged, and no remaining snapshot can miss its writes. So without incoming edges it will never be on a
// cycle.
void SerializationCertifier::forget_before(Time horizon) {
  while (!complete_.empty() && slots_[complete_.front()].summary.commit.end < horizon) {
    Slot& slot = slots_[complete_.front()];
    complete_.pop_front();
    slot.may_go = true;
    if (graph_.in_degree(slot.snapshot) == 0) drop(slot.snapshot);
  }
}

void SerializationCertifier::drop(Vertex vertex) {
  droppable_.assign(1, vertex);
  while (!droppable_.empty()) {
    const Vertex next = droppable_.back();
    droppable_.pop_back();
    Slot& slot = slots_[slot_of_[next]];
    if (!slot.may_go) continue;
    graph_.remove(next, droppable_);
    if (slot.snapshot == next) slot.snapshot = kGone;
    if (slot.commit == next) slot.commit = kGone;
    if (--slot.vertices_left > 0) continue;
    slot_of({slot.participant}) = kForgotten;
    free_slots_.push_back(slot_of_[next]);
  }
  while (oldest_ < next_ && slot_of({oldest_}) == kForgotten) ++oldest_;
}

}  // namespace serval::online
