#include "serval/online/read_judge.h"

#include <algorithm>

#include <fmt/format.h>

namespace serval::online {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;
constexpr std::size_t kManyReaders = 64;

CitedRecord commit_of(const Version& version, const std::string& key) {
  return cite(version, fmt::format("commit {} = {}", key, version.value.format()), version.install);
}

}  // namespace

bool ReadJudge::prepare(const LiveTransaction& transaction, std::span<const std::uint32_t> part) {
  transaction_ = &transaction;
  windows_.clear();
  questions_.clear();
  own_faults_.clear();
  readers_.clear();
  checked_ = unchecked_ = 0;
  statement_window_ = shared_window_ = window_statement_ = kNone;
  ask(part);
  bool disturbed = false;
  for (Question& question : questions_) {
    look(question);
    disturbed |= !question.quiet && windows_[question.window].shared;
  }
  return disturbed;
}

Interval ReadJudge::conclude() {
  state_.statistics.reads_checked += checked_;
  state_.statistics.reads_unchecked += unchecked_;
  for (const OwnFault& fault : own_faults_) {
    state_.found.at(Findings::Step::OwnRead, fault.read);
    report_own(transaction_->accesses[fault.read], transaction_->accesses[fault.write]);
  }
  settle();
  look_for_contradictions();
  for (const Question& question : questions_) link(question);
  return shared_window_ == kNone ? transaction_->snapshot : windows_[shared_window_].time;
}

// Which reads are to be checked, and against which snapshot.
void ReadJudge::ask(std::span<const std::uint32_t> part) {
  ++state_.walk;
  for (const std::uint32_t i : part) {
    const Access& access = transaction_->accesses[i];
    if (access.kind == Access::Kind::Write) {
      access.state->stamp = state_.walk;
      access.state->own_access = i;
    } else if (access.kind == Access::Kind::Read) {
      ask_about(i);
    }
  }
}

void ReadJudge::ask_about(std::uint32_t access) {
  const Access& read = transaction_->accesses[access];
  const KeyState& key = *read.state;
  const bool reinserted = key.is_column() && key.row->had_delete;
  if (read.mode == ReadMode::Uncommitted || read.value == StoredValue::anything() || reinserted) {
    ++unchecked_;
    return;
  }
  ++checked_;
  if (key.stamp == state_.walk && judge_own(access)) return;
  questions_.push_back({.access = access, .window = window_of(read), .candidates = {}});
}

// PostgreSQL checks keys against the current state: a transaction may insert a row whose key others have
// deleted since its snapshot, and still sees the deleted row beside its own. Adya 1999: the two are
// different objects.
bool ReadJudge::may_show_deleted_row(const Access& write, const Access& read) const {
  const bool by_statement =
      transaction_->profile->snapshot == SnapshotPoint::Statement || read.mode == ReadMode::Locking;
  if (by_statement || write.value.is_nil() || read.value.is_nil() || !read.state->had_delete) return false;
  const Interval snapshot = snapshot_of(*transaction_);
  const bool deleted_since = std::ranges::any_of(read.state->versions, [&](const Version& version) {
    return version.transaction != transaction_->number && version.value.may_be(StoredValue::nil()) &&
           version.install.end >= snapshot.begin && version.install.begin <= write.time.end;
  });
  return deleted_since &&
         find_candidates(*read.state, snapshot, read.value, transaction_->number).matches > 0;
}

// A read after an own write of the key. False: the write may have had no effect, so the versions of
// others count.
bool ReadJudge::judge_own(std::uint32_t access) {
  const Access& read = transaction_->accesses[access];
  const KeyState& key = *read.state;
  const Access& write = transaction_->accesses[key.own_access];
  if (write.value.may_be(read.value) || write.maybe) return true;
  if (transaction_->profile->equal_writes_vanish)
    for (const Version& version : key.versions)
      if (version.transaction != transaction_->number && version.may_show(write.value)) return false;
  if (may_show_deleted_row(write, read)) return false;
  own_faults_.push_back({access, key.own_access});
  return true;
}

std::uint32_t ReadJudge::window_of(const Access& access) {
  const Profile& profile = *transaction_->profile;
  const bool by_statement = profile.snapshot == SnapshotPoint::Statement || access.mode == ReadMode::Locking;
  const bool shared =
      by_statement ? profile.one_state_a_statement && access.mode != ReadMode::Locking : profile.one_clock;
  if (shared && by_statement && statement_window_ != kNone && window_statement_ == access.statement)
    return statement_window_;
  if (shared && !by_statement && shared_window_ != kNone) return shared_window_;
  SnapshotWindow window{.time = by_statement ? access.time : transaction_->snapshot, .shared = shared};
  if (profile.freshness == Freshness::Any) window.time.begin = kUnknownBegin;
  window.whole = window.time;
  const auto number = static_cast<std::uint32_t>(windows_.size());
  windows_.push_back(window);
  if (shared && by_statement) {
    statement_window_ = number;
    window_statement_ = access.statement;
  } else if (shared) {
    shared_window_ = number;
  }
  return number;
}

void ReadJudge::look(Question& question) {
  const Access& read = read_of(question);
  const SnapshotWindow& window = windows_[question.window];
  if (changes_within(*read.state, window.time, transaction_->number)) return;
  question.candidates = find_candidates(*read.state, window.time, read.value, transaction_->number);
  if (question.candidates.matches == 1 && !read.perhaps_writing) {
    SnapshotWindow narrowed = window;
    if (narrow(narrowed, *read.state, question.candidates.match, transaction_->number, question.access))
      return;
  }
  question.quiet = true;
}

// A read that fits only one version narrows its snapshot, which may leave only one version for another
// read.
void ReadJudge::settle() {
  for (Question& question : questions_) {
    if (!question.quiet) continue;
    question.settled = question.candidates.matches <= 1;
    if (read_of(question).perhaps_writing) settle_either(question);
  }
  while (settle_once()) continue;
}

bool ReadJudge::settle_once() {
  bool narrowed = false, open = false;
  for (Question& question : questions_) {
    if (question.settled || question.quiet) continue;
    const Access& read = read_of(question);
    const KeyState& key = *read.state;
    SnapshotWindow& window = windows_[question.window];
    if (window.is_empty()) continue;
    question.candidates = find_candidates(key, window.time, read.value, transaction_->number);
    if (read.perhaps_writing) {
      settle_either(question);
      continue;
    }
    question.settled = question.candidates.matches <= 1;
    open |= !question.settled;
    if (question.candidates.matches == 1)
      narrowed |= narrow(window, key, question.candidates.match, transaction_->number, question.access);
  }
  return narrowed && open;
}

// At read committed, an update or delete of a locked row waits for the other transaction. If that
// transaction deleted the row and inserted it again, the old row is gone and the new one is too late for
// the statement's snapshot: the statement finds nothing, although there always was a row.
bool ReadJudge::may_miss_new_row(const Access& read) const {
  return transaction_->profile->snapshot == SnapshotPoint::Statement && read.state->had_delete &&
         changes_within(*read.state, read.time, transaction_->number);
}

// It may read the snapshot or the current state, so it narrows nothing.
void ReadJudge::settle_either(Question& question) {
  const Access& read = read_of(question);
  const Candidates now = find_candidates(*read.state, read.time, read.value, transaction_->number);
  question.settled = true;
  if (question.candidates.matches == 1 && now.matches == 1 && now.match == question.candidates.match) return;
  question.candidates.matches += now.matches;
  if (question.candidates.matches == 0 && may_miss_new_row(read)) question.candidates.matches = 2;
  if (question.candidates.matches == 1) ++question.candidates.matches;  // At best uncertain.
}

void ReadJudge::look_for_contradictions() {
  for (const Question& question : questions_) {
    if (!question.settled || question.candidates.matches != 0) continue;
    const Access& read = read_of(question);
    state_.found.at(Findings::Step::Unseen, question.access);
    if (read.state->forgot && transaction_->profile->freshness == Freshness::Any)
      state_.leave_uncertain(Dependency::WriteRead);
    else
      report_unseen(question);
  }
  // Each at the first read that narrowed it, which is the same in any number of partitions.
  for (const Question& question : questions_) {
    const SnapshotWindow& window = windows_[question.window];
    if (!window.is_empty() || question.access != std::min(window.begin_by, window.end_by)) continue;
    state_.found.at(Findings::Step::Skew, question.access);
    report_skew(window);
  }
  for (const Question& question : questions_)
    if (question.candidates.matches == 1 && !question.quiet && !windows_[question.window].is_empty() &&
        !read_of(question).perhaps_writing)
      look_for_halves(question);
}

// Commits are atomic: no read of the snapshot may see the transaction that overwrote what this read saw.
void ReadJudge::look_for_halves(const Question& question) {
  const KeyState& key = *read_of(question).state;
  const Version& seen = key.versions[question.candidates.match];
  for (std::size_t i = key.versions.size(); i-- > question.candidates.match + std::size_t{1};) {
    const Version& next = key.versions[i];
    if (next.uncertain || next.transaction == transaction_->number) continue;
    if (next.install.begin > windows_[question.window].time.end) continue;
    if (order_of(seen, next, key) != VersionOrder::Before) continue;
    const Question* const other = reader_of(next.transaction, question.window);
    if (other == nullptr) continue;
    state_.found.at(Findings::Step::Half, question.access);
    return report_half(question, *other);
  }
}

bool ReadJudge::certainly_saw(const Question& question, std::uint64_t writer, std::uint32_t window) const {
  if (question.window != window || question.candidates.matches != 1) return false;
  const Access& read = read_of(question);
  return !read.perhaps_writing && read.state->versions[question.candidates.match].transaction == writer;
}

// The first read of the snapshot that certainly saw a write of `writer`. Called often for a transaction
// with many reads.
const ReadJudge::Question* ReadJudge::reader_of(std::uint64_t writer, std::uint32_t window) {
  constexpr std::size_t kFew = 16;
  if (questions_.size() <= kFew) {
    const auto found = std::ranges::find_if(
        questions_, [&](const Question& question) { return certainly_saw(question, writer, window); });
    return found == questions_.end() ? nullptr : &*found;
  }
  if (readers_.empty())
    for (std::uint32_t i = 0; i < questions_.size(); ++i) {
      const Question& question = questions_[i];
      const Access& read = read_of(question);
      if (question.candidates.matches != 1 || read.perhaps_writing) continue;
      readers_.try_emplace({question.window, read.state->versions[question.candidates.match].transaction}, i);
    }
  const auto found = readers_.find({window, writer});
  return found == readers_.end() ? nullptr : &questions_[found->second];
}

void ReadJudge::link(const Question& question) {
  const Access& read = read_of(question);
  KeyState& key = *read.state;
  if (question.candidates.matches == 0) return;
  state_.found.at(Findings::Step::Read, question.access);
  // That a row existed does not identify its version.
  const bool existence = read.value == StoredValue::present();
  if (question.candidates.matches > 1) {
    if (!existence) state_.leave_uncertain(Dependency::WriteRead);
    return;
  }
  Version& seen = key.versions[question.candidates.match];
  const bool overlaps = !certainly_before(seen.install, windows_[question.window].whole);
  if (seen.transaction == 0 &&
      !seen.value.is_known()) {  // The initial value was unknown; this read shows it.
    seen.value = read.value;
    seen.or_nil = false;
  }
  if (seen.uncertain) {  // It was seen, so it exists.
    seen.install.end = std::min(seen.install.end, windows_[question.window].time.end);
    seen.uncertain = seen.install.end == kUnknownEnd;
    if (!seen.uncertain)
      key.longest_commit = std::max(key.longest_commit, span_of({seen.release_begin, seen.install.end}));
  }
  if (transaction_->profile->one_update_a_version) note_update(read, seen);
  if (!transaction_->participant.is_none()) {
    state_.depend({seen.writer, transaction_->participant, read.key, Dependency::WriteRead});
    if (overlaps) state_.note_overlap(Dependency::WriteRead);
    if (state_.profile.cycles != CycleRule::InformationFlow) link_to_next(question);
  }
}

// A transaction that read and then wrote the key. A row that was deleted and inserted again is a new
// object.
void ReadJudge::note_update(const Access& read, Version& seen) {
  const KeyState& key = *read.state;
  if (seen.uncertain || read.perhaps_writing || key.had_delete) return;
  const auto version_of = [&](std::uint64_t writer) {
    return std::ranges::find_if(key.versions, [&](const Version& version) {
      return version.transaction == writer && !version.uncertain;
    });
  };
  const auto own = version_of(transaction_->number);
  if (own == key.versions.end() || seen.updater == transaction_->number) return;
  const auto other = seen.updater == 0 ? key.versions.end() : version_of(seen.updater);
  seen.updater = transaction_->number;
  if (other != key.versions.end())
    state_.report(second_update_violation(state_.keys.format(read.key), seen, *other, *own));
}

// The writer of the next version follows this reader. Links them now if it is known, else when it is
// judged.
void ReadJudge::link_to_next(const Question& question) {
  const Access& read = read_of(question);
  const Interval& snapshot = windows_[question.window].whole;
  KeyState& key = *read.state;
  Version& seen = key.versions[question.candidates.match];
  if (seen.uncertain) return;
  bool waits = true, unverified = false;
  bool is_open = false;   // Some version that overlaps the snapshot may or may not follow.
  bool is_known = false;  // The next version.
  for (std::size_t i = question.candidates.match + std::size_t{1}; i < key.versions.size(); ++i) {
    const Version& next = key.versions[i];
    if (next.uncertain || next.transaction == transaction_->number) continue;
    const VersionOrder order = order_of(seen, next, key);
    if (order == VersionOrder::Unknown) is_open |= overlap(snapshot, next.install);
    if (order != VersionOrder::Before) continue;
    is_known = true;
    if (!next.verified) {
      unverified = true;
      continue;
    }
    state_.depend({transaction_->participant, next.writer, read.key, Dependency::ReadWrite});
    if (overlap(snapshot, next.install)) state_.note_overlap(Dependency::ReadWrite);
    waits = unverified;
    break;
  }
  if (is_open && !is_known) state_.leave_uncertain(Dependency::ReadWrite);
  if (!waits) return;
  if (seen.readers.size() >= kManyReaders && seen.readers.size() == seen.readers.capacity())
    seen.forgotten_readers += static_cast<std::uint32_t>(std::erase_if(
        seen.readers, [&](const VersionReader& reader) { return state_.is_forgotten(reader.participant); }));
  seen.readers.push_back({transaction_->participant, snapshot.end});
}

CitedRecord ReadJudge::cite(const Access& access) const {
  const char* verb = access.kind == Access::Kind::Write ? "write" : "read";
  return cite(fmt::format("{} {} = {}", verb, state_.keys.format(access.key), access.value.format()),
              access.time);
}

void ReadJudge::report_own(const Access& read, const Access& write) {
  const std::string key = state_.keys.format(read.key);
  state_.report(
      {.mechanism = Mechanism::ConsistentRead,
       .kind = AnomalyKind::NotMyOwnWrite,
       .key = key,
       .transactions = {transaction_->number},
       .first = {.conclusion = fmt::format("T{} sees its own last write of {}", transaction_->number, key),
                 .records = {cite(write)}},
       .second = {.conclusion = "it read something else", .records = {cite(read)}}});
}

void ReadJudge::report_unseen(const Question& question) {
  const Access& read = read_of(question);
  const KeyState& key = *read.state;
  const SnapshotWindow& shared = windows_[question.window];
  const Interval& window = question.quiet ? shared.whole : shared.time;
  Violation out{.mechanism = Mechanism::ConsistentRead,
                .kind = AnomalyKind::ThinAirRead,
                .key = state_.keys.format(read.key),
                .transactions = {transaction_->number}};
  out.first = {
      .conclusion = fmt::format("T{} read {} = {}", transaction_->number, out.key, read.value.format()),
      .records = {cite(read)}};
  out.second.conclusion = "that value is not visible in its snapshot, which must show one of";
  Time lead = kUnknownEnd;
  for (const Version& version : key.versions) {
    const bool same = version.may_show(read.value) && version.transaction != transaction_->number;
    if (same) {
      out.kind = version.install.begin > window.end ? AnomalyKind::CyclicInformationFlowRealTime
                                                    : AnomalyKind::ReadSkewRealTime;
      out.transactions.push_back(version.transaction);
      if (version.install.begin > window.end)
        lead = std::min(lead, span_of({window.end, version.install.begin}));
    }
    (same ? out.first : out.second).records.push_back(commit_of(version, out.key));
  }
  out.second.records.push_back(cite("snapshot", window));
  if (lead != kUnknownEnd) {
    ++state_.statistics.reads_ahead;
    state_.statistics.largest_lead = std::max(state_.statistics.largest_lead, lead);
  }
  Report report{.violation = std::move(out)};
  if (report.violation.kind == AnomalyKind::ThinAirRead)
    report.unwritten = {read.key, read.value, read.time.end};
  state_.found.report(std::move(report));
}

void ReadJudge::report_half(const Question& missed, const Question& seen) {
  const Access& new_read = transaction_->accesses[seen.access];
  const Access& old_read = transaction_->accesses[missed.access];
  const Version& version = new_read.state->versions[seen.candidates.match];
  const CitedRecord commit = online::cite(
      version,
      fmt::format("commit {} and {}", state_.keys.format(new_read.key), state_.keys.format(old_read.key)),
      version.install);
  state_.report({.mechanism = Mechanism::ConsistentRead,
                 .kind = AnomalyKind::FracturedRead,
                 .key = state_.keys.format(old_read.key),
                 .transactions = {transaction_->number, version.transaction},
                 .first = {.conclusion = fmt::format("the snapshot of T{} is later than the commit of T{}",
                                                     transaction_->number, version.transaction),
                           .records = {cite(new_read), commit}},
                 .second = {.conclusion = "it is earlier", .records = {cite(old_read), commit}}});
}

void ReadJudge::report_skew(const SnapshotWindow& window) {
  Violation out{.mechanism = Mechanism::ConsistentRead,
                .kind = AnomalyKind::ReadSkewRealTime,
                .key = {},
                .transactions = {transaction_->number}};
  const auto name_key = [&](std::uint32_t access) {
    if (access == SnapshotWindow::kNobody) return;
    const std::string key = state_.keys.format(transaction_->accesses[access].key);
    if (key != out.key) out.key += (out.key.empty() ? "" : ", ") + key;
  };
  name_key(window.begin_by);
  name_key(window.end_by);
  const auto derive = [&](std::uint32_t access, std::string conclusion) -> Derivation {
    Derivation derivation{.conclusion = std::move(conclusion)};
    if (access == SnapshotWindow::kNobody) {
      derivation.records.push_back(cite("snapshot", transaction_->snapshot));
      return derivation;
    }
    const Access& read = transaction_->accesses[access];
    derivation.records.push_back(cite(read));
    for (const Version& version : read.state->versions)
      derivation.records.push_back(commit_of(version, state_.keys.format(read.key)));
    return derivation;
  };
  out.first = derive(window.begin_by, fmt::format("the snapshot of T{} was taken at {} or later",
                                                  transaction_->number, window.time.begin));
  out.second = derive(window.end_by, fmt::format("the snapshot of T{} was taken at {} or earlier",
                                                 transaction_->number, window.time.end));
  state_.report(std::move(out));
}

}  // namespace serval::online
